// Paths of a branch: who takes which, and kernels at every instruction set that runs here.
#include "kernels/families/divergence/divergence.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "kernels/cpu/machine/processor.hpp"
#include "kernels/families/family.hpp"
#include "tests/kernels/cpu_devices.hpp"

using namespace kernels;
using namespace kernels::cpu;

namespace {

Case divergence(Op op, std::uint64_t paths, std::uint64_t repeat) {
  Case c{.family = Family::divergence, .ops = op, .elements = 5 * divergence_granule};
  c.repeat = repeat;
  return with(c, "paths", paths);
}

CpuDevice device_of(const Isa& isa, const Row* rows, std::size_t count) {
  return CpuDevice("/", cores(), no_amx,
                   Selection(no_amx, {{isa.name, rows, count, isa.fused_multiply_add}}));
}

/// Every element along the path after its own.
void wrong_path(const DivergenceSlice& slice) {
  for (std::uint64_t i = 0; i < slice.elements; ++i) {
    const int path = (static_cast<int>(slice.path[i]) + 1) % most_paths;
    float x = slice.in[i];
    for (std::uint64_t n = 0; n < slice.repeat; ++n) x = x * path_factor(path) + path_addend(path);
    slice.out[i] = x;
  }
}

/// Right, but one fma short.
void too_short(const DivergenceSlice& slice) {
  for (std::uint64_t i = 0; i < slice.elements; ++i) {
    const int path = static_cast<int>(slice.path[i]);
    float x = slice.in[i];
    for (std::uint64_t n = 1; n < slice.repeat; ++n) x = x * path_factor(path) + path_addend(path);
    slice.out[i] = x;
  }
}

}  // namespace

TEST_CASE("32 neighbours divide evenly among all paths, in orders that differ") {
  for (const int paths : {1, 2, 4, 8, 16, 32}) {
    for (const std::uint64_t group : {0, 1, 2, 77}) {
      std::array<int, most_paths> taken{};
      for (std::uint64_t lane = 0; lane < most_paths; ++lane)
        ++taken[static_cast<std::size_t>(path_of(group * most_paths + lane, paths))];
      for (int path = 0; path < most_paths; ++path)
        CHECK(taken[static_cast<std::size_t>(path)] == (path < paths ? most_paths / paths : 0));
    }
  }
  std::string first, second;
  for (std::uint64_t lane = 0; lane < most_paths; ++lane) {
    first += std::to_string(path_of(lane, 32)) + " ";
    second += std::to_string(path_of(most_paths + lane, 32)) + " ";
  }
  CHECK(first != second);
}

TEST_CASE("the work of a branch is that of each element's own path") {
  Case c = divergence(Op::masked, 8, 256);
  c.elements = 1280;
  const Work work = work_of(c);
  CHECK(work.flops == 2.0 * 1280 * 256);
  CHECK(work.bytes == 3.0 * 4 * 1280);
  CHECK(refusal_of(c) == "");
  c.elements = 1281;
  CHECK(refusal_of(c) == "elements come in multiples of 128");
  c.dtype = Dtype::fp64;
  CHECK(refusal_of(c) == "paths of a branch run in fp32: choose fp32");
}

TEST_CASE("branches and masks compute every path at every instruction set") {
  const Abilities abilities{.features = processor_features(), .amx = false, .why_no_amx = "none"};
  int kernels = 0;
  for (const Isa& isa : usable_tables(abilities)) {
    for (std::size_t i = 0; i < isa.count; ++i) {
      if (isa.rows[i].family != Family::divergence) continue;
      ++kernels;
      CpuDevice device = device_of(isa, &isa.rows[i], 1);
      for (const std::uint64_t paths : {1, 3, 32}) {
        for (const std::uint64_t repeat : {1, 7, 256, 4096}) {
          const Case c = divergence(isa.rows[i].op, paths, repeat);
          CAPTURE(std::string(isa.name) + " " + describe(c));
          const Check check = device.prepare(c, {})->verify({});
          CHECK_MESSAGE(check.ok, check.why);
          // Two roundings of half a place per fma, none of which grows.
          CHECK(check.error < 4096 * 1.2e-7);
        }
      }
    }
  }
  CHECK(kernels >= 2);
}

TEST_CASE("a wrong path, and one fma too few, are found on every path") {
  Row row{.family = Family::divergence,
          .op = Op::branches,
          .dtype = Dtype::fp32,
          .units = Units::vector,
          .arithmetic = Dtype::fp32};
  for (const DivergenceFunction function : {wrong_path, too_short}) {
    row.own = &function;
    CpuDevice device = device_of(isa_baseline, &row, 1);
    for (const std::uint64_t paths : {1, 32}) {
      const Check check = device.prepare(divergence(Op::branches, paths, 256), {})->verify({});
      CHECK_FALSE(check.ok);
      CHECK(check.why.find("expected") != std::string::npos);
    }
  }
}
