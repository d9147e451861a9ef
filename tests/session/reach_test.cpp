// What a kind of kernel reaches of its roofs, and predictions at that share.
#include <doctest/doctest.h>

#include "engine/verdict/predict.hpp"
#include "tests/engine/made_results.hpp"

using engine::Reach;
using engine::Regime;
using kernels::Dtype;

namespace {

constexpr double dram = 2e10, peak = 1e12;

engine::Roof roof_of(const char* name, engine::RoofKind kind, double rate) {
  engine::Roof roof;
  roof.name = name;
  roof.kind = kind;
  roof.rate = rate;
  if (kind == engine::RoofKind::compute) {
    roof.dtype = Dtype::fp32;
    roof.units = kernels::Units::vector;
  }
  return roof;
}

/// A sweep of fp32 on a device with a ridge at 50 FLOP/byte. Left of it points reach 90 % of the
/// memory roof, right of it 70 % of the other; beside it 50 %.
engine::Session sweep() {
  test::Made made("intensity", [](engine::Point& point) {
    const double left = point.work.bytes / dram, right = point.work.flops / peak;
    const bool beside = left < 2 * right && right < 2 * left;
    const double share = beside ? 0.5 : left > right ? 0.9 : 0.7;
    point.share = engine::Share{left > right ? "DRAM copy" : "fp32 FMA", {share, {}, {}}};
    return std::max(left, right) / share;
  });
  made.session.roofs = {roof_of("DRAM copy", engine::RoofKind::bandwidth, dram),
                        roof_of("fp32 FMA", engine::RoofKind::compute, peak)};
  return made.session;
}

kernels::Case fp32(std::uint64_t repeat) {
  return {.elements = std::uint64_t{1} << 26, .repeat = repeat};
}

}  // namespace

TEST_CASE("a kind of kernel reaches the median share of its points where one roof bounds them") {
  const engine::Session session = sweep();
  const Reach reach = reach_of_kind(session, fp32(8));
  CHECK(reach.bandwidth == doctest::Approx(0.9));
  CHECK(reach.compute == doctest::Approx(0.7));
  CHECK(reach.of(Regime::bandwidth) == reach.bandwidth);
  CHECK(reach.of(Regime::compute) == reach.compute);
  CHECK(reach.of(Regime::overhead) == 0);
}

TEST_CASE(
    "points of another kind, without a roof beside them, in a cache or disturbed say nothing") {
  const auto nothing = [](const Reach& reach) {
    return reach.bandwidth == 0 && reach.compute == 0;
  };
  const engine::Session session = sweep();
  kernels::Case other = fp32(8);
  other.dtype = Dtype::fp64;
  CHECK(nothing(reach_of_kind(session, other)));
  other = fp32(8);
  other.ops = kernels::Op::mul;
  CHECK(nothing(reach_of_kind(session, other)));
  other = fp32(8);
  other.fusion = kernels::Fusion::unfused;
  CHECK(nothing(reach_of_kind(session, other)));
  const auto after = [&](auto change) {
    engine::Session changed = session;
    for (engine::Point& point : changed.points) change(point);
    return reach_of_kind(changed, fp32(8));
  };
  CHECK(nothing(after([](engine::Point& point) { point.share.reset(); })));
  CHECK(nothing(after([](engine::Point& point) { point.disturbed = true; })));
  const Reach in_cache = after([](engine::Point& point) { point.cold = false; });
  CHECK(in_cache.bandwidth == 0);
  CHECK(in_cache.compute == doctest::Approx(0.7));
}

TEST_CASE("a device with a datasheet reaches shares of that, another one of its measured roofs") {
  engine::Session session = sweep();
  const Reach without = reach_of_sheet(session, fp32(8));
  CHECK_FALSE(without.of_sheet);
  CHECK(without.bandwidth == doctest::Approx(0.9));
  CHECK(without.compute == doctest::Approx(0.7));
  const auto state = [&](const char* name, engine::RoofKind kind, double rate) {
    session.roofs.push_back(roof_of(name, kind, rate));
    session.roofs.back().source = engine::RoofSource::datasheet;
  };
  state("DRAM copy", engine::RoofKind::bandwidth, 1.25 * dram);
  CHECK_FALSE(reach_of_sheet(session, fp32(8)).of_sheet);
  state("fp32 FMA", engine::RoofKind::compute, 2 * peak);
  const Reach reach = reach_of_sheet(session, fp32(8));
  CHECK(reach.of_sheet);
  CHECK(reach.bandwidth == doctest::Approx(0.9 / 1.25));
  CHECK(reach.compute == doctest::Approx(0.7 / 2));
}

TEST_CASE("a prediction at the share that is reached takes longer by just that") {
  const engine::Session session = sweep();
  const auto seconds = [&](std::uint64_t repeat, const Reach& reach) {
    const kernels::Case what = fp32(repeat);
    return at_reach(predict(session, what, kernels::work_of(what)), reach).seconds();
  };
  const Reach reach{.bandwidth = 0.9, .compute = 0.5};
  CHECK(seconds(1, reach) == doctest::Approx(seconds(1, {}) / 0.9));
  CHECK(seconds(1024, reach) == doctest::Approx(seconds(1024, {}) / 0.5));
  CHECK(seconds(1, {.compute = 0.5}) == seconds(1, {}));
}
