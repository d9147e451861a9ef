#include "tests/window/display/user.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

// Far beyond need: only a hang reaches them. A slow machine that still gets on is waited for.
constexpr std::chrono::seconds patience{60};              // without any change of the state
constexpr std::chrono::seconds longest_patience{5 * 60};  // changes or not
constexpr std::chrono::seconds between_tries{3};

std::vector<std::pair<std::string, std::optional<std::string>>> environment_of(
    const Screen& screen, const TemporaryFolder& folder) {
  return {{"DISPLAY", screen.display()},
          {"XDG_CONFIG_HOME", folder / "config"},
          {"XDG_STATE_HOME", folder / "state"},
          {"RIDGEPOINT_UI_MAP", folder / "map.json"},
          {"CUDA_VISIBLE_DEVICES", ""},
          // What the desktop of whoever runs the tests is set to does not count.
          {"GTK_THEME", std::nullopt},
          {"DBUS_SESSION_BUS_ADDRESS", std::nullopt},
          {"XDG_RUNTIME_DIR", std::nullopt},
          // The software renderer: the same pixels everywhere, and no vertical sync to wait for.
          {"LIBGL_ALWAYS_SOFTWARE", "1"},
          {"TSAN_OPTIONS", "ignore_noninstrumented_modules=1"}};
}

}  // namespace

App::App(const Screen& screen, const TemporaryFolder& folder, std::vector<std::string> arguments,
         std::string program)
    : screen_(screen),
      map_((fs::remove(folder / "map.json"), folder / "map.json")),
      inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      program_(Launch{.arguments = std::move(arguments),
                      .environment = environment_of(screen, folder),
                      .program = std::move(program)}) {
  const auto start = Clock::now();
  inotify_add_watch(inotify_, folder.path().c_str(), IN_MOVED_TO);
  now();
  to_first_frame_ = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  wait("the devices", [](const Json& map) { return !map.at("state").at("looking").get<bool>(); });
  move_to(5, 5);  // without a window manager, keys go to the window under the pointer
}

App::~App() { ::close(inotify_); }

std::optional<App::Json> App::read() const {
  std::ifstream file(map_, std::ios::binary);
  Json map = Json::parse(file, nullptr, false);
  if (map.is_discarded()) return std::nullopt;
  return map;
}

void App::wait_for_change(int milliseconds) {
  pollfd waiting{inotify_, POLLIN, 0};
  poll(&waiting, 1, milliseconds);
  std::array<char, 4096> events;
  while (::read(inotify_, events.data(), events.size()) > 0) {
  }
}

App::Json App::wait(const std::string& what, const Wanted& wanted) {
  return insist(
      what, [] {}, wanted);
}

App::Json App::insist(const std::string& what, const std::function<void()>& action,
                      const Wanted& wanted) {
  const auto start = Clock::now();
  auto changed = start;
  auto next_try = start;
  std::optional<Json> state;
  while (true) {
    const auto map = read();
    if (map && wanted(*map)) return *map;
    const auto now = Clock::now();
    if (map && state != map->at("state")) {
      state = map->at("state");
      changed = now;
    }
    if (now > changed + patience || now > start + longest_patience) {
      FAIL("waited in vain for " << what
                                 << "; state: " << (map ? map->at("state").dump(1) : "no map"));
    }
    if (now >= next_try) {
      action();
      next_try = now + between_tries;
    }
    wait_for_change(200);
  }
}

bool App::stays_still(double seconds) {
  const Json before = now();
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    wait_for_change(static_cast<int>(left.count()) + 1);
    if (now() != before) return false;
  }
  return true;
}

Place App::control(const std::string& name) {
  const Json map =
      wait("control " + name, [&](const Json& m) { return m.at("controls").contains(name); });
  const Json& rect = map.at("controls").at(name).at("rect");
  return {rect[0], rect[1], rect[2], rect[3]};
}

Place App::plot(const std::string& panel) {
  const Json map =
      wait("plot " + panel, [&](const Json& m) { return m.at("plots").contains(panel); });
  const Json& rect = map.at("plots").at(panel).at("plot");
  return {rect[0], rect[1], rect[2], rect[3]};
}

void App::move_to(double x, double y) {
  screen_.xdotool({"mousemove", std::to_string(std::lround(x)), std::to_string(std::lround(y))});
}

void App::mouse(const std::string& action, int button) {
  screen_.xdotool({action, std::to_string(button)});
}

void App::click(const std::string& name, double across, double down) {
  const Place at = control(name);
  move_to(at.x + at.w * across, at.y + at.h * down);
  mouse("click");
}

void App::next_frame(const std::function<void()>& action) {
  const Json before = now();
  action();
  wait("a frame", [&](const Json& map) { return map.at("frame") > before.at("frame"); });
}

void App::drag(const std::vector<std::pair<double, double>>& way) {
  move_to(way.front().first, way.front().second);
  next_frame([&] { mouse("mousedown"); });
  for (const auto& [x, y] : way) move_to(x, y);
  next_frame([&] { move_to(way.back().first + 1, way.back().second); });
}

void App::key(const std::string& name) { screen_.xdotool({"key", name}); }

void App::type(const std::string& text) { screen_.xdotool({"type", "--delay", "2", text}); }

void App::wait_until_active(const std::string& name) {
  wait(name + " to take keys", [&](const Json& map) {
    const Json& controls = map.at("controls");
    return controls.contains(name) && controls.at(name).at("active").get<bool>();
  });
}

void App::wait_until_no_dialog() {
  wait("the dialog's end", [](const Json& map) { return map.at("state").at("dialog").is_null(); });
  next_frame([&] { move_to(6, 5); });
  next_frame([&] { move_to(5, 5); });
}

void App::dialog(const std::string& shortcut, const std::string& path) {
  key(shortcut);
  wait_until_active("dialog.path");
  type(path);
  wait("the typed path",
       [&](const Json& map) { return map.at("state").at("dialog").at("path") == path; });
  key("Return");
  wait_until_no_dialog();
}

Ended App::close() {
  program_.send(SIGTERM);
  return program_.finish();
}

void App::crash() {
  program_.send(SIGKILL);
  CHECK(program_.finish().signal == SIGKILL);
}

Ended App::finish() { return program_.finish(); }

fs::path settings_file(const TemporaryFolder& folder) {
  return folder.path() / "config/ridgepoint/settings.json";
}

void write_small_settings(const TemporaryFolder& folder, const nlohmann::json& more) {
  nlohmann::json settings = {{"format", "ridgepoint-settings"},
                             {"version", 1},
                             {"spec",
                              {{"device", "cpu"},
                               {"dtype", "fp32"},
                               {"fusion", "both"},
                               {"repeat", "1,16"},
                               {"elements", "1048576"},
                               {"noise", "50%"},
                               {"max-time", "200ms"}}},
                             {"x", "repeat"},
                             {"cursor", 16},
                             {"width", 1280},
                             {"height", 800},
                             {"folder", ""},
                             {"measure_on_start", false}};
  settings.merge_patch(more);
  fs::create_directories(settings_file(folder).parent_path());
  std::ofstream(settings_file(folder)) << settings.dump(1);
}
