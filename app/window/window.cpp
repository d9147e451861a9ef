#include "app/window/window.hpp"

// glad before GLFW: it replaces the system's OpenGL header.
#include <glad/gl.h>
// clang-format off
#include <GLFW/glfw3.h>
// clang-format on
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/window/gui.hpp"

namespace app {

namespace {

constexpr int usual_width = 1280, usual_height = 800;  // at scale 1
constexpr int least_width = 880;                       // the columns of the roofs before the shape
constexpr int least_height = 560;

// From 1.87 on ImGui has such a queue of its own, which its backend fills.
constexpr bool imgui_queues = IMGUI_VERSION_NUM >= 18700;

std::string last_error() {
  const char* words = nullptr;
  glfwGetError(&words);
  return words != nullptr ? words : "no reason given";
}

/// Whether any key of this layout has it.
bool is_label(char label) {
  for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_WORLD_2; ++key) {
    if (glfwGetKeyScancode(key) < 0) continue;  // no such key
    const char* name = glfwGetKeyName(key, 0);
    if (name != nullptr && name[0] == label && name[1] == 0) return true;
  }
  return false;
}

std::optional<ui::Key> key_of(int key) {
  static constexpr std::pair<int, ui::Key> known[]{
      {GLFW_KEY_ENTER, ui::Key::enter},     {GLFW_KEY_KP_ENTER, ui::Key::enter},
      {GLFW_KEY_ESCAPE, ui::Key::escape},   {GLFW_KEY_TAB, ui::Key::tab},
      {GLFW_KEY_LEFT, ui::Key::left},       {GLFW_KEY_RIGHT, ui::Key::right},
      {GLFW_KEY_UP, ui::Key::up},           {GLFW_KEY_DOWN, ui::Key::down},
      {GLFW_KEY_HOME, ui::Key::home},       {GLFW_KEY_END, ui::Key::end},
      {GLFW_KEY_PAGE_UP, ui::Key::page_up}, {GLFW_KEY_PAGE_DOWN, ui::Key::page_down},
      {GLFW_KEY_F1, ui::Key::f1},           {GLFW_KEY_F11, ui::Key::f11},
      {GLFW_KEY_KP_ADD, ui::Key{'='}},      {GLFW_KEY_KP_SUBTRACT, ui::Key{'-'}},
      {GLFW_KEY_KP_0, ui::Key{'0'}}};
  for (const auto& [glfw, ours] : known) {
    if (glfw == key) return ours;
  }
  const bool prints = key >= GLFW_KEY_SPACE && key <= GLFW_KEY_Z;
  return prints ? std::optional(static_cast<ui::Key>(key)) : std::nullopt;
}

bool is_modifier(int key) {
  // GLFW numbers left Shift, Control, Alt, Super and the right ones in a row.
  return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER;
}

}  // namespace

Window::Window(int width, int height) {
  if (glfwInit() != GLFW_TRUE) throw NoWindow(fmt::format("no display ({})", last_error()));
  try {
    create(width, height);
    listen();
    start_imgui();
  } catch (...) {
    glfwTerminate();
    throw;
  }
}

Window::~Window() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

void Window::create(int width, int height) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SAMPLES, 0);  // ImGui smooths its own edges
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "ridgepoint");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "ridgepoint");
  // What was set up on a larger monitor is to fit this one.
  int left = 0, top = 0, wide = 0, high = 0;
  float scale = 1, scale_y = 1;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor(); monitor != nullptr) {
    glfwGetMonitorWorkarea(monitor, &left, &top, &wide, &high);
    glfwGetMonitorContentScale(monitor, &scale, &scale_y);
  }
  if (width <= 0 || height <= 0) {
    width = usual_width, height = usual_height;
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    if (scale > 0) wide = static_cast<int>(static_cast<float>(wide) / scale);
    if (scale > 0) high = static_cast<int>(static_cast<float>(high) / scale);
  }
  window_ =
      glfwCreateWindow(wide > 0 ? std::min(width, wide) : width,
                       high > 0 ? std::min(height, high) : height, "Ridgepoint", nullptr, nullptr);
  if (window_ == nullptr)
    throw NoWindow(fmt::format("OpenGL 3.3 is not available ({})", last_error()));
  glfwMakeContextCurrent(window_);
  const int version = gladLoadGL(glfwGetProcAddress);
  if (version < GLAD_MAKE_VERSION(3, 3)) {
    throw NoWindow(fmt::format("the driver offers OpenGL {}.{}, but 3.3 is needed",
                               GLAD_VERSION_MAJOR(version), GLAD_VERSION_MINOR(version)));
  }
  glfwSwapInterval(1);
}

Window& Window::of(GLFWwindow* window) {
  return *static_cast<Window*>(glfwGetWindowUserPointer(window));
}

void Window::note(GLFWwindow* window) { of(window).input_ = true; }

void Window::tell(GLFWwindow* window, const InputEvent& event) {
  note(window);
  of(window).press_ = of(window).press_ || is_press(event);
  of(window).events_.add(event);
}

/// ImGui hears of these from here, when a frame begins.
void Window::listen_to_input() {
  using Kind = InputEvent::Kind;
  glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double x, double y) {
    tell(w, {.kind = Kind::moved, .x = x, .y = y});
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* w, double x, double y) {
    tell(w, {.kind = Kind::scrolled, .x = x, .y = y});
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int) {
    const Kind kind = action == GLFW_PRESS ? Kind::button_down : Kind::button_up;
    tell(w, {.kind = kind, .key = button, .time = glfwGetTime()});
  });
  glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int scancode, int action, int modifiers) {
    // Another layout may come while a key is down.
    int& label = of(w).labels_[scancode];
    if (action == GLFW_PRESS) label = labelled_key(key, glfwGetKeyName(key, scancode), is_label);
    tell(w, {.kind = action == GLFW_RELEASE ? Kind::key_up : Kind::key_down,
             .key = key,
             .label = label,
             .scancode = scancode,
             .modifiers = modifiers,
             .repeated = action == GLFW_REPEAT,
             .is_modifier = is_modifier(key)});
  });
  glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned int character) {
    tell(w, {.kind = Kind::character, .character = character});
  });
  glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int focused) {
    if (focused == GLFW_TRUE) of(w).came_back_ = true;
    tell(w, {.kind = Kind::focus, .focused = focused == GLFW_TRUE});
  });
}

void Window::listen() {
  glfwSetWindowUserPointer(window_, this);
  listen_to_input();
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int entered) {
    note(w);
    if (!imgui_queues) ImGui_ImplGlfw_CursorEnterCallback(w, entered);
  });
  glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
    note(w);
    of(w).drops_.insert(of(w).drops_.end(), paths, paths + count);
  });
  glfwSetWindowRefreshCallback(window_, note);
  glfwSetWindowCloseCallback(window_, note);
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { note(w); });
  glfwSetWindowIconifyCallback(window_, [](GLFWwindow* w, int) { note(w); });
  glfwSetWindowContentScaleCallback(window_, [](GLFWwindow* w, float, float) { note(w); });
}

/// For the window's own shortcuts, where it goes down.
void Window::note_key(const InputEvent& event) {
  const auto known = key_of(event.label);
  if (event.kind == InputEvent::Kind::key_down && known)
    keys_.push_back({*known, (event.modifiers & GLFW_MOD_CONTROL) != 0,
                     (event.modifiers & GLFW_MOD_SHIFT) != 0});
}

void Window::tell_imgui(const InputEvent& event) {
  using Kind = InputEvent::Kind;
  const int held = event.repeated ? GLFW_REPEAT : GLFW_PRESS;
  switch (event.kind) {
    case Kind::key_down:
    case Kind::key_up:
      ImGui_ImplGlfw_KeyCallback(window_, event.label, event.scancode,
                                 event.kind == Kind::key_down ? held : GLFW_RELEASE,
                                 event.modifiers);
      break;
    case Kind::character:
      ImGui_ImplGlfw_CharCallback(window_, event.character);
      break;
    case Kind::scrolled:
      ImGui_ImplGlfw_ScrollCallback(window_, event.x, event.y);
      break;
    case Kind::focus:
      ImGui_ImplGlfw_WindowFocusCallback(window_, event.focused ? GLFW_TRUE : GLFW_FALSE);
      break;
    case Kind::moved:
      pointer_ = event;
      break;
    case Kind::button_down:
    case Kind::button_up:
      break;  // point()
  }
}

void Window::begin_frame() {
  const std::vector<InputEvent> taken = events_.take();
  for (const InputEvent& event : taken) {
    note_key(event);
    if (!imgui_queues) tell_imgui(event);
  }
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  if (!imgui_queues) point(taken);
  ImGui::NewFrame();
  if (events_.empty()) return;
  input_ = true;
  press_ = press_ || events_.holds_press();
}

/// The backend asks for pointer and buttons as they are now; this frame may be of earlier ones.
void Window::point(const std::vector<InputEvent>& taken) {
  using Kind = InputEvent::Kind;
  ImGuiIO& io = ImGui::GetIO();
  bool at_a_place = !events_.empty();
  for (const InputEvent& event : taken) {
    at_a_place = at_a_place || event.kind == Kind::scrolled;
    if (event.kind != Kind::button_down && event.kind != Kind::button_up) continue;
    at_a_place = true;
    const auto button = static_cast<std::size_t>(event.key);
    if (button >= buttons_.size()) continue;
    const bool down = event.kind == Kind::button_down;
    buttons_[button].down = down;
    if (!down) continue;
    // Two presses make a double click when they were so close together, not their frames.
    const double between = event.time - std::exchange(buttons_[button].pressed, event.time);
    io.MouseClickedTime[button] = ImGui::GetTime() + io.DeltaTime - between;
  }
  if (at_a_place && pointer_ && ImGui::IsMousePosValid(&io.MousePos))
    io.MousePos = {static_cast<float>(pointer_->x), static_cast<float>(pointer_->y)};
  for (std::size_t i = 0; i < buttons_.size(); ++i) io.MouseDown[i] = buttons_[i].down;
}

void Window::start_imgui() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;               // the panels have fixed places
  io.ConfigInputTextCursorBlink = false;  // a blinking cursor would redraw an idle window
  ImGui_ImplGlfw_InitForOpenGL(window_, imgui_queues);
  ImGui_ImplOpenGL3_Init("#version 330 core");
}

bool Window::take_close() {
  const bool wanted = glfwWindowShouldClose(window_) == GLFW_TRUE;
  if (wanted) glfwSetWindowShouldClose(window_, GLFW_FALSE);
  return wanted;
}

void Window::wait(std::optional<double> seconds) {
  if (!seconds) {
    glfwWaitEvents();
  } else if (*seconds > 0) {
    glfwWaitEventsTimeout(*seconds);
  } else {
    glfwPollEvents();
  }
}

bool Window::button_held() const { return buttons_[GLFW_MOUSE_BUTTON_LEFT].down; }

float Window::scale() const {
  float content = 1;
  glfwGetWindowContentScale(window_, &content, nullptr);
  int pixels = 0, wide = 0;
  glfwGetFramebufferSize(window_, &pixels, nullptr);
  glfwGetWindowSize(window_, &wide, nullptr);
  // Where the window system scales window coordinates itself, the content's scale is in them.
  const float by_system = wide > 0 ? static_cast<float>(pixels) / static_cast<float>(wide) : 1;
  const float own = by_system > 0 ? content / by_system : content;
  return own >= 0.5F && own <= 8 ? own : 1;
}

float Window::largest_scale() const {
  float largest = 0;
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    int x = 0, y = 0, wide = 0, high = 0;
    glfwGetMonitorWorkarea(monitors[i], &x, &y, &wide, &high);
    largest = std::max(largest, std::min(static_cast<float>(wide) / least_width,
                                         static_cast<float>(high) / least_height));
  }
  return std::max(largest, 1.0F);
}

void Window::keep_room(float scale) {
  if (fills_screen()) return;  // another size would be another mode of the monitor
  const int wide = static_cast<int>(std::floor(least_width * scale));
  const int high = static_cast<int>(std::floor(least_height * scale));
  glfwSetWindowSizeLimits(window_, wide, high, GLFW_DONT_CARE, GLFW_DONT_CARE);
  // Without a window manager nobody else heeds the limits.
  int width = 0, height = 0;
  glfwGetWindowSize(window_, &width, &height);
  if (width < wide || height < high)
    glfwSetWindowSize(window_, std::max(width, wide), std::max(height, high));
}

/// The one that shows most of the window; none where there is none at all.
GLFWmonitor* Window::monitor() const {
  const Place at = usual_size();
  GLFWmonitor* best = glfwGetPrimaryMonitor();
  int most = 0, count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    int x = 0, y = 0;
    glfwGetMonitorPos(monitors[i], &x, &y);
    const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
    if (mode == nullptr) continue;
    const int wide = std::min(at.x + at.width, x + mode->width) - std::max(at.x, x);
    const int high = std::min(at.y + at.height, y + mode->height) - std::max(at.y, y);
    if (wide <= 0 || high <= 0 || wide * high <= most) continue;
    most = wide * high;
    best = monitors[i];
  }
  return best;
}

void Window::fill_screen(bool fills) {
  if (fills == fills_screen()) return;
  if (!fills) {
    const Place at = *std::exchange(usual_, std::nullopt);
    glfwSetWindowMonitor(window_, nullptr, at.x, at.y, at.width, at.height, GLFW_DONT_CARE);
    return;
  }
  GLFWmonitor* on = monitor();
  usual_ = usual_size();
  const GLFWvidmode* mode = on != nullptr ? glfwGetVideoMode(on) : nullptr;
  if (mode == nullptr) return;  // the charts fill the window at least
  glfwSetWindowAttrib(window_, GLFW_AUTO_ICONIFY,
                      GLFW_FALSE);  // another monitor may have the focus
  glfwSetWindowMonitor(window_, on, 0, 0, mode->width, mode->height, mode->refreshRate);
}

Window::Place Window::usual_size() const {
  if (usual_) return *usual_;
  Place at;
  glfwGetWindowPos(window_, &at.x, &at.y);
  glfwGetWindowSize(window_, &at.width, &at.height);
  return at;
}

bool Window::visible() const {
  int pixels_wide = 0;
  int pixels_high = 0;
  glfwGetFramebufferSize(window_, &pixels_wide, &pixels_high);
  return pixels_wide > 0 && pixels_high > 0 &&
         glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_FALSE;
}

bool Window::draws_in_software() const {
  const GLubyte* bytes = glGetString(GL_RENDERER);
  if (bytes == nullptr) return false;
  const std::string_view renderer = reinterpret_cast<const char*>(bytes);
  // Mesa's renderers on the CPU: softpipe and llvmpipe, the classic swrast, and Intel's SWR.
  for (const std::string_view name : {"llvmpipe", "softpipe", "swrast", "Software", "SWR"}) {
    if (renderer.find(name) != std::string_view::npos) return true;
  }
  return false;
}

void Window::end_frame() {
  ImGui::Render();
  int pixels_wide = 0;
  int pixels_high = 0;
  glfwGetFramebufferSize(window_, &pixels_wide, &pixels_high);
  glViewport(0, 0, pixels_wide, pixels_high);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window_);
}

void Window::wake() { glfwPostEmptyEvent(); }

}  // namespace app
