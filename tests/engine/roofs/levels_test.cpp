// Capacities, the level curve and its plateaus.
#include "engine/roofs/levels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/roofs/roof_tasks.hpp"
#include "engine/roofs/roofs.hpp"
#include "kernels/families/family.hpp"

using namespace engine;

namespace {

constexpr double kibibyte = 1024;
constexpr double mebibyte = 1024 * kibibyte;

kernels::DeviceInfo cpu() {
  kernels::DeviceInfo info;
  info.kind = "cpu";
  info.multiprocessors = 2;
  info.l1_bytes = 32 * kibibyte;
  info.l2_bytes = mebibyte;
  info.l3_bytes = 32 * mebibyte;
  return info;
}

/// Rates by working set: each level ends at its capacity.
std::vector<CurvePoint> curve(double l1, double l2, double l3, double dram) {
  std::vector<CurvePoint> points;
  for (const double bytes : curve_sizes(cpu())) {
    const double rate = bytes <= 64 * kibibyte   ? l1
                        : bytes <= 2 * mebibyte  ? l2
                        : bytes <= 32 * mebibyte ? l3
                                                 : dram;
    points.push_back({bytes, rate});
  }
  return points;
}

/// The GPUs of the datasheets that kernels are built for, as CUDA would describe them. Shared
/// memory of a multiprocessor: CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability".
std::vector<kernels::DeviceInfo> gpus() {
  const std::map<std::string, double> shared_kib{{"7.5", 64},   {"8.0", 164}, {"8.6", 100},
                                                 {"8.9", 100},  {"9.0", 228}, {"10.0", 228},
                                                 {"10.3", 228}, {"12.0", 100}};
  std::ifstream file(assets_folder() / "gpu_specs.json");
  std::vector<kernels::DeviceInfo> found;
  const nlohmann::json sheets = nlohmann::json::parse(file);
  for (const auto& row : sheets.at("gpus")) {
    const auto shared = shared_kib.find(row.at("compute_capability").get<std::string>());
    if (shared == shared_kib.end() || row.at("l2_mb").is_null()) continue;
    kernels::DeviceInfo info;
    info.kind = "cuda";
    info.name = row.at("name").get<std::string>();
    info.multiprocessors = row.at("sm_count").get<int>();
    info.l1_bytes = shared->second * kibibyte;
    info.l2_bytes = row.at("l2_mb").get<double>() * mebibyte;
    found.push_back(info);
  }
  return found;
}

/// A block reads the same part in every pass, and finds it in its L1 where all L1s hold all parts.
std::vector<CurvePoint> curve_of(const kernels::DeviceInfo& gpu, double l1, double l2,
                                 double dram) {
  std::vector<CurvePoint> points;
  for (const double bytes : curve_sizes(gpu)) {
    const double beyond_l1 = bytes <= gpu.l2_bytes ? l2 : dram;
    const bool fits = bytes <= gpu.l1_bytes * gpu.multiprocessors;
    points.push_back({bytes, fits ? l1 : beyond_l1, false});
    points.push_back({bytes, beyond_l1, true});
  }
  return points;
}

}  // namespace

TEST_CASE("every GPU of the datasheets has a roof of its L1 and of its L2") {
  const std::vector<kernels::DeviceInfo> devices = gpus();
  CHECK(devices.size() >= 18);
  for (const kernels::DeviceInfo& gpu : devices) {
    CAPTURE(gpu.name);
    const auto plateaus = plateaus_of(curve_of(gpu, 30e12, 10e12, 4e12), cache_levels(gpu));
    REQUIRE(plateaus.size() == 2);
    CHECK(plateaus[0].level == "L1");
    CHECK(plateaus[0].rate == 30e12);
    CHECK(plateaus[1].level == "L2");
    CHECK_MESSAGE(plateaus[1].rate == 10e12, plateaus[1].why);
    CHECK(plateaus[1].bytes <= 0.75 * gpu.l2_bytes);
    const RoofTask task = level_roof(gpu, plateaus[1], kernels::Data::random);
    CHECK(task.what.ops == kernels::Ops(kernels::Op::l2));
    CHECK(kernels::work_of(task.what).bytes >= 48e6 * gpu.multiprocessors);
  }
}

TEST_CASE("the roof of a GPU's L2 is that of working sets of which it holds one copy") {
  kernels::DeviceInfo h200;
  h200.kind = "cuda";
  h200.multiprocessors = 132;
  h200.l1_bytes = 228 * kibibyte;
  h200.l2_bytes = 60 * mebibyte;
  // Reads past the L1 on an H200, every multiprocessor through all of the set: MiB, TB/s.
  std::vector<CurvePoint> points{{120 * mebibyte, 4.6e12, false}};
  for (const auto& [size, rate] : std::map<double, double>{
           {4, 19.44}, {8, 19.16}, {16, 15.30}, {24, 13.59}, {32, 11.87}, {40, 11.64}, {48, 11.63}})
    points.push_back({size * mebibyte, rate * 1e12, true});
  const Plateau l2 = plateaus_of(points, cache_levels(h200)).back();
  CHECK(l2.level == "L2");
  CHECK(l2.bytes >= 30 * mebibyte);
  CHECK(l2.rate >= 11.64e12);
  CHECK(l2.rate <= 11.87e12);
  CHECK(roof_set_of(h200, cache_levels(h200)[1]) == 40 * mebibyte);
}

TEST_CASE("what goes through one multiprocessor is bounded by the slices of a GPU's L2") {
  kernels::DeviceInfo gpu;
  gpu.kind = "cuda";
  const CacheLevel l1{"L1", 1e6, 132}, l2{"L2", 6e7, 1};
  const kernels::Case chain{.elements = 1 << 20};
  kernels::Case product = chain;
  product.family = kernels::Family::matmul;
  CHECK(roof_name_of(gpu, l2, chain) == "L2 slices");
  CHECK(roof_name_of(gpu, l2, product) == "L2");
  CHECK(roof_name_of(gpu, l1, chain) == "L1");
  CHECK(roof_name_of(cpu(), l2, chain) == "L2");
}

TEST_CASE("what a kernel of a GPU reads once comes from the L2, since its L1s are empty at first") {
  kernels::DeviceInfo gpu;
  gpu.kind = "cuda";
  gpu.multiprocessors = 132;
  gpu.l1_bytes = 228 * kibibyte;
  gpu.l2_bytes = 60 * mebibyte;
  const kernels::Case chain{.elements = 1 << 20};  // 8 MiB; all L1s hold 29
  CHECK(level_of(gpu, chain)->name == "L2");
  kernels::Case read = kernels::stream_case(kernels::Op::read, 1 << 20, kernels::Data::random);
  read.repeat = 100;
  CHECK(level_of(gpu, read)->name == "L1");
  read.ops = kernels::Op::l2;
  CHECK(level_of(gpu, read)->name == "L2");
  const std::vector<CacheLevel> levels = cache_levels(gpu);
  CHECK(levels[0].bytes < levels[1].bytes);
  gpu.l2_bytes = 6 * mebibyte;  // an L2 that is smaller than all L1s can still be measured
  CHECK(cache_levels(gpu).size() == 2);
}

TEST_CASE("levels are what all cores have together, from the smallest to the largest") {
  const auto levels = cache_levels(cpu());
  REQUIRE(levels.size() == 3);
  CHECK(levels[0].name == "L1");
  CHECK(levels[0].bytes == 64 * kibibyte);
  CHECK(levels[1].bytes == 2 * mebibyte);
  CHECK(levels[2].bytes == 32 * mebibyte);
  kernels::DeviceInfo gpu;
  gpu.kind = "cuda";
  gpu.multiprocessors = 132;
  gpu.l1_bytes = 256 * kibibyte;
  gpu.l2_bytes = 50 * mebibyte;
  REQUIRE(cache_levels(gpu).size() == 2);
  CHECK(cache_levels(gpu)[1].bytes == 50 * mebibyte);  // a GPU's L2 is one
  CHECK(cache_levels({}).empty());
}

TEST_CASE("an L2 that all cores share is no larger than it is, and the L3 beyond it is kept") {
  kernels::DeviceInfo info;  // an Intel N100: four cores with one L2 of 2 MiB
  info.kind = "cpu";
  info.multiprocessors = 4;
  info.l1_bytes = 32 * kibibyte;
  info.l2_bytes = 512 * kibibyte;
  info.l3_bytes = 6 * mebibyte;
  const auto levels = cache_levels(info);
  REQUIRE(levels.size() == 3);
  CHECK(levels[1].bytes == 2 * mebibyte);
  CHECK(levels[2].bytes == 6 * mebibyte);
}

TEST_CASE("a case lives in the smallest level that holds all it touches") {
  kernels::Case what;
  what.elements = 4096;  // two tensors of 16 KiB
  CHECK(level_of(cpu(), what)->name == "L1");
  what.elements = 1 << 16;
  CHECK(level_of(cpu(), what)->name == "L2");
  what.elements = 1 << 22;
  CHECK(level_of(cpu(), what)->name == "L3");
  what.elements = 1 << 26;
  CHECK_FALSE(level_of(cpu(), what).has_value());
  CHECK_FALSE(level_of({}, what).has_value());
}

TEST_CASE("the curve goes from a quarter of the smallest level to four times the largest") {
  const auto sizes = curve_sizes(cpu());
  CHECK(sizes.front() == 16 * kibibyte);
  CHECK(sizes.back() == 128 * mebibyte);
  CHECK(sizes.size() == 27);
  CHECK(std::ranges::is_sorted(sizes));
  for (const double size : sizes) CHECK(size == 4096 * std::floor(size / 4096));
  CHECK(curve_sizes({}).empty());
}

TEST_CASE("every level with a plateau of its own is named, with the rate there") {
  const auto plateaus = plateaus_of(curve(400e9, 200e9, 100e9, 30e9), cache_levels(cpu()));
  REQUIRE(plateaus.size() == 3);
  CHECK(plateaus[0].level == "L1");
  CHECK(plateaus[0].rate == 400e9);
  CHECK(plateaus[0].bytes >= 16 * kibibyte);
  CHECK(plateaus[0].bytes <= 48 * kibibyte);
  CHECK(plateaus[1].rate == 200e9);
  CHECK(plateaus[1].bytes >= 128 * kibibyte);
  CHECK(plateaus[1].bytes <= 1.5 * mebibyte);
  CHECK(plateaus[2].rate == 100e9);
  for (const Plateau& plateau : plateaus) CHECK(plateau.why.empty());
}

TEST_CASE("a level that is as slow as what lies outside it has no plateau, and says why") {
  const auto plateaus = plateaus_of(curve(400e9, 200e9, 31e9, 30e9), cache_levels(cpu()));
  CHECK(plateaus[2].bytes == 0);
  CHECK(plateaus[2].why == "it is no faster than the next level (30.0 GB/s)");
  CHECK(plateaus[1].rate == 200e9);
}

TEST_CASE("a level through which the bandwidth only falls has no plateau") {
  auto points = curve(400e9, 200e9, 100e9, 30e9);
  double rate = 200e9;
  for (CurvePoint& point : points) {
    if (point.bytes > 2 * mebibyte && point.bytes <= 32 * mebibyte) point.rate = rate *= 0.8;
  }
  const auto plateaus = plateaus_of(points, cache_levels(cpu()));
  CHECK(plateaus[2].why.find("falls steadily") != std::string::npos);
}

TEST_CASE("one disturbed working set does not move a plateau") {
  auto points = curve(400e9, 200e9, 100e9, 30e9);
  for (CurvePoint& point : points) {
    if (point.bytes == 512 * kibibyte) point.rate = 90e9;
  }
  CHECK(plateaus_of(points, cache_levels(cpu()))[1].rate == 200e9);
}

TEST_CASE("an empty curve has no plateaus, and where no cache is known a sentence says so") {
  CHECK(plateaus_of({}, cache_levels(cpu())).empty());
  const auto unknown = plateaus_of({}, {});
  REQUIRE(unknown.size() == 1);
  CHECK(unknown[0].level == "cache");
  CHECK(unknown[0].why == "the system does not report the cache sizes");
  CHECK(plateaus_of(curve(4, 3, 2, 1), {}).size() == 1);
  const auto alone = plateaus_of({{16 * kibibyte, 100e9}}, cache_levels(cpu()));
  REQUIRE(alone.size() == 3);
  CHECK(alone[1].why == "no working set fits it without also fitting the level inside it");
}
