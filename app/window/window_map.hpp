// Keeps the file that RIDGEPOINT_UI_MAP names up to date: see ui/widgets/ui_map.hpp.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "ui/widgets/ui_map.hpp"

namespace app {

class MapFile {
 public:
  /// Reads the environment variable; without it, write() does nothing.
  MapFile() {
    if (const char* path = std::getenv("RIDGEPOINT_UI_MAP")) path_ = path;
  }
  /// Replaces the file when the text has changed. A folder that is gone is nobody's loss: errors
  /// are ignored.
  void write(const ui::UiMap& map, const ui::AppState& state) {
    if (path_.empty()) return;
    std::string text = ui::ui_map_text(map, state);
    if (text == last_) return;
    last_ = std::move(text);
    // Not engine::write_file: its flush to the disk would take longer than the frame, and the file
    // is of no use later.
    std::filesystem::path next = path_;
    next += ".new";
    std::ofstream(next, std::ios::binary) << last_;
    std::error_code ignored;
    std::filesystem::rename(next, path_, ignored);
  }

 private:
  std::filesystem::path path_;
  std::string last_;
};

}  // namespace app
