// Prints how the CPU kernels compare with the program's own roofs, matrix with vector units, and
// fused with unfused chains.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "engine/measure/run_case.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/roofs/roof_tasks.hpp"
#include "engine/roofs/roofs.hpp"
#include "engine/spec.hpp"
#include "kernels/backends.hpp"
#include "kernels/units.hpp"

namespace {

using kernels::Case;
using kernels::Dtype;
using kernels::Family;
using kernels::Fusion;
using kernels::Op;
using kernels::Units;

struct Rate {
  double seconds = 0;
  kernels::Work work;
  double flops() const { return work.flops / seconds; }
  double bytes() const { return work.bytes / seconds; }
};

/// Median seconds of a case, verified first.
Rate rate_of(kernels::Device& cpu, const Case& what, double max_time = 1.0) {
  engine::Policy policy;
  policy.max_time = max_time;
  const engine::VisitPlan plan{.runs = 7, .most_runs = 1000, .seconds = max_time / 2};
  const engine::Point point = engine::run_case(cpu, what, policy, plan, {}, {});
  if (point.status != engine::Status::ok)
    throw std::runtime_error(kernels::describe(what) + ": " + point.why);
  return {point.seconds.median, point.work};
}

Case chain(const kernels::Device& cpu, Dtype dtype, Fusion fusion, std::uint64_t repeat) {
  Case what;
  what.dtype = dtype;
  what.fusion = fusion;
  what.repeat = repeat;
  what.elements = engine::default_elements(cpu.info(), cpu.free_bytes(), Family::chain, dtype);
  return what;
}

Case tile(const kernels::Device& cpu, Dtype dtype, Units units, std::uint64_t repeat) {
  Case what = chain(cpu, dtype, Fusion::fused, repeat);
  what.family = Family::tile;
  what.ops = Op::mma;
  what.units = units;
  what.elements = engine::default_elements(cpu.info(), cpu.free_bytes(), Family::tile, dtype);
  return what;
}

/// Fused points more than 2x away from the ridge, against min(roofs); roofs measured before and
/// after.
void compare_with_roofs(kernels::Device& cpu, Dtype dtype) {
  std::vector<Case> cases;
  for (std::uint64_t repeat = 1; repeat <= 1024; repeat *= 2)
    cases.push_back(chain(cpu, dtype, Fusion::fused, repeat));
  std::map<std::string, double> rates;
  std::map<std::uint64_t, Rate> points;
  const auto measure_roofs = [&] {
    for (const engine::RoofTask& task : engine::sweep_roofs(cpu, cases, {})) {
      const auto roof = engine::find_roof({.device = cpu}, task).roof;
      if (roof) rates[roof->name] = std::max(rates[roof->name], roof->rate);
    }
  };
  measure_roofs();
  for (const Case& what : cases) points[what.repeat] = rate_of(cpu, what);
  measure_roofs();
  const double bandwidth = rates["DRAM copy"];
  const double compute = rates[engine::compute_roof_name(dtype, Units::vector)];
  const double ridge = compute / bandwidth;
  fmt::print("{} roofs: {}, {}, ridge {}\n", name_of(dtype), units::bytes_per_second(bandwidth),
             units::flops_per_second(compute), units::intensity(ridge));
  for (const auto& [repeat, rate] : points) {
    const double x = rate.work.intensity();
    const bool near = x > ridge / 2 && x < ridge * 2;
    fmt::print("  repeat {:4}  {:>16}  share of min(roofs) {:.3f}{}\n", repeat,
               units::flops_per_second(rate.flops()),
               rate.flops() / std::min(compute, bandwidth * x), near ? "  (near the ridge)" : "");
  }
}

void compare_units(kernels::Device& cpu) {
  const auto* row = kernels::find_kernel(cpu.kernels(), tile(cpu, Dtype::bf16, Units::matrix, 1));
  if (row == nullptr || !row->runs) {
    fmt::print("matrix units: not measured: {}\n", row ? row->why_not : "no such kernel");
    return;
  }
  const double simd = rate_of(cpu, chain(cpu, Dtype::fp32, Fusion::fused, 1024)).flops();
  const double off = rate_of(cpu, tile(cpu, Dtype::bf16, Units::vector, 256)).flops();
  const double on = rate_of(cpu, tile(cpu, Dtype::bf16, Units::matrix, 1024)).flops();
  fmt::print(
      "bf16 tile, matrix units on {} | off {} | fp32 SIMD plateau {} | on / fp32 SIMD {:.1f}\n",
      units::flops_per_second(on), units::flops_per_second(off), units::flops_per_second(simd),
      on / simd);
}

void compare_fusion(kernels::Device& cpu) {
  const double unfused = rate_of(cpu, chain(cpu, Dtype::fp32, Fusion::unfused, 32), 4.0).seconds;
  for (std::uint64_t repeat = 1; repeat <= 8; repeat *= 2) {
    const double fused = rate_of(cpu, chain(cpu, Dtype::fp32, Fusion::fused, repeat)).seconds;
    fmt::print("unfused repeat 32: {} | fused repeat {}: {} | ratio {:.1f}\n",
               units::seconds(unfused), repeat, units::seconds(fused), unfused / fused);
  }
}

}  // namespace

int main() {
  try {
    const auto cpu = kernels::open_cpu();
    fmt::print("{}, {} threads, {}\n", cpu->info().name, cpu->info().threads,
               cpu->info().compute_capability);
    compare_with_roofs(*cpu, Dtype::fp32);
    compare_with_roofs(*cpu, Dtype::fp64);
    compare_units(*cpu);
    compare_fusion(*cpu);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench: {}\n", error.what());
    return 1;
  }
}
