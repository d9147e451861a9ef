// Pictures of the whole window on a machine that is made up, compared with the ones in goldens/. A
// new picture is one line in poses.cpp; a missing golden writes itself and fails once.
// RIDGEPOINT_UPDATE_GOLDENS=1 writes all anew.
#include <doctest/doctest.h>
#include <imgui.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "engine/session/session_file.hpp"
#include "tests/figures/sample_sessions.hpp"
#include "tests/window/poses.hpp"

namespace fs = std::filesystem;

namespace {

/// Of Debian 12: another one places letters otherwise.
constexpr int imgui_of_goldens = 18600;

bool update_wanted() {
  const char* update = std::getenv("RIDGEPOINT_UPDATE_GOLDENS");
  return update != nullptr && std::string_view(update) == "1";
}

void check_pose(const poses::Pose& pose, const poses::Files& files) {
  const fs::path golden = fs::path(RIDGEPOINT_WINDOW_TESTS) / "goldens" / (pose.name + ".png");
  const test::Pixels now = poses::picture_of(pose, files, RIDGEPOINT_MADE_UP_MACHINE);
  const bool missing = !fs::exists(golden);
  if (missing || update_wanted()) {
    write_png(now, golden.string());
    CHECK_MESSAGE(!missing, "there was no golden "
                                << golden << "; it has been written: look at it and add it");
    return;
  }
  const auto differs = difference(test::read_png(golden.string()), now);
  if (!differs) return;
  const fs::path written = fs::temp_directory_path() / golden.filename();
  write_png(now, written.string());
  FAIL_CHECK(written << " " << *differs << " from " << golden
                     << "; RIDGEPOINT_UPDATE_GOLDENS=1 accepts it");
}

}  // namespace

TEST_CASE("the window looks as it did in every pose") {
  if (IMGUI_VERSION_NUM != imgui_of_goldens) {
    MESSAGE("skipped: the goldens are of Dear ImGui " << imgui_of_goldens << ", this is "
                                                      << IMGUI_VERSION_NUM);
    return;
  }
  const TemporaryFolder folder;
  const poses::Files files{folder / "sweep.json", folder / "other.json", folder / "roofs.json",
                           folder / "brief.json"};
  engine::save_session(test::cpu_session(), files.sweep);
  engine::save_session(test::gpu_session(), files.other_sweep);
  engine::save_session(test::roofs_session(), files.roofs);
  engine::Session brief = test::cpu_session();
  std::erase_if(brief.points, [](const engine::Point& one) { return one.seconds.median > 0.03; });
  engine::save_session(brief, files.recording);
  for (const auto& all : {poses::gallery(), poses::corners()}) {
    for (const poses::Pose& pose : all) {
      INFO(pose.name);
      check_pose(pose, files);
    }
  }
}
