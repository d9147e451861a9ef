// Points far below their neighbours.
#include "engine/dents.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/engine/sweeper_harness.hpp"
#include "tests/text.hpp"

using namespace engine;
using fake::Harness;
using kernels::Case;
using tests::contains;

TEST_CASE("a point far below its neighbours is measured again, and the faster time stays") {
  for (const bool for_good : {false, true}) {
    CAPTURE(for_good);
    bool over = false;
    int prepared = 0;
    fake::Script script;
    script.prepare = [&](const Case& what) { prepared += what.repeat == 2 ? 1 : 0; };
    script.seconds = [&](const Case& what) {
      over = over || what.repeat == 512;
      const bool slow = what.repeat == 2 && (for_good || !over);
      return (slow ? 2 : 1) * fake::ideal_seconds(what);
    };
    Harness h(script);
    CHECK(h.finish(h.sweeper.start(Harness::large_request({1, 2, 4, 512}))).end == End::complete);
    CHECK(prepared == 2);
    const auto points = h.points();
    REQUIRE(points.size() == (for_good ? 4 : 5));
    CHECK(points[1].seconds.median == doctest::Approx(2 * fake::ideal_seconds(points[1].what)));
    if (for_good) {
      CHECK(h.all<Warning>().empty());
      continue;
    }
    CHECK(points[4].what == points[1].what);
    CHECK(std::ranges::any_of(h.all<Progress>(), [](const Progress& progress) {
      return progress.done == 4 && progress.total == 5 && contains(progress.now, "once more");
    }));
    CHECK(points[4].run == points[1].run);
    CHECK(points[4].seconds.median == doctest::Approx(fake::ideal_seconds(points[1].what)));
    REQUIRE(h.all<Warning>().size() == 1);
    CHECK(contains(
        h.all<Warning>()[0].text,
        "fp32 fused, repeat 2 was slower than the points beside it, and measured again: "));
  }
}

TEST_CASE("a point or two in a row far below the others are dents, the ridge is none") {
  Session session;
  session.roofs = fake::roofs();
  const auto with_shares = [&](const std::vector<double>& shares) {
    session.points.clear();
    for (const double share : shares) {
      Point point;
      point.what.elements = 1 << 27;
      point.what.repeat = std::uint64_t(1) << session.points.size();
      point.work = kernels::work_of(point.what);
      point.cold = true;
      point.seconds.median = fake::ideal_seconds(point.what) / share;
      session.points.push_back(point);
    }
    std::vector<std::uint64_t> repeats;
    for (const Case& what : dents(session)) repeats.push_back(what.repeat);
    return repeats;
  };
  using Repeats = std::vector<std::uint64_t>;
  CHECK(with_shares({0.8, 0.76, 0.49, 0.48, 0.95, 0.97}) == Repeats{4, 8});
  CHECK(with_shares({0.9, 0.9, 0.9, 0.45}) == Repeats{8});
  CHECK(with_shares({0.3, 0.45, 0.6, 0.8, 0.95, 0.95}) == Repeats{1});
  CHECK(with_shares({0.95, 0.95, 0.82, 0.85, 0.95}).empty());
  CHECK(with_shares({0.55, 0.55, 0.55, 0.55, 0.95, 0.95}).empty());
}

TEST_CASE(
    "a memory roof that no point comes near is measured again, and a lower one takes its place") {
  for (const bool slower_now : {true, false}) {
    CAPTURE(slower_now);
    bool swept = false;
    fake::Script script;
    // The memory is half as fast once points are measured, or chains are slow by themselves.
    script.seconds = [&](const Case& what) {
      const bool chain = what.family == kernels::Family::chain;
      swept = swept || chain;
      const bool slow = slower_now ? swept : chain;
      return (slow ? 2 : 1) * fake::ideal_seconds(what);
    };
    Harness h(script);
    const auto request = Harness::large_request({1, 2, 3, 4});
    CHECK(h.finish(h.sweeper.start(request)).end == End::complete);
    const auto roofs = h.all<RoofMeasured>();
    const auto lower = std::ranges::find_if(roofs, [](const RoofMeasured& event) {
      return event.roof.name == "DRAM copy" && event.roof.rate < 0.6 * fake::bandwidth;
    });
    CHECK((lower != roofs.end()) == slower_now);
    const auto warnings = h.all<Warning>();
    CHECK(warnings.size() == (slower_now ? 1 : 0));
    if (slower_now && !warnings.empty())
      CHECK(contains(warnings[0].text,
                     "no point came near the DRAM copy roof, so it was measured again: 50.0 GB/s "
                     "instead of 100 GB/s"));
  }
}

TEST_CASE("roofs that come out clearly lower than those known before are named with both rates") {
  Harness h;
  engine::SweepRequest request = Harness::request();
  request.spec.experiment = "roofs";
  for (Roof& roof : request.known_roofs)
    if (roof.name == "DRAM copy") roof.rate *= 2;
  CHECK(h.finish(h.sweeper.start(request)).end == End::complete);
  const auto warnings = h.all<Warning>();
  CHECK(std::ranges::any_of(warnings, [](const Warning& warning) {
    return contains(warning.text,
                    "roofs are lower than before: DRAM copy 100 GB/s instead of 200 GB/s; cpu was "
                    "faster then");
  }));
}

TEST_CASE("where many points lie far below their neighbours none is measured again") {
  int prepared = 0;
  fake::Script script;
  script.prepare = [&](const Case&) { ++prepared; };
  script.seconds = [&](const Case& what) {
    const bool slow = what.repeat == 1 || what.repeat == 8 || what.repeat == 64 ||
                      what.repeat == 512 || what.repeat == 900;
    return (slow ? 3 : 1) * fake::ideal_seconds(what);
  };
  Harness h(script);
  const std::vector<std::uint64_t> repeats{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 700, 800, 900};
  CHECK(h.finish(h.sweeper.start(Harness::large_request(repeats))).end == End::complete);
  CHECK(h.points().size() == repeats.size());
  CHECK(prepared == static_cast<int>(repeats.size()));
}

TEST_CASE("two points do not tell which of them is wrong, and a throttled one is known to be") {
  Session session;
  session.roofs = fake::roofs();
  for (const std::uint64_t repeat : {1, 2, 4}) {
    Point point;
    point.what.elements = 1 << 27;
    point.what.repeat = repeat;
    point.work = kernels::work_of(point.what);
    point.cold = true;
    point.seconds.median = (repeat == 2 ? 2 : 1) * fake::ideal_seconds(point.what);
    session.points.push_back(point);
  }
  CHECK(dents(session) == std::vector<Case>{session.points[1].what});
  session.points[1].conditions.throttled = true;
  CHECK(dents(session).empty());
  session.points[1].conditions.throttled = false;
  session.points.pop_back();
  CHECK(dents(session).empty());
}
