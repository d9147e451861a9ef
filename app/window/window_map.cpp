#include "app/window/window_map.hpp"

#include <cstdlib>
#include <fstream>
#include <system_error>

namespace app {

MapFile::MapFile() {
  if (const char* path = std::getenv("RIDGEPOINT_UI_MAP")) path_ = path;
}

void MapFile::write(const ui::UiMap& map, const ui::AppState& state) {
  if (path_.empty()) return;
  std::string text = ui::ui_map_text(map, state);
  if (text == last_) return;
  last_ = std::move(text);
  // Not engine::write_file: its flush to the disk would take longer than the frame, and the file is
  // of no use later.
  std::filesystem::path next = path_;
  next += ".new";
  std::ofstream(next, std::ios::binary) << last_;
  std::error_code ignored;
  std::filesystem::rename(next, path_, ignored);
}

}  // namespace app
