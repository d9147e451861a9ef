// How large the working sets of roofs are.
#include "engine/roofs/roof_tasks.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "engine/spec.hpp"
#include "kernels/families/strided/strided.hpp"
#include "tests/engine/fake_device.hpp"
#include "tests/engine/roofs/fake_machine.hpp"

using namespace engine;
using kernels::Data;

namespace {

constexpr double mebi = 1024.0 * 1024;

/// A device that streams and has an fp32 peak, with this last-level cache.
class Streaming : public fake::Device {
 public:
  explicit Streaming(double cache) : fake::Device({}) {
    info_ = fake::Device::info();
    info_.l3_bytes = cache;
    for (const kernels::Op op :
         {kernels::Op::read, kernels::Op::write, kernels::Op::copy, kernels::Op::triad}) {
      rows_.push_back({.family = kernels::Family::stream, .op = op});
    }
    rows_.push_back({.family = kernels::Family::peak, .op = kernels::Op::fma});
  }
  const kernels::DeviceInfo& info() const override { return info_; }
  std::span<const kernels::Kernel> kernels() const override { return rows_; }

 private:
  kernels::DeviceInfo info_;
  std::vector<kernels::Kernel> rows_;
};

}  // namespace

TEST_CASE("every memory roof touches as much as the default sweep, however large the caches") {
  for (const double cache : {32 * mebi, 256 * mebi}) {
    const Streaming device(cache);
    const std::uint64_t elements = default_elements(device.info(), device.free_bytes(),
                                                    kernels::Family::chain, kernels::Dtype::fp32);
    const double sweep = kernels::footprint_of({.elements = elements});
    int roofs = 0;
    for (const RoofTask& task : all_roofs(place_of(device), Data::random)) {
      if (task.roof.kind != RoofKind::bandwidth) continue;
      CAPTURE(task.roof.name);
      CHECK(kernels::footprint_of(task.what) >= sweep);
      CHECK(kernels::footprint_of(task.what) >= kernels::dram_working_set(device.info()));
      ++roofs;
    }
    CHECK(roofs == 4);
  }
}

TEST_CASE("a launch over a small working set gives every core its share of bytes") {
  kernels::DeviceInfo info;
  info.kind = "cpu";
  for (const int cores : {1, 2, 128}) {
    info.multiprocessors = cores;
    const double bytes = 16384.0 * cores;
    const kernels::Case what = read_over(info, bytes, Data::random);
    CHECK(bytes * static_cast<double>(what.repeat) >= 16 * mebi * cores);
  }
}

TEST_CASE("starting a launch over a small working set of a GPU takes less than 1 % of its time") {
  kernels::DeviceInfo h200;
  h200.kind = "cuda";
  h200.multiprocessors = 132;
  h200.l1_bytes = 228 * 1024.0;
  h200.l2_bytes = 60 * mebi;
  const double l1s = 132 * h200.l1_bytes;
  constexpr double l1_rate = 132 * 128 * 1.98e9, l2_rate = 12e12;  // byte/s
  for (const double bytes : curve_sizes(h200)) {
    if (bytes > h200.l2_bytes) break;
    CAPTURE(bytes);
    const kernels::Case what = read_over(h200, bytes, Data::random);
    // The L1s are empty at first; what a launch costs without any work is 3 to 4 us.
    const double start = 4e-6 + (bytes <= l1s ? bytes / l2_rate : 0);
    const double reads = kernels::work_of(what).bytes / (bytes <= l1s ? l1_rate : l2_rate);
    CHECK(start < 0.01 * reads);
    CHECK(reads < 2e-3);
  }
}

TEST_CASE(
    "a case that fits in a cache is bounded by reads of that cache, measured with the sweep") {
  const Streaming device(32 * mebi);
  const kernels::Case small{.elements = 1 << 20};  // 8 MiB in two tensors
  const std::vector<RoofTask> tasks = sweep_roofs(device, {small}, {});
  const auto level = std::ranges::find(tasks, "L3", [](const RoofTask& t) { return t.roof.name; });
  REQUIRE(level != tasks.end());
  CHECK(kernels::footprint_of(level->what) == 16 * mebi);  // of every case in that cache
  Session known;
  known.device = device.info();
  known.roofs = fake::roofs();
  CHECK(controls_of(device, known, small).empty());  // DRAM does not bound it
  Roof l3 = level->roof;
  l3.rate = 2e11;
  known.roofs.push_back(l3);
  const auto beside = controls_of(device, known, small);
  REQUIRE(beside.size() == 1);
  CHECK(beside[0].roof == "L3");
  CHECK(beside[0].of_case == kernels::work_of(small).bytes);
}

TEST_CASE("near the ridge both roofs run beside a case, elsewhere the one that bounds it") {
  const Streaming device(32 * mebi);
  Session known;
  known.device = device.info();
  known.roofs = fake::roofs();
  const double ridge =
      compute_roof(known, kernels::Dtype::fp32, kernels::Units::vector, RoofSource::measured)
          ->rate /
      bandwidth_roof(known, RoofSource::measured)->rate;
  const auto roofs_at = [&](double of_ridge) {
    // 2 FLOP for each op and 8 bytes for each element.
    const kernels::Case what{.elements = 1 << 26,
                             .repeat = static_cast<std::uint64_t>(of_ridge * ridge * 4)};
    std::vector<std::string> names;
    for (const ControlCase& control : controls_of(device, known, what))
      names.push_back(control.roof);
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(roofs_at(0.4) == Names{"DRAM copy"});
  CHECK(roofs_at(0.5) == Names{"DRAM copy", "fp32 FMA"});
  CHECK(roofs_at(2) == Names{"DRAM copy", "fp32 FMA"});
  CHECK(roofs_at(2.5) == Names{"fp32 FMA"});
}

TEST_CASE("a look at the memory moves as much as a launch of the case beside it") {
  const Streaming device(32 * mebi);
  Session known;
  known.device = device.info();
  known.roofs = fake::roofs();
  for (const std::uint64_t elements : {1 << 25, 1 << 26}) {
    for (const kernels::Fusion fusion : {kernels::Fusion::fused, kernels::Fusion::unfused}) {
      const kernels::Case what{.fusion = fusion, .elements = elements, .repeat = 2};
      const auto beside = controls_of(device, known, what);
      REQUIRE(beside.size() == 1);
      CHECK(beside[0].roof == "DRAM copy");
      CHECK(kernels::work_of(beside[0].what).bytes == 8.0 * static_cast<double>(elements));
    }
  }
}

TEST_CASE("a look at the memory beside words that lie apart passes over what lies between them") {
  const Streaming device(32 * mebi);
  Session known;
  known.device = device.info();
  known.roofs = fake::roofs();
  for (const std::uint64_t stride : {2, 32}) {
    const kernels::Case what = kernels::strided_case(stride, 0, (1 << 26) / stride);
    const auto beside = controls_of(device, known, what);
    REQUIRE(beside.size() == 1);
    CHECK(kernels::work_of(beside[0].what).bytes ==
          doctest::Approx(kernels::footprint_of(what)).epsilon(1e-3));
  }
}

TEST_CASE("the memory roof beside a case, and of its sweep, has its mix of reads and writes") {
  fake::Machine machine;
  kernels::Case sum{.family = kernels::Family::rowwise, .ops = kernels::Op::sum};
  sum.elements = 1 << 26;
  std::vector<std::string> names;
  for (const RoofTask& task : sweep_roofs(machine, {sum}, {})) names.push_back(task.roof.name);
  CHECK(std::ranges::count(names, "DRAM read") == 1);
  CHECK(std::ranges::count(names, "DRAM copy") == 1);
  Session known;
  known.device = machine.info();
  for (const char* name : {"DRAM copy", "DRAM read"}) {
    Roof roof;
    roof.name = name;
    roof.kind = RoofKind::bandwidth;
    roof.rate = fake::bandwidth;
    known.roofs.push_back(roof);
    const auto beside = controls_of(machine, known, sum);
    REQUIRE(beside.size() == 1);
    CHECK(beside[0].roof == name);
  }
}

TEST_CASE("a look at the memory beside a small case is no copy that mostly waits for its launch") {
  const fake::Device device(fake::Script{});  // without caches, a launch of 1 us adds to the work
  Session known;
  known.device = device.info();
  known.roofs = fake::roofs();
  const auto bytes_beside = [&](std::uint64_t elements) {
    const auto beside = controls_of(device, known, kernels::Case{.elements = elements});
    REQUIRE(beside.size() == 1);
    CHECK(beside[0].roof == "DRAM copy");
    return kernels::work_of(beside[0].what).bytes;
  };
  constexpr double least = 100e-6 * fake::bandwidth;  // 100 launches
  CHECK(bytes_beside(1 << 16) == doctest::Approx(least).epsilon(1e-3));
  CHECK(bytes_beside(1 << 24) == 8.0 * (1 << 24));
}
