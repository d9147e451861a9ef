// Pictures of the real window, not tests: scripts/gallery.sh names the session files and the folder
// in RIDGEPOINT_GALLERY_SWEEP, RIDGEPOINT_GALLERY_ROOFS and RIDGEPOINT_GALLERY.
#include <doctest/doctest.h>

#include <cstdlib>
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
                           from_environment("RIDGEPOINT_GALLERY_ROOFS")};
  const std::string folder = from_environment("RIDGEPOINT_GALLERY");
  for (const poses::Pose& pose : poses::gallery()) {
    INFO(pose.name);
    write_png(poses::picture_of(pose, files), folder + "/" + pose.name + ".png");
  }
}
