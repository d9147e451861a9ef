// All roofs of a device whose kernels have shapes, caches and faults that each test decides.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/roofs/fake_machine.hpp"

using namespace engine;
using fake::dram;
using fake::find_all;
using fake::Found;
using fake::Machine;
using kernels::Case;
using kernels::Dtype;
using kernels::Op;
using kernels::Shape;
using kernels::Units;

TEST_CASE("the experiment finds every roof that the device's kernels measure") {
  Machine machine;
  const Found found = find_all(machine);
  std::vector<std::string> names;
  for (const Roof& roof : found.roofs) names.push_back(roof.name);
  CHECK(names == std::vector<std::string>{"DRAM read", "DRAM write", "DRAM copy", "DRAM triad",
                                          "launch", "launch graph", "fp32 FMA", "fp32 mul+add",
                                          "bf16 library", "L1", "L2", "L3"});
  CHECK(found.problems.empty());
  CHECK(found.roof("DRAM triad")->rate == doctest::Approx(dram));
  CHECK(found.roof("L1")->rate == doctest::Approx(400e9));
  CHECK(found.roof("L3")->rate == doctest::Approx(100e9));
  CHECK(found.roof("launch")->rate == doctest::Approx(0.5e6));
  CHECK(found.roof("launch graph")->rate == doctest::Approx(1e6));
  CHECK(found.roof("fp32 mul+add")->rate == doctest::Approx(1e12));
  CHECK(found.roof("bf16 library")->rate == doctest::Approx(3e12));
}

TEST_CASE("the roof is that of the fastest shape, and every shape tried is a point") {
  Machine machine;
  const Found found = find_all(machine);
  const Roof& roof = *found.roof("fp32 FMA");
  CHECK(roof.rate == doctest::Approx(1e12));
  CHECK(roof.shape == Shape{{"chains", "8"}});
  CHECK(roof.cite.find("chains 8") != std::string::npos);
  const auto tries = found.shapes_of(Op::fma);
  for (const char* chains : {"2", "4", "8", "16"}) {
    CHECK(std::ranges::any_of(tries, [&](const Point& point) {
      return point.what.shape == Shape{{"chains", chains}} && point.status == Status::ok;
    }));
  }
}

TEST_CASE("a kernel that the device lacks is a skipped point with the reason") {
  Machine machine;
  const Found found = find_all(machine);
  CHECK(found.roof("fp16 FMA") == nullptr);
  const auto skipped = std::ranges::find(found.points, Status::skipped, &Point::status);
  REQUIRE(skipped != found.points.end());
  CHECK(skipped->what.dtype == Dtype::fp16);
  CHECK(skipped->why == "no fp16 FMA roof: no fp16 arithmetic here");
}

TEST_CASE("where memory is so short that caches hold the working set there is no roof of DRAM") {
  Machine machine;
  machine.free = 48 * fake::mebibyte;  // half of it is less than the caches
  const Found found = find_all(machine);
  CHECK(found.roof("DRAM copy") == nullptr);
  CHECK(found.roof("fp32 FMA") != nullptr);
  CHECK(std::ranges::any_of(found.problems, [](const std::string& problem) {
    return problem.starts_with("no DRAM copy roof: with 48 MiB of free memory") &&
           problem.find("raise the memory limit") != std::string::npos;
  }));
  machine.free = 16e9;
  CHECK(find_all(machine).roof("DRAM copy") != nullptr);
}

TEST_CASE("a memory that seems faster than the cache above it is marked, and the reason is said") {
  Machine machine;
  CHECK_FALSE(find_all(machine).roof("DRAM copy")->partly_cached);
  machine.copies = 3;
  const Found found = find_all(machine);
  CHECK(flag_of(*found.roof("DRAM copy")) == in_cache_flag);
  CHECK(std::ranges::any_of(found.problems, [](const std::string& problem) {
    return problem.starts_with("DRAM copy (150 GB/s) is faster than L3 (100 GB/s)");
  }));
}

TEST_CASE("a shape that does not exist is a skipped point, and the search goes on") {
  Machine machine;
  machine.on_prepare = [](const Case& what) {
    if (what.shape == Shape{{"chains", "4"}}) throw kernels::Unsupported("no room for 4");
  };
  const Found found = find_all(machine);
  CHECK(found.roof("fp32 FMA")->shape == Shape{{"chains", "8"}});
  CHECK(std::ranges::any_of(found.points, [](const Point& point) {
    return point.status == Status::skipped && point.why == "no room for 4";
  }));
}

TEST_CASE("memory roofs are measured over more where a cache holds their working set") {
  Machine machine;
  machine.hidden_cache = 300 * fake::mebibyte;
  const Found found = find_all(machine);
  REQUIRE(found.roof("DRAM copy") != nullptr);
  CHECK(found.roof("DRAM copy")->rate == doctest::Approx(dram));
  REQUIRE_FALSE(found.problems.empty());
  CHECK(found.problems[0] ==
        "caches of this machine hold part of a working set of 256 MiB, so the memory roofs were "
        "measured over 512 MiB; sweep chains with --elements 67108864 to measure memory alone");
}

TEST_CASE("2 GiB are another working set of a GPU's memory, and the faster one gives the roof") {
  Machine machine;
  machine.make_gpu();
  machine.launch_seconds = 4e-6;  // 0.5 GiB take 10.7 ms here
  const Found found = find_all(machine);
  const Roof* roof = found.roof("DRAM copy");
  REQUIRE(roof != nullptr);
  CHECK(roof->cite.find("2 GiB moved") != std::string::npos);
  const auto copies = found.shapes_of(Op::copy);
  for (const double gibibytes : {0.5, 2.0}) {
    CAPTURE(gibibytes);
    CHECK(std::ranges::any_of(copies, [&](const Point& point) {
      return kernels::footprint_of(point.what) == gibibytes * 1024 * fake::mebibyte;
    }));
  }
  machine.free = 3e9;  // no room for it
  CHECK(find_all(machine).roof("DRAM copy")->cite.find("512 MiB moved") != std::string::npos);
  Machine cpu;
  CHECK(find_all(cpu).roof("DRAM copy")->cite.find("2 GiB") == std::string::npos);
}

TEST_CASE("the slices of a GPU's L2 have a roof where it differs from that of the L2") {
  for (const double share : {0.8, 0.97, 1.0}) {
    CAPTURE(share);
    Machine machine;
    machine.make_gpu();
    machine.read_past_l1(share);
    const Found found = find_all(machine);
    const Roof* l2 = found.roof("L2");
    const Roof* slices = found.roof("L2 slices");
    REQUIRE(l2 != nullptr);
    CHECK(l2->rate == doctest::Approx(200e9));
    CHECK((slices != nullptr) == (share < 0.95));
    if (slices != nullptr) CHECK(slices->rate == doctest::Approx(0.8 * 200e9));
  }
}

TEST_CASE("roofs that others disturbed in every round are named") {
  Machine machine;
  machine.around.other_load = 0.5;
  const Found found = find_all(machine);
  REQUIRE_FALSE(found.problems.empty());
  CHECK(found.problems.back().starts_with("unreliable, since other work or a throttled clock"));
  CHECK(found.problems.back().find("DRAM copy, ") != std::string::npos);
  CHECK(flag_of(*found.roof("DRAM copy")) == "disturbed");
  machine.around.other_load = 0;
  machine.around.throttled = true;
  CHECK(flag_of(*find_all(machine).roof("DRAM copy")) == "throttled");
  machine.around.throttled = false;
  CHECK(find_all(machine).problems.empty());
  CHECK(flag_of(*find_all(machine).roof("DRAM copy")).empty());
}

TEST_CASE("a level without a plateau of its own is left out with a reason") {
  Machine machine;
  machine.l3_rate = dram;
  const Found found = find_all(machine);
  CHECK(found.roof("L3") == nullptr);
  CHECK(found.roof("L2") != nullptr);
  REQUIRE(found.problems.size() == 1);
  CHECK(found.problems[0].find("no L3 roof: it is no faster than") == 0);
}

TEST_CASE("a warm cache skips the search, measures the roof again and shows the tries") {
  Machine machine;
  RoofCache cache({}, machine.info());
  const Found cold = find_all(machine, &cache);
  machine.prepared.clear();
  const double before = machine.clock.now();
  const Found warm = find_all(machine, &cache);
  CHECK(machine.clock.now() > before);
  CHECK(machine.prepared["chains 4"] == 0);
  CHECK(machine.prepared["chains 8"] == 2);  // with and without FMA
  CHECK(warm.roofs.size() == cold.roofs.size());
  CHECK(warm.roof("fp32 FMA")->shape == Shape{{"chains", "8"}});
  CHECK(std::ranges::any_of(warm.points, [](const Point& point) {
    return point.what.shape == Shape{{"chains", "4"}} && point.status == Status::ok && point.cached;
  }));
  machine.prepared.clear();
  const Found again = find_all(machine, &cache, true);
  CHECK(machine.prepared["chains 4"] > 0);
  CHECK(std::ranges::none_of(again.points, &Point::cached));
}

TEST_CASE("the level curve is measured every time") {
  Machine machine;
  RoofCache cache({}, machine.info());
  find_all(machine, &cache);
  machine.l3_rate = 120e9;
  CHECK(find_all(machine, &cache).roof("L3")->rate == doctest::Approx(120e9));
}

TEST_CASE("a remembered shape that the default one beats is searched again") {
  Machine machine;
  RoofCache cache({}, machine.info());
  find_all(machine, &cache);
  machine.fastest_chains = "2";
  const Found found = find_all(machine, &cache);
  CHECK(found.roof("fp32 FMA")->shape == Shape{{"chains", "2"}});
  CHECK(found.roof("fp32 FMA")->rate == doctest::Approx(1e12));
  CHECK(cache.winner("fp32 FMA") == Shape{{"chains", "2"}});
}

TEST_CASE("a search that ran out of time serves now and is not kept") {
  Machine machine;
  machine.on_prepare = [&](const Case& what) {
    if (what.shape == Shape{{"chains", "8"}}) machine.clock.pass(1);
  };
  RoofCache cache({}, machine.info());
  const Found found = find_all(machine, &cache);
  CHECK(found.roof("fp32 FMA")->shape == Shape{{"chains", "8"}});
  CHECK_FALSE(cache.winner("fp32 FMA").has_value());
}

TEST_CASE("a roof measured while others work says so, and its shape is not kept") {
  Machine machine;
  machine.around.other_load = 0.9;
  RoofCache cache({}, machine.info());
  const Found found = find_all(machine, &cache);
  CHECK(found.roof("fp32 FMA")->cite.find("other work used the device") != std::string::npos);
  CHECK_FALSE(cache.winner("fp32 FMA").has_value());
}

TEST_CASE("a finalist that fails at full size is a row, and another one gives the roof") {
  Machine machine;
  machine.fastest_chains = "";  // all alike: three finalists
  int prepared = 0;
  machine.on_prepare = [&](const Case& what) {
    if (what.op() != Op::fma || what.shape != Shape{{"chains", "4"}}) return;
    if (++prepared > 1) throw std::bad_alloc();
  };
  const Found found = find_all(machine);
  REQUIRE(found.roof("fp32 FMA") != nullptr);
  CHECK(found.roof("fp32 FMA")->shape != Shape{{"chains", "4"}});
  CHECK(std::ranges::count(found.shapes_of(Op::fma), Status::failed, &Point::status) == 1);
  CHECK(found.problems.empty());
}

TEST_CASE("the shapes of a roof that could not be measured are kept as points with the reasons") {
  Machine machine;
  machine.on_prepare = [](const Case& what) {
    if (what.op() == Op::fma) throw kernels::Unsupported("no room for it");
  };
  const Found found = find_all(machine);
  CHECK(found.roof("fp32 FMA") == nullptr);
  CHECK(std::ranges::any_of(found.shapes_of(Op::fma), [](const Point& point) {
    return !point.what.shape.empty() && point.why == "no room for it";
  }));
}

TEST_CASE("roofs on zeros say so in their names, and bound no sweep") {
  Machine machine;
  RoofCache cache({}, machine.info());
  const Found zeros = find_all(machine, &cache, false, kernels::Data::zeros);
  CHECK(zeros.roof("fp32 FMA") == nullptr);
  const Roof* roof = zeros.roof("fp32 FMA, zeros");
  REQUIRE(roof != nullptr);
  CHECK(roof->data == kernels::Data::zeros);
  CHECK(zeros.roof("L2, zeros") != nullptr);
  CHECK(zeros.roof("launch") != nullptr);
  CHECK_FALSE(cache.winner("fp32 FMA").has_value());
  Session session;
  session.roofs = zeros.roofs;
  CHECK(bandwidth_roof(session, RoofSource::measured) == nullptr);
  CHECK(compute_roof(session, Dtype::fp32, Units::vector, RoofSource::measured) == nullptr);
  // A sweep on zeros is held against the roofs that everybody knows.
  Case what;
  what.data = kernels::Data::zeros;
  const Found sweep = fake::find_beside(machine, what, zeros.roofs);
  REQUIRE(sweep.roof("fp32 FMA") != nullptr);
  CHECK(sweep.roof("fp32 FMA")->data == kernels::Data::random);
}

TEST_CASE("launch means the same in a sweep and in the experiment: one after the other") {
  Machine machine;
  const Found sweep = fake::find_beside(machine, Case{}, {});
  REQUIRE(sweep.roof("launch") != nullptr);
  CHECK(sweep.roof("launch")->rate == doctest::Approx(find_all(machine).roof("launch")->rate));
}

TEST_CASE("a cached shape that no longer runs is searched again") {
  Machine machine;
  RoofCache cache({}, machine.info());
  find_all(machine, &cache);
  machine.on_prepare = [](const Case& what) {
    if (what.shape == Shape{{"chains", "8"}}) throw kernels::Unsupported("gone");
  };
  const Found found = find_all(machine, &cache);
  REQUIRE(found.roof("fp32 FMA") != nullptr);
  CHECK(found.roof("fp32 FMA")->shape != Shape{{"chains", "8"}});
}

TEST_CASE("out of memory, or a fault, costs the roof it hits and no other") {
  Machine machine;
  machine.on_prepare = [](const Case& what) {
    if (what.op() == Op::copy) throw std::bad_alloc();
    if (what.op() == Op::mul_add) throw std::runtime_error("the driver is confused");
  };
  const Found found = find_all(machine);
  CHECK(found.roof("DRAM copy") == nullptr);
  CHECK(found.roof("DRAM triad") != nullptr);
  CHECK(found.roof("fp32 FMA") != nullptr);
  CHECK(found.problems.size() == 2);
}

TEST_CASE("a device lost in the middle ends it") {
  Machine machine;
  machine.on_prepare = [](const Case& what) {
    if (what.op() == Op::triad) throw kernels::DeviceLost("gone");
  };
  CHECK_THROWS_AS(find_all(machine), kernels::DeviceLost);
}
