// Folders of ui/ include themselves and those before them in the order of ARCHITECTURE.md alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

namespace fs = std::filesystem;

namespace {

constexpr std::array order{"ui/plot",    "ui/plot/output", "ui/figures",  "ui/pages",
                           "ui/model",   "ui/screen",      "ui/autosave", "ui/actions",
                           "ui/widgets", "ui/views",       "ui/dialogs",  "ui/panels"};

auto place_of(const std::string& folder) { return std::ranges::find(order, folder); }

}  // namespace

TEST_CASE("no folder of the user interface includes one that is above it") {
  const fs::path root = fs::path(RIDGEPOINT_WORDS).parent_path().parent_path();
  std::size_t includes = 0;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(root / "ui")) {
    const std::string ending = file.path().extension().string();
    if (ending != ".cpp" && ending != ".hpp") continue;
    const std::string folder = file.path().parent_path().lexically_relative(root).string();
    CAPTURE(file.path().string());
    REQUIRE(place_of(folder) != order.end());
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);) {
      constexpr std::string_view begin = "#include \"";
      if (!line.starts_with(begin)) continue;
      const fs::path included = line.substr(begin.size(), line.rfind('"') - begin.size());
      if (!included.string().starts_with("ui/")) continue;
      CAPTURE(line);
      CHECK(place_of(included.parent_path().string()) <= place_of(folder));
      ++includes;
    }
  }
  CHECK(includes > 100);
}
