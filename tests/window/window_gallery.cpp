// Pictures of the real window, not tests: scripts/gallery.sh names the session files and the folder
// in RIDGEPOINT_GALLERY_SWEEP, RIDGEPOINT_GALLERY_ROOFS, RIDGEPOINT_GALLERY_LABS (several) and
// RIDGEPOINT_GALLERY.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "tests/window/poses.hpp"

namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  REQUIRE_MESSAGE(value != nullptr, name << " is not set: run scripts/gallery.sh");
  return value;
}

}  // namespace

TEST_CASE("the pictures of the gallery") {
  const poses::Files files{from_environment("RIDGEPOINT_GALLERY_SWEEP"), "",
                           from_environment("RIDGEPOINT_GALLERY_ROOFS"),
                           from_environment("RIDGEPOINT_GALLERY_SWEEP")};
  const std::string folder = from_environment("RIDGEPOINT_GALLERY");
  const auto take = [&](const poses::Pose& pose, const poses::Files& of) {
    INFO(pose.name);
    write_png(poses::picture_of(pose, of), folder + "/" + pose.name + ".png");
  };
  for (const poses::Pose& pose : poses::gallery()) {
    if (pose.name != "window-lab") take(pose, files);  // each lab has its own below
  }
  // One session file for each lab: NAME-lab-LAB.json.
  std::istringstream recordings(from_environment("RIDGEPOINT_GALLERY_LABS"));
  for (std::string file; recordings >> file;) {
    const std::string lab = std::filesystem::path(file).stem().string();
    const std::string name = "window-lab-" + lab.substr(lab.rfind("-lab-") + 5);
    take({name}, {file, "", "", ""});
  }
}
