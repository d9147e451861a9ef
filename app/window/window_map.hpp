// Keeps the file that RIDGEPOINT_UI_MAP names up to date: see ui/widgets/ui_map.hpp.
#pragma once

#include <filesystem>
#include <string>

#include "ui/widgets/ui_map.hpp"

namespace app {

class MapFile {
 public:
  /// Reads the environment variable; without it, write() does nothing.
  MapFile();
  /// Replaces the file when the text has changed. A folder that is gone is nobody's loss: errors
  /// are ignored.
  void write(const ui::UiMap&, const ui::AppState&);

 private:
  std::filesystem::path path_;
  std::string last_;
};

}  // namespace app
