// Whether the desktop is light or dark, as its settings portal tells: the D-Bus interface
// org.freedesktop.portal.Settings, asked through whichever D-Bus program is there.
#pragma once

#include <optional>
#include <string_view>

#include "app/jobs/child.hpp"

namespace app {

/// True for light, false for dark, nothing for no answer. `text` is what gdbus, busctl or dbus-send
/// print of the setting "color-scheme": 1 prefers dark, 2 prefers light, and 0, no preference, is
/// what light desktops without the choice say.
std::optional<bool> light_of_reply(std::string_view text);

/// Asks and never waits.
class DesktopTheme {
 public:
  /// A question on its way is not asked again; without a session bus or a program there is none.
  void ask();
  bool busy() const { return child_.running(); }
  /// True for light, once for every question that was answered.
  std::optional<bool> answer();

 private:
  Child child_{Child::AtEnd::killed};
  File reply_;
};

}  // namespace app
