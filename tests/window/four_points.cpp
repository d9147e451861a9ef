#include "tests/window/four_points.hpp"

#include "engine/session/session_file.hpp"
#include "tests/cli/program.hpp"
#include "tests/figures/sample_sessions.hpp"

namespace {

engine::Session session_of_four() {
  engine::Session session = test::cpu_session();
  session.points.clear();
  for (const kernels::Fusion fusion : {kernels::Fusion::fused, kernels::Fusion::unfused}) {
    for (const std::uint64_t repeat : {1, 16}) {
      session.points.push_back(test::point_at_roofs(
          session, {.fusion = fusion, .elements = 1 << 20, .repeat = repeat}, 0.9));
      session.points.back().run = 1;
    }
  }
  return session;
}

}  // namespace

const std::string& four_points() {
  static const TemporaryFolder folder;
  static const std::string file = [] {
    std::string path = folder / "four.json";
    engine::save_session(session_of_four(), path);
    return path;
  }();
  return file;
}
