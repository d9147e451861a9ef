// What if against a measurement: one GPU is predicted from the recording of another one, and was
// measured, too.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/roofs/roofs.hpp"
#include "engine/session/session_file.hpp"
#include "engine/verdict/knee.hpp"
#include "ui/figures/figures.hpp"

using kernels::Fusion;

namespace {

engine::Session recording(const std::string& name) {
  return engine::load_session("../../assets/recordings/" + name + ".json");
}

/// As the menu What if chooses it.
ui::View view_of(const std::string& sheet) {
  const std::vector<engine::SheetDevice> sheets = engine::datasheet_devices();
  const auto chosen = std::ranges::find(sheets, sheet, &engine::SheetDevice::name);
  REQUIRE(chosen != sheets.end());
  engine::Session other;
  other.device.name = chosen->name;
  other.device.l2_bytes = chosen->cache_bytes;
  other.roofs = chosen->roofs;
  return {.what_if = std::move(other)};
}

/// The measured points of `there`, with the times that are predicted from `here`.
engine::Session predicted(const engine::Session& here, engine::Session there,
                          const std::string& sheet) {
  const ui::View view = view_of(sheet);
  for (engine::Point& point : there.points) {
    const auto guess = ui::what_if(view, here, point.what);
    REQUIRE(guess);
    CHECK(guess->of_sheet);
    point.seconds = {guess->seconds, guess->seconds, guess->seconds, {}, {}};
  }
  return there;
}

double knee_of_fused(const engine::Session& session) {
  std::vector<const engine::Point*> points;
  for (const engine::Point& point : session.points) {
    if (point.what.fusion == Fusion::fused) points.push_back(&point);
  }
  const auto knee = engine::knee_of(points);
  REQUIRE(knee);
  return knee->median;
}

/// Copies reach 84 % of the bandwidth in the datasheet of an H200 (HBM3e) and 88 % on an H100
/// (HBM3). No datasheet tells that, so predictions from one for the other are off by their ratio,
/// 5 %; another 1 % is for what else differs.
constexpr double distance = 0.06;
/// Beside the ridge memory and arithmetic hinder each other; an H200 reaches 82 % of its roofs
/// there.
constexpr double beside_ridge = 0.2;

void check_both(const std::string& from, const std::string& to, const std::string& sheet) {
  const engine::Session there = recording(to);
  const engine::Session guess = predicted(recording(from), there, sheet);
  REQUIRE(there.points.size() == 22);
  const double knee = knee_of_fused(there);
  for (std::size_t i = 0; i < there.points.size(); ++i) {
    const engine::Point& point = there.points[i];
    CAPTURE(kernels::describe(point.what));
    const double ops = static_cast<double>(point.what.repeat);
    const bool beside = point.what.fusion == Fusion::fused && ops > knee / 2 && ops < knee * 2;
    CHECK(std::abs(guess.points[i].seconds.median / point.seconds.median - 1) <
          (beside ? beside_ridge : distance));
  }
  CHECK(std::abs(knee_of_fused(guess) / knee - 1) < distance);
}

}  // namespace

TEST_CASE("What if predicts every point of an H100 from the sweep of an H200, and its knee") {
  check_both("h200", "h100", "H100 SXM5 80GB");
}

TEST_CASE("What if predicts every point of an H200 from the sweep of an H100, and its knee") {
  check_both("h100", "h200", "H200 SXM 141GB");
}
