// The real window on a screen, and a user of it. Places and state come from the file that
// RIDGEPOINT_UI_MAP names; waiting means waiting for that file to change.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/window/display/screen.hpp"

struct Place {
  double x = 0, y = 0, w = 0, h = 0;
};

/// The real program on a screen, with a configuration folder of its own.
class App {
 public:
  using Json = nlohmann::json;
  using Wanted = std::function<bool(const Json&)>;

  App(const Screen&, const TemporaryFolder&, std::vector<std::string> arguments = {},
      std::string program = real_program());
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// The newest map for which `wanted` holds; fails the test after a minute in which the
  /// state did not change, or five minutes in all.
  Json wait(const std::string& what, const Wanted& wanted);
  /// The same, with `action` every few seconds until it holds: for what a busy machine can miss,
  /// like two clicks that must come close together.
  Json insist(const std::string& what, const std::function<void()>& action, const Wanted& wanted);
  /// True when the map stays as it is for `seconds`.
  bool stays_still(double seconds);
  Json now() {
    return wait("a map", [](const Json&) { return true; });
  }
  Json state() { return now().at("state"); }

  Place control(const std::string& name);
  Place plot(const std::string& panel);
  void move_to(double x, double y);
  /// Waits until a text field takes keys.
  void wait_until_active(const std::string& control);
  /// Waits until the dialog has gone and ImGui has let go of its text field. Moves the pointer
  /// away.
  void wait_until_no_dialog();
  /// Clicks at these shares of a control's width and height.
  void click(const std::string& control, double across = 0.5, double down = 0.5);
  /// Acts, and waits until the window has drawn what follows from it.
  void next_frame(const std::function<void()>& action);
  /// Presses at the first place and moves on to the last; the button stays down.
  void drag(const std::vector<std::pair<double, double>>& way);
  void key(const std::string& name);
  void type(const std::string& text);
  void mouse(const std::string& action, int button = 1);
  /// Opens a dialog with `shortcut`, types a path, confirms; waits until it has closed.
  void dialog(const std::string& shortcut, const std::string& path);

  /// From the start of the program to its first frame.
  double milliseconds_to_first_frame() const { return to_first_frame_; }
  int process() const { return program_.process(); }

  /// Ends it as Ctrl-C does.
  Ended close();
  /// Ends it without a chance to do anything about it.
  void crash();
  /// Waits until it has ended by itself.
  Ended finish();

 private:
  std::optional<Json> read() const;
  void wait_for_change(int milliseconds);

  const Screen& screen_;
  std::filesystem::path map_;
  int inotify_ = -1;
  Program program_;
  double to_first_frame_ = 0;
};

/// Settings of a sweep that takes a second: four small cases. `more` is merged over them.
void write_small_settings(const TemporaryFolder&,
                          const nlohmann::json& more = nlohmann::json::object());
std::filesystem::path settings_file(const TemporaryFolder&);
