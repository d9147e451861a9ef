// All roofs of a device whose kernels have shapes, caches and faults that each test decides.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/roofs.hpp"
#include "tests/engine/fake_device.hpp"

using namespace engine;
using kernels::Case;
using kernels::Dtype;
using kernels::Family;
using kernels::Op;
using kernels::Shape;
using kernels::Units;

namespace {

constexpr double kibibyte = 1024;
constexpr double mebibyte = 1024 * kibibyte;
constexpr double dram = 50e9;

/// Four streams, peaks of fp32 with and without FMA, one peak that it lacks, launches by stream or
/// graph; peaks run fastest with 8 chains.
class Machine : public kernels::Device {
 public:
  fake::Clock clock;
  std::map<std::string, int> prepared;  // by shape
  double l3_rate = 100e9;
  std::string fastest_chains = "8";  // twice as fast as the others; empty: all alike
  std::function<void(const Case&)> on_prepare = [](const Case&) {};
  kernels::Conditions around;
  struct Interval {
    double from = 0, to = 0;  // s
    bool contains(double now) const { return now >= from && now < to; }
  } slow;  // peaks are ten times slower meanwhile, and nothing tells

  Machine() {
    info_.id = info_.kind = "cpu";
    info_.name = "Machine";
    info_.multiprocessors = 2;
    info_.l1_bytes = 32 * kibibyte;
    info_.l2_bytes = mebibyte;
    info_.l3_bytes = 32 * mebibyte;
    for (const Op op : {Op::read, Op::write, Op::copy, Op::triad}) add(Family::stream, op);
    add(Family::launch, Op::none);
    for (const Op op : {Op::mul, Op::add, Op::fma, Op::mul_add}) add(Family::peak, op);
    add(Family::peak, Op::fma, Dtype::fp16, "no fp16 arithmetic here");
    rows_.push_back({.family = Family::peak,
                     .op = Op::gemm,
                     .dtype = Dtype::bf16,
                     .units = Units::matrix,
                     .note = "library"});
  }
  const kernels::DeviceInfo& info() const override { return info_; }
  std::span<const kernels::Kernel> kernels() const override { return rows_; }
  std::vector<kernels::ShapeAxis> shape_axes(const Case& what) const override {
    if (what.family == Family::launch) return {{"launch", {"stream", "graph"}}};
    if (what.family == Family::peak && what.op != Op::gemm)
      return {{"chains", {"2", "4", "8", "16"}}};
    return {};
  }
  std::unique_ptr<kernels::Trial> prepare(const Case&, std::stop_token) override;
  kernels::Conditions conditions() override { return around; }
  double free_bytes() const override { return 16e9; }

  double seconds_of(const Case& what) const {
    const kernels::Work work = kernels::work_of(what);
    if (what.family == Family::launch) {
      return work.launches * (what.shape == Shape{{"launch", "graph"}} ? 1e-6 : 2e-6);
    }
    if (what.family == Family::peak && slow.contains(clock.now())) return work.flops / 0.1e12;
    if (what.family == Family::stream) return work.bytes / rate_of(kernels::footprint_of(what));
    const std::string chains = what.shape.empty() ? "2" : what.shape[0].value;
    const bool fast = fastest_chains.empty() || chains == fastest_chains;
    return work.flops / (fast ? 1e12 : 0.5e12);
  }

 private:
  void add(Family family, Op op, Dtype dtype = Dtype::fp32, std::string why_not = "") {
    rows_.push_back({.family = family,
                     .op = op,
                     .dtype = dtype,
                     .runs = why_not.empty(),
                     .why_not = std::move(why_not),
                     .note = "kernel"});
  }
  double rate_of(double bytes) const {
    return bytes <= 64 * kibibyte   ? 400e9
           : bytes <= 2 * mebibyte  ? 200e9
           : bytes <= 32 * mebibyte ? l3_rate
                                    : dram;
  }

  kernels::DeviceInfo info_;
  std::vector<kernels::Kernel> rows_;
};

class MachineTrial : public kernels::Trial {
 public:
  MachineTrial(Machine& machine, Case what) : machine_(machine), what_(std::move(what)) {}
  double run(std::stop_token) override {
    const double seconds = what_.op == Op::gemm ? 1e-3 : machine_.seconds_of(what_);
    machine_.clock.pass(seconds);
    return seconds;
  }
  kernels::Work work() const override {
    return what_.op == Op::gemm ? kernels::Work{.flops = 3e9} : kernels::work_of(what_);
  }
  kernels::Check verify(std::stop_token) override { return {true, ""}; }
  bool cold() const override { return kernels::footprint_of(what_) > 32 * mebibyte; }

 private:
  Machine& machine_;
  Case what_;
};

std::unique_ptr<kernels::Trial> Machine::prepare(const Case& what, std::stop_token) {
  on_prepare(what);
  ++prepared[kernels::text_of(what.shape)];
  Case shaped = what;
  if (what.family == Family::peak) shaped.elements = 4096;
  return std::make_unique<MachineTrial>(*this, shaped);
}

struct Found {
  std::vector<Roof> roofs;
  std::vector<Point> points;
  std::vector<std::string> problems;

  const Roof* roof(const std::string& name) const {
    const auto found = std::ranges::find(roofs, name, &Roof::name);
    return found == roofs.end() ? nullptr : &*found;
  }
  std::vector<Point> shapes_of(Op op) const {
    std::vector<Point> all;
    std::ranges::copy_if(points, std::back_inserter(all),
                         [&](const Point& point) { return point.what.op == op; });
    return all;
  }
};

Found find_all(Machine& machine, RoofCache* cache = nullptr, bool remeasure = false,
               kernels::Data data = kernels::Data::random) {
  Found found;
  RoofEvents events;
  events.roof = [&](const Roof& roof) {
    const auto known = std::ranges::find(found.roofs, roof.name, &Roof::name);
    if (known == found.roofs.end())
      found.roofs.push_back(roof);
    else
      *known = roof;
  };
  events.tried = [&](Point point) { found.points.push_back(std::move(point)); };
  events.problem = [&](std::string problem) { found.problems.push_back(std::move(problem)); };
  measure_all_roofs(
      {.device = machine, .timing = machine.clock.timing(), .cache = cache, .remeasure = remeasure},
      data, events);
  return found;
}

}  // namespace

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

TEST_CASE("a kernel that the device lacks is a skipped point with the reason") {
  Machine machine;
  const Found found = find_all(machine);
  CHECK(found.roof("fp16 FMA") == nullptr);
  const auto skipped = std::ranges::find(found.points, Status::skipped, &Point::status);
  REQUIRE(skipped != found.points.end());
  CHECK(skipped->what.dtype == Dtype::fp16);
  CHECK(skipped->why == "no fp16 FMA roof: no fp16 arithmetic here");
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

TEST_CASE("a level without a plateau of its own is left out with a reason") {
  Machine machine;
  machine.l3_rate = dram;
  const Found found = find_all(machine);
  CHECK(found.roof("L3") == nullptr);
  CHECK(found.roof("L2") != nullptr);
  REQUIRE(found.problems.size() == 1);
  CHECK(found.problems[0].find("no L3 roof: from it comes no more than") == 0);
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
  CHECK(machine.prepared["chains 8"] == 4);  // with and without FMA, and both once more
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

TEST_CASE("a roof measured while others work is said to be unreliable, and its shape is not kept") {
  Machine machine;
  machine.around.other_load = 0.9;
  RoofCache cache({}, machine.info());
  const Found found = find_all(machine, &cache);
  CHECK(found.roof("fp32 FMA")->cite.find("other work took a share") != std::string::npos);
  REQUIRE(found.problems.size() == 1);
  CHECK(found.problems[0].find("do not rely on these roofs (DRAM read, DRAM write,") == 0);
  CHECK(found.problems[0].find(", fp32 FMA,") != std::string::npos);
  CHECK_FALSE(cache.winner("fp32 FMA").has_value());
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

TEST_CASE("a finalist that fails at full size is a row, and another one gives the roof") {
  Machine machine;
  machine.fastest_chains = "";  // all alike: three finalists
  int prepared = 0;
  machine.on_prepare = [&](const Case& what) {
    if (what.op != Op::fma || what.shape != Shape{{"chains", "4"}}) return;
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
    if (what.op == Op::fma) throw kernels::Unsupported("no room for it");
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
  Found sweep;
  RoofEvents events;
  events.roof = [&](const Roof& one) { sweep.roofs.push_back(one); };
  Case what;
  what.data = kernels::Data::zeros;
  measure_roofs({.device = machine, .timing = machine.clock.timing()}, {what}, zeros.roofs, events);
  REQUIRE(sweep.roof("fp32 FMA") != nullptr);
  CHECK(sweep.roof("fp32 FMA")->data == kernels::Data::random);
}

TEST_CASE("launch means the same in a sweep and in the experiment: one after the other") {
  Machine machine;
  Found sweep;
  RoofEvents events;
  events.roof = [&](const Roof& one) { sweep.roofs.push_back(one); };
  measure_roofs({.device = machine, .timing = machine.clock.timing()}, {Case{}}, {}, events);
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
    if (what.op == Op::copy) throw std::bad_alloc();
    if (what.op == Op::mul_add) throw std::runtime_error("the driver is confused");
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
    if (what.op == Op::triad) throw kernels::DeviceLost("gone");
  };
  CHECK_THROWS_AS(find_all(machine), kernels::DeviceLost);
}
