// What the window remembers from one start to the next, as JSON in the user's configuration folder.
// A broken file is set aside, never an error that keeps the window shut.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ui/model/app_state.hpp"

namespace ui {

struct Settings {
  engine::Spec spec = new_state().spec;
  XAxis x = XAxis::repeat;
  std::uint64_t cursor_repeat = new_state().cursor_repeat;
  int width = 0, height = 0;  ///< of the window, in screen coordinates; 0: the usual size
  std::string folder;
  double magnification = 1;
  bool light = false;          ///< theme of the window
  bool follow_desktop = true;  ///< it is the desktop's, where the desktop tells
  Division division;
  bool measure_on_start = true;     ///< a start without session files begins with a sweep
  std::vector<std::string> recent;  ///< sessions opened and saved, newest first
  bool ask_before_closing = true;   ///< about sweeps that were not saved
  bool tour = true;                 ///< it was not offered yet: the very first start
  std::string title{};              ///< of what is presented; empty: the lab's question
  ExportOptions exporting{};        ///< but not which chart
};

/// In $XDG_CONFIG_HOME/ridgepoint or ~/.config/ridgepoint; empty where neither variable is
/// an absolute path.
std::filesystem::path settings_path();

std::string settings_text(const Settings&);
/// What the text does not name is as without a file; the tour was offered. Throws engine::BadInput.
Settings settings_of(std::string_view text, const std::string& source);

struct LoadedSettings {
  Settings settings;
  std::string problem;      ///< one sentence when the file was broken
  bool may_measure = true;  ///< false when it was broken: perhaps it said not to
  bool keep_file = false;   ///< it cannot be read, or not be set aside: do not write over it
};
/// Without a file the defaults, in the desktop's theme.
LoadedSettings load_settings(const std::filesystem::path&);
/// Makes the folder and writes whole or not at all; keys of the file that are no settings stay, but
/// not those inside a setting. Throws engine::CannotWrite.
void save_settings(const Settings&, const std::filesystem::path&);

}  // namespace ui
