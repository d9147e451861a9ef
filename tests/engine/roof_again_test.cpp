// Roofs that are measured more than once: what slowed the device meanwhile must not stay.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/fake_machine.hpp"

using namespace engine;
using fake::find_all;
using fake::Found;
using fake::Machine;
using kernels::Case;
using kernels::Family;
using kernels::Op;
using kernels::Shape;

TEST_CASE("a roof below one of its own tries is measured again, and that is said") {
  Machine machine;
  int tried = 0;
  machine.on_prepare = [&](const Case& what) {
    if (what.op != Op::fma || what.shape != Shape{{"chains", "8"}}) return;
    ++tried;  // as a shape, as the roof, as the roof again
    if (tried == 2) machine.slow = {machine.clock.now(), 1e9};
    if (tried == 3) machine.slow = {};
  };
  std::vector<Roof> roofs;
  std::vector<Point> points;
  std::vector<std::string> problems;
  RoofEvents events;
  events.roof = [&](const Roof& roof) { roofs.push_back(roof); };
  events.tried = [&](Point point) { points.push_back(std::move(point)); };
  events.problem = [&](std::string problem) { problems.push_back(std::move(problem)); };
  measure_roofs({.device = machine, .timing = machine.clock.timing()},
                {Case{.family = Family::chain, .elements = 1 << 20}}, {}, events);
  CHECK(tried == 3);
  const auto roof = std::ranges::find(roofs, "fp32 FMA", &Roof::name);
  REQUIRE(roof != roofs.end());
  CHECK(roof->rate == doctest::Approx(1e12));
  CHECK(roof->cite.find("best of 6 rounds (1.00 TFLOP/s") != std::string::npos);
  CHECK(roof->rate_low < 0.9e12);  // the rounds do not agree
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find(
            "the fp32 FMA roof was measured again: 1.00 TFLOP/s instead of 100 GFLOP/s") == 0);
  // The newest point of its case is the one that made the roof.
  const auto own = std::find_if(points.rbegin(), points.rend(), [](const Point& point) {
    return point.what.shape == Shape{{"chains", "8"}};
  });
  REQUIRE(own != points.rend());
  CHECK(own->flops_per_second() == doctest::Approx(roof->rate));
}

TEST_CASE("a repetition that fails costs nothing that is known, and is said") {
  Machine machine;
  int tried = 0;
  machine.on_prepare = [&](const Case& what) {
    if (what.op != Op::fma || what.shape != Shape{{"chains", "8"}}) return;
    if (++tried == 2) machine.slow = {machine.clock.now(), 1e9};
    if (tried >= 3) throw kernels::Unsupported("it is gone");
  };
  const Found found = find_all(machine);
  REQUIRE(found.roof("fp32 FMA") != nullptr);
  CHECK(found.roof("fp32 FMA")->rate == doctest::Approx(0.1e12));
  CHECK(std::ranges::count(found.problems,
                           "the fp32 FMA roof was not measured again: it is gone") >= 1);
}

TEST_CASE("a device that is slow for a second lowers no roof for good, and chooses no shape") {
  Machine machine;
  bool first = true;
  machine.on_prepare = [&](const Case& what) {
    if (what.op == Op::mul_add && std::exchange(first, false))
      machine.slow = {machine.clock.now(), 1e9};
    if (what.family == Family::stream) machine.slow = {};  // the level curve, long after
  };
  RoofCache cache({}, machine.info());
  const Found found = find_all(machine, &cache);
  const Roof& roof = *found.roof("fp32 mul+add");
  CHECK_FALSE(first);
  CHECK(roof.rate == doctest::Approx(1e12));
  CHECK(roof.shape == Shape{{"chains", "8"}});
  CHECK(cache.winner("fp32 mul+add") == Shape{{"chains", "8"}});
  CHECK(std::ranges::any_of(found.problems, [](const std::string& problem) {
    return problem.find("the fp32 mul+add roof was measured again: ") == 0;
  }));
}

TEST_CASE("memory that the level curve reads faster than its roof is measured again") {
  for (const double before : {0.5 * fake::dram, 0.97 * fake::dram}) {
    Machine machine;
    machine.dram_rate = before;
    machine.on_prepare = [&](const Case& what) {
      const bool curve =
          what.family == Family::stream && kernels::footprint_of(what) <= 64 * fake::kibibyte;
      if (curve) machine.dram_rate = fake::dram;
    };
    const Found found = find_all(machine);
    const bool clearly = before < 0.9 * fake::dram;  // else it may be chance
    for (const char* name : {"DRAM read", "DRAM write", "DRAM copy", "DRAM triad"}) {
      CAPTURE(name);
      CHECK(found.roof(name)->rate == doctest::Approx(clearly ? fake::dram : before));
    }
    CHECK(found.problems.empty() != clearly);
  }
}

TEST_CASE("a cancelled second look ends the experiment") {
  Machine machine;
  std::stop_source stop;
  bool levels = false;
  machine.on_prepare = [&](const Case& what) {
    levels = levels || (what.family == Family::stream && !what.shape.empty()) ||
             (what.family == Family::stream && kernels::footprint_of(what) < 1e6);
    if (levels && what.family == Family::peak) stop.request_stop();
  };
  RoofEvents events;
  events.roof = [](const Roof&) {};
  CHECK_THROWS_AS(
      measure_all_roofs(
          {.device = machine, .stop = stop.get_token(), .timing = machine.clock.timing()},
          kernels::Data::random, events),
      kernels::Cancelled);
}

TEST_CASE("a disturbed roof does not take the place of a higher one that is known") {
  Machine machine;
  machine.around.other_load = 0.9;
  std::vector<std::string> names, problems;
  RoofEvents events;
  events.roof = [&](const Roof& roof) { names.push_back(roof.name); };
  events.higher_known = [](const Roof& roof) { return roof.name == "fp32 FMA"; };
  events.problem = [&](std::string problem) { problems.push_back(std::move(problem)); };
  measure_all_roofs({.device = machine, .timing = machine.clock.timing()}, kernels::Data::random,
                    events);
  CHECK(std::ranges::count(names, "fp32 FMA") == 0);
  CHECK(std::ranges::count(names, "DRAM copy") == 1);
  CHECK(std::ranges::count_if(problems, [](const std::string& problem) {
          return problem.find("the higher rates known before stay for fp32 FMA: other work") == 0;
        }) == 1);
}
