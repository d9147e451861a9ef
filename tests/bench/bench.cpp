// Prints how the CPU kernels compare with likwid-bench and with the program's own roofs: medians of
// rounds that take turns (A B A B) in one run, so that a drift of the machine meets both sides.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "engine/measure/measure.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/roofs/roofs.hpp"
#include "engine/spec.hpp"
#include "kernels/backends.hpp"
#include "kernels/units.hpp"
#include "tests/bench/peers.hpp"

namespace {

using kernels::Case;
using kernels::Dtype;
using kernels::Family;
using kernels::Fusion;
using kernels::Op;
using kernels::Units;

constexpr int rounds = 7;

struct Rate {
  double seconds = 0;
  kernels::Work work;
  double flops() const { return work.flops / seconds; }
  double bytes() const { return work.bytes / seconds; }
};

/// Median seconds of a case, verified first.
Rate rate_of(kernels::Device& cpu, const Case& what, double max_time = 1.0) {
  const auto trial = cpu.prepare(what, {});
  const kernels::Check check = trial->verify({});
  if (!check.ok) throw std::runtime_error(kernels::describe(what) + ": " + check.why);
  engine::Policy policy;
  policy.max_time = max_time;
  const engine::VisitPlan plan{.runs = 7, .most_runs = 1000, .seconds = max_time / 2};
  return {engine::measure(*trial, policy, plan, {}).seconds.median, trial->work()};
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

Case copy(const kernels::Device& cpu) {
  Case what = chain(cpu, Dtype::fp32, Fusion::fused, 1);
  what.family = Family::stream;
  what.ops = Op::copy;
  return what;
}

/// Kernels of likwid-bench for the widest instruction set of a CPU.
struct LikwidKernels {
  const char* peak;
  const char* copy;
};

LikwidKernels likwid_kernels(const kernels::DeviceInfo& cpu) {
  const auto has = [&](const char* name) {
    return std::ranges::find(cpu.instruction_sets, name) != cpu.instruction_sets.end();
  };
  if (has("AVX-512")) return {"peakflops_sp_avx512_fma", "copy_mem_avx512"};
  if (has("AVX2+FMA")) return {"peakflops_sp_avx_fma", "copy_mem_avx"};
  return {"peakflops_sp_sse", "copy_mem_sse"};
}

void compare_with_likwid(kernels::Device& cpu) {
  const LikwidKernels names = likwid_kernels(cpu.info());
  const int threads = cpu.info().threads;
  std::vector<double> our_flops, their_flops, our_bytes, their_bytes;
  for (int round = 0; round < rounds; ++round) {
    our_flops.push_back(rate_of(cpu, chain(cpu, Dtype::fp32, Fusion::fused, 1024)).flops());
    if (const auto rate = bench::likwid_rate(names.peak, threads)) their_flops.push_back(*rate);
    our_bytes.push_back(rate_of(cpu, copy(cpu)).bytes());
    if (const auto rate = bench::likwid_rate(names.copy, threads)) their_bytes.push_back(*rate);
  }
  const double flops = engine::median_of(our_flops), bytes = engine::median_of(our_bytes);
  if (their_flops.empty() || their_bytes.empty()) {
    fmt::print(
        "likwid-bench: not found or without result (Debian package likwid); ours alone: fp32 "
        "plateau {}, copy {}\n",
        units::flops_per_second(flops), units::bytes_per_second(bytes));
    return;
  }
  const double flops_peer = engine::median_of(their_flops);
  const double bytes_peer = engine::median_of(their_bytes);
  fmt::print("fp32 plateau (fused chain, repeat 1024) {} | {} {} | ratio {:.3f}\n",
             units::flops_per_second(flops), names.peak, units::flops_per_second(flops_peer),
             flops / flops_peer);
  fmt::print("DRAM copy {} | {} {} | ratio {:.3f}\n", units::bytes_per_second(bytes), names.copy,
             units::bytes_per_second(bytes_peer), bytes / bytes_peer);
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
    const auto keep = [&](const engine::Roof& roof) {
      rates[roof.name] = std::max(rates[roof.name], roof.rate);
    };
    engine::measure_roofs({.device = cpu}, cases, {}, {.roof = keep});
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
    compare_with_likwid(*cpu);
    compare_with_roofs(*cpu, Dtype::fp32);
    compare_with_roofs(*cpu, Dtype::fp64);
    compare_units(*cpu);
    compare_fusion(*cpu);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench: {}\n", error.what());
    return 1;
  }
}
