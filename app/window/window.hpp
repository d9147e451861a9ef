// One window with an OpenGL 3.3 context and ImGui in it: events in, frames out. Knows nothing of
// what is drawn.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/window/input_queue.hpp"
#include "ui/widgets/widgets.hpp"

struct GLFWwindow;
struct GLFWmonitor;

namespace app {

class Window {
 public:
  /// In screen coordinates; 0: the usual size, at the scale of the screen. Throws NoWindow.
  Window(int width, int height);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// True when the user or the window system wanted to close it since the last call.
  bool take_close();
  /// Sleeps until an event arrives or `seconds` have passed; nothing = until an event.
  void wait(std::optional<double> seconds);
  /// True when the user or the window system did something since the last call.
  bool take_input() { return std::exchange(input_, false); }
  /// True when a key or mouse button went down or up since the last call; a held key is one press.
  bool take_press() { return std::exchange(press_, false); }
  /// The left mouse button is down.
  bool button_held() const;
  /// Keys that went down for this frame.
  std::vector<ui::KeyPress> take_keys() { return std::exchange(keys_, {}); }
  /// True when the user came to it from another window since the last call.
  bool take_focus() { return std::exchange(came_back_, false); }
  /// Paths of files that were dropped on it since the last call.
  std::vector<std::string> take_drops() { return std::exchange(drops_, {}); }
  /// Pixels of the window per pixel of the design; 2 on a HiDPI monitor.
  float scale() const;
  /// The largest scale at which all controls have room on a monitor.
  float largest_scale() const;
  /// No smaller than the controls need at this scale; a window that is grows.
  void keep_room(float scale);
  /// Fills the monitor on which most of it lies, without a frame, or goes back to its place.
  void fill_screen(bool fills);
  bool fills_screen() const { return usual_.has_value(); }
  /// False while it has no area to draw on (minimised).
  bool visible() const;
  /// The CPU draws: OpenGL is Mesa's software renderer.
  bool draws_in_software() const;
  /// Where it lies, and how large it is, while it does not fill the screen.
  struct Place {
    int x = 0, y = 0, width = 0, height = 0;
  };
  Place usual_size() const;

  /// What is drawn between these lands on the screen. What one frame cannot tell apart waits for
  /// the next, and counts as input until then.
  void begin_frame();
  void end_frame();

  /// Ends a wait() from any thread while a window exists.
  static void wake();

 private:
  void create(int width, int height);
  static Window& of(GLFWwindow*);
  static void note(GLFWwindow*);
  static void tell(GLFWwindow*, const InputEvent&);
  void listen();
  void listen_to_input();
  void start_imgui();
  void note_key(const InputEvent&);
  void tell_imgui(const InputEvent&);
  void point(const std::vector<InputEvent>& taken);

  GLFWmonitor* monitor() const;

  GLFWwindow* window_ = nullptr;
  std::optional<Place> usual_;  // to go back to
  bool input_ = true;
  bool press_ = false;
  bool came_back_ = false;
  struct Button {
    bool down = false;      // in this frame
    double pressed = -1e9;  // last, s
  };

  InputQueue events_;
  std::optional<InputEvent> pointer_;  // where the last of the events taken left it
  std::array<Button, 5> buttons_{};
  std::vector<ui::KeyPress> keys_;
  std::map<int, int> labels_;  // of keys by scancode, as they went down
  std::vector<std::string> drops_;
};

/// Replaces ImGui's fonts: DejaVu Sans of the system, else ImGui's built-in one, at this scale.
ui::Fonts make_fonts(float scale);

}  // namespace app
