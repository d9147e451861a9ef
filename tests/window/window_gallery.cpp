// Pictures of the real window, not tests: scripts/gallery.sh names the session files and the folder
// in RIDGEPOINT_GALLERY_SWEEP, RIDGEPOINT_GALLERY_ROOFS, RIDGEPOINT_GALLERY_CPU (a sweep),
// RIDGEPOINT_GALLERY_LABS (several) and RIDGEPOINT_GALLERY.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "engine/session/session_file.hpp"
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
  const poses::Files cpu{from_environment("RIDGEPOINT_GALLERY_CPU"), "", "", ""};
  const std::string folder = from_environment("RIDGEPOINT_GALLERY");
  const auto take = [&](const poses::Pose& pose, const poses::Files& of) {
    INFO(pose.name);
    write_png(poses::picture_of(pose, of), folder + "/" + pose.name + ".png");
  };
  // What if asks for another device than the one that was measured.
  const bool is_h200 =
      engine::load_session(files.sweep).device.name.find("H200") != std::string::npos;
  const std::string what_if = is_h200 ? "H100 SXM5 80GB" : "H200 SXM 141GB";
  for (const poses::Pose& pose : poses::gallery(what_if)) {
    if (pose.name != "window-lab") take(pose, files);  // each lab has its own below
  }
  for (poses::Pose pose : poses::gallery()) {
    if (pose.name != "window" && pose.name != "window-what-if") continue;
    pose.name.insert(std::string("window").size(), "-cpu");
    take(pose, cpu);
  }
  // One session file for each lab of a machine: MACHINE-lab-LAB.json. The first machine's pictures
  // do not have its name.
  std::istringstream recordings(from_environment("RIDGEPOINT_GALLERY_LABS"));
  std::set<std::string> labs;
  for (std::string file; recordings >> file;) {
    const std::string stem = std::filesystem::path(file).stem().string();
    const std::size_t end = stem.rfind("-lab-");
    const std::string lab = stem.substr(end + 1);
    const bool first = labs.insert(lab).second;
    take({(first ? "" : stem.substr(0, end) + "-") + "window-" + lab}, {file, "", "", ""});
  }
}
