#include "engine/roofs/roofs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/roofs/roof_tasks.hpp"
#include "engine/verdict/predict.hpp"
#include "tests/engine/fake_device.hpp"
#include "tests/session/examples.hpp"

using namespace engine;
using kernels::Case;
using kernels::Dtype;
using kernels::Family;
using kernels::Op;
using kernels::Units;

namespace {

constexpr std::uint64_t peak_elements = 1024;  // the shape that the device below picks

/// Runs at the roofs of `examples`; what differs is up to each test.
class Bench : public kernels::Device {
 public:
  std::map<std::string, int> runs;  // by name of the family
  double slow_until = 0;            // runs of a family before it reaches its speed
  bool right = true;
  bool in_cache = false;
  std::string lost_at;  // family at which the device is lost
  std::vector<kernels::Kernel> rows;
  fake::Clock clock;

  Bench() {
    info_.id = info_.kind = "cpu";
    info_.l3_bytes = 1 << 20;
    add({.family = Family::stream, .op = Op::copy, .note = "non-temporal"});
    add({.family = Family::launch, .op = Op::none});
    for (const Op op : {Op::mul, Op::add, Op::fma}) add({.family = Family::peak, .op = op});
    add({.family = Family::peak, .op = Op::mma, .dtype = Dtype::bf16, .units = Units::matrix});
    add({.family = Family::peak, .dtype = Dtype::fp64, .runs = false, .why_not = "no fp64 here"});
  }
  const kernels::DeviceInfo& info() const override { return info_; }
  std::span<const kernels::Kernel> kernels() const override { return rows; }
  std::unique_ptr<kernels::Trial> prepare(const Case&, std::stop_token) override;
  kernels::Conditions conditions() override {
    kernels::Conditions now;
    now.clock_hz = readings_++ % 7 == 3 ? 3.1e9 : 3e9;
    return now;
  }
  double free_bytes() const override { return 16e9; }

 private:
  void add(kernels::Kernel row) { rows.push_back(std::move(row)); }

  kernels::DeviceInfo info_;
  int readings_ = 0;
};

class BenchTrial : public kernels::Trial {
 public:
  BenchTrial(Bench& bench, Case what) : bench_(bench), what_(what) {
    if (what_.family == Family::peak && what_.elements == 0) what_.elements = peak_elements;
  }
  kernels::Sample run(std::stop_token stop) override {
    if (stop.stop_requested()) throw kernels::Cancelled();
    const std::string family(name_of(what_.family));
    if (bench_.lost_at == family) throw kernels::DeviceLost("it fell off the bus");
    const bool warm = ++bench_.runs[family] > bench_.slow_until;
    const kernels::Work work = kernels::work_of(what_);
    const double rate = what_.units == Units::matrix ? examples::matrix_peak : examples::peak;
    const double seconds =
        (warm ? 1 : 2) *
        (work.flops / rate + work.bytes / examples::bandwidth +
         (what_.family == Family::launch ? work.launches / examples::launch_rate : 0));
    bench_.clock.pass(seconds);
    return {.seconds = seconds};
  }
  kernels::Work work() const override { return kernels::work_of(what_); }
  kernels::Check verify(std::stop_token) override {
    return bench_.right ? kernels::Check{true, ""} : kernels::Check{false, "element 3 is 5, not 4"};
  }
  bool cold() const override { return !bench_.in_cache; }

 private:
  Bench& bench_;
  Case what_;
};

std::unique_ptr<kernels::Trial> Bench::prepare(const Case& what, std::stop_token) {
  return std::make_unique<BenchTrial>(*this, what);
}

struct Result {
  std::vector<Roof> roofs;
  std::vector<std::string> problems;

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Roof& roof : roofs) all.push_back(roof.name);
    return all;
  }
  const Roof* find(const std::string& name) const {
    const auto found = std::ranges::find(roofs, name, &Roof::name);
    return found == roofs.end() ? nullptr : &*found;
  }
};

Result measured(Bench& bench, const std::vector<Case>& cases, const std::vector<Roof>& have = {}) {
  Result result;
  for (const RoofTask& task : sweep_roofs(bench, cases, have)) {
    FoundRoof found = find_roof({.device = bench, .timing = bench.clock.timing()}, task);
    if (found.roof) result.roofs.push_back(*std::move(found.roof));
    if (!found.why_not.empty()) result.problems.push_back(found.why_not);
  }
  return result;
}

}  // namespace

TEST_CASE("a sweep of one dtype needs the roofs of memory, launches and its FMA") {
  Bench bench;
  const Result result = measured(bench, {examples::chain(1), examples::chain(64)});
  REQUIRE(result.roofs.size() == 3);
  CHECK(result.problems.empty());
  CHECK(result.names() == std::vector<std::string>{"DRAM copy", "launch", "fp32 FMA"});
  CHECK(result.find("DRAM copy")->rate == doctest::Approx(examples::bandwidth));
  CHECK(result.find("launch")->rate == doctest::Approx(examples::launch_rate));
  CHECK(result.find("fp32 FMA")->rate == doctest::Approx(examples::peak));
  CHECK(result.find("launch")->kind == RoofKind::overhead);
  CHECK(result.find("fp32 FMA")->dtype == Dtype::fp32);
  CHECK(result.find("fp32 FMA")->units == Units::vector);
}

TEST_CASE("a measured roof says how it was measured, with interval and conditions") {
  Bench bench;
  const Result result = measured(bench, {examples::chain(1)});
  const Roof& roof = *result.find("DRAM copy");
  CHECK(roof.source == RoofSource::measured);
  CHECK(roof.rate_low <= roof.rate);
  CHECK(roof.rate_high >= roof.rate);
  CHECK(roof.rate_low > 0);
  CHECK(roof.conditions.clock_hz == 3e9);
  CHECK(roof.highest_clock == 3.1e9);  // one of each seven readings
  CHECK(roof.rounds.size() == 7);
  CHECK(roof.best >= roof.rate);
  for (const char* part : {"stream copy", "MiB moved", "non-temporal"}) {
    CAPTURE(roof.cite);
    CHECK(roof.cite.find(part) != std::string::npos);
  }
}

TEST_CASE("the median of the rounds counts: a device that starts slowly still shows its ceiling") {
  Bench bench;
  bench.slow_until = 15;
  const Result result = measured(bench, {examples::chain(1)});
  CHECK(result.find("fp32 FMA")->rate == doctest::Approx(examples::peak));
  CHECK(result.find("DRAM copy")->rate == doctest::Approx(examples::bandwidth));
}

TEST_CASE("chains without FMA have a roof of their own beside the FMA roof") {
  Bench bench;
  Case mul = examples::chain(1);
  mul.ops = Op::mul;
  const Result result = measured(bench, {mul});
  CHECK(result.find("fp32 mul") != nullptr);
  CHECK(result.find("fp32 FMA") != nullptr);
}

TEST_CASE("matrix units have a roof of their own") {
  Bench bench;
  const Result result = measured(bench, {examples::tile(1, Units::matrix)});
  REQUIRE(result.find("bf16 matrix") != nullptr);
  CHECK(result.find("bf16 matrix")->rate == doctest::Approx(examples::matrix_peak));
  CHECK(result.find("bf16 matrix")->units == Units::matrix);
}

TEST_CASE("vector tiles of narrow floats run fp32 FMAs, and need the roof of those") {
  for (const Dtype dtype : {Dtype::tf32, Dtype::fp16, Dtype::bf16, Dtype::fp8, Dtype::fp32}) {
    Bench bench;
    Case tile = examples::tile(1, Units::vector);
    tile.dtype = dtype;
    CAPTURE(kernels::name_of(dtype));
    const Result result = measured(bench, {tile});
    CHECK(result.names() == std::vector<std::string>{"DRAM copy", "launch", "fp32 FMA"});
    CHECK(result.problems.empty());
  }
}

TEST_CASE("roofs that are measured already are not measured again, stated ones are") {
  Bench bench;
  std::vector<Roof> have = examples::session().roofs;
  CHECK(measured(bench, {examples::chain(1)}, have).roofs.empty());
  CHECK(bench.runs.empty());
  for (Roof& roof : have) roof.source = RoofSource::datasheet;
  CHECK(measured(bench, {examples::chain(1)}, have).roofs.size() == 3);
}

TEST_CASE("a roof that cannot be measured is left out with its reason, and the rest goes on") {
  Bench bench;
  const Case fp64 = examples::chain(1, kernels::Fusion::fused, Dtype::fp64);
  const Case int8 = examples::chain(1, kernels::Fusion::fused, Dtype::int8);
  const Result result = measured(bench, {fp64, int8, examples::chain(1)});
  CHECK(result.find("fp32 FMA") != nullptr);
  REQUIRE(result.problems.size() == 2);
  CHECK(result.problems[0] == "no fp64 FMA roof: no fp64 here");
  CHECK(result.problems[1].find("no int8 FMA roof: ") == 0);
}

TEST_CASE("a peak that computes wrongly is no roof") {
  Bench bench;
  bench.right = false;
  const Result result = measured(bench, {examples::chain(1)});
  CHECK(result.roofs.empty());
  REQUIRE(result.problems.size() == 3);
  CHECK(result.problems[0].find("wrong result: element 3") != std::string::npos);
}

TEST_CASE("a memory roof that was measured in cache says so") {
  Bench bench;
  bench.in_cache = true;
  const Result result = measured(bench, {examples::chain(1)});
  CHECK(flag_of(*result.find("DRAM copy")) == in_cache_flag);
  CHECK(flag_in_words("DRAM copy", in_cache_flag) ==
        "DRAM copy was moved partly in caches: the memory itself is slower.");
}

TEST_CASE("a lost device and a stop end the measuring of roofs") {
  Bench bench;
  bench.lost_at = "launch";
  CHECK_THROWS_AS(measured(bench, {examples::chain(1)}), kernels::DeviceLost);
  Bench other;
  std::stop_source stop;
  const RoofBench asked{.device = other, .stop = stop.get_token(), .timing = other.clock.timing()};
  const std::vector<RoofTask> tasks = sweep_roofs(other, {examples::chain(1)}, {});
  REQUIRE(tasks[1].roof.name == "launch");
  CHECK(find_roof(asked, tasks[0]).roof);
  stop.request_stop();
  CHECK_THROWS_AS(find_roof(asked, tasks[1]), kernels::Cancelled);
  CHECK(other.runs.count("launch") == 0);
}
