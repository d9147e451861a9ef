// What the backend decides without a GPU: rows, refusals, sentences, tolerances.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>

#include "kernels/cuda/runtime/open_reason.hpp"
#include "kernels/cuda/trials/peak_reference.hpp"
#include "kernels/cuda/trials/rows.hpp"
#include "tests/cuda/architectures.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cuda;
using tests::contains;

namespace {

std::vector<Kernel> kernel_rows(Architecture architecture) {
  std::vector<Kernel> rows = kernels_of_chains(architecture);
  std::ranges::move(kernels_of_peaks(architecture), std::back_inserter(rows));
  std::ranges::move(kernels_of_tiles(architecture), std::back_inserter(rows));
  return rows;
}

const Kernel& row(const std::vector<Kernel>& rows, Family family, Op op, Dtype dtype, Units units) {
  const Kernel* const found =
      find_kernel(rows, {.family = family, .ops = op, .dtype = dtype, .units = units});
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

TEST_CASE(
    "every architecture has one row per family, op, dtype, units and maker, and a reason where it "
    "does not run") {
  for (const int architecture : tests::architectures) {
    std::set<std::tuple<Family, Op, Dtype, Units, By>> seen;
    for (const Kernel& kernel : kernel_rows(architecture)) {
      CHECK(seen.insert({kernel.family, kernel.op, kernel.dtype, kernel.units, kernel.by}).second);
      CHECK(kernel.runs == kernel.why_not.empty());
    }
    // wgmma or tcgen05, and mma.sync.
    const std::size_t both_instructions = architecture == 900 || architecture == 1000 ? 4 : 0;
    CHECK(seen.size() == (4 + 4) * 5 + 1 + 3 * 8 + both_instructions);
  }
}

TEST_CASE("matrix units run what an architecture has") {
  const auto runs = [](int architecture, Dtype dtype) {
    return row(kernel_rows(architecture), Family::tile, Op::mma, dtype, Units::matrix).runs;
  };
  CHECK(runs(750, Dtype::fp16));
  CHECK(runs(750, Dtype::int8));
  CHECK_FALSE(runs(750, Dtype::bf16));
  CHECK_FALSE(runs(750, Dtype::fp64));
  for (const int architecture : {800, 860, 890, 900, 1000, 1200}) {
    for (const Dtype dtype : {Dtype::fp64, Dtype::tf32, Dtype::fp16, Dtype::bf16, Dtype::int8}) {
      CHECK(runs(architecture, dtype));
    }
    CHECK_FALSE(runs(architecture, Dtype::fp32));
    CHECK(runs(architecture, Dtype::fp8) == (architecture == 890 || architecture == 1200));
  }
}

TEST_CASE("fp8 has a peak on Hopper, by wgmma, and no tile; other rows say what they use") {
  const auto of = [](Family family, Dtype dtype, int architecture) {
    return row(kernel_rows(architecture), family, Op::mma, dtype, Units::matrix);
  };
  CHECK(of(Family::peak, Dtype::fp8, 900).note == "wgmma m64n256k32");
  CHECK(contains(of(Family::tile, Dtype::fp8, 900).why_not, "needs warpgroup instructions"));
  CHECK(contains(of(Family::peak, Dtype::fp8, 1000).why_not, "needs tcgen05 instructions"));
  CHECK(of(Family::peak, Dtype::bf16, 900).note == "wgmma m64n256k16");
  CHECK(row(kernel_rows(900), Family::peak, Op::mma_sync, Dtype::bf16, Units::matrix).note ==
        "mma.sync m16n8k16, the instruction of tiles");
  CHECK(of(Family::tile, Dtype::bf16, 900).note ==
        "mma.sync m16n8k16, not wgmma: a tile has too few columns for it");
  CHECK(of(Family::peak, Dtype::bf16, 800).note == "mma.sync m16n8k16");
  CHECK(contains(of(Family::peak, Dtype::bf16, 1000).why_not, "needs tcgen05 instructions"));
  CHECK(row(kernel_rows(1000), Family::peak, Op::mma_sync, Dtype::bf16, Units::matrix).note ==
        "mma.sync m16n8k16, the instruction of tiles");
  CHECK(of(Family::tile, Dtype::bf16, 1000).note ==
        "mma.sync m16n8k16, not tcgen05: the roof of these units is the library's");
  CHECK(of(Family::peak, Dtype::fp64, 1000).note == "mma.sync m8n8k4");
  CHECK(of(Family::peak, Dtype::bf16, 1200).note == "mma.sync m16n8k16");
  CHECK(of(Family::peak, Dtype::fp64, 900).note == "mma.sync m16n8k8");
}

TEST_CASE("rows are of the code that runs, and wgmma and tcgen05 of the GPU") {
  const auto of = [](Family family, Dtype dtype, Architecture architecture) {
    return row(kernel_rows(architecture), family, Op::mma, dtype, Units::matrix);
  };
  CHECK(of(Family::peak, Dtype::bf16, {900, 1200}).note == "mma.sync m16n8k16");
  CHECK(of(Family::tile, Dtype::bf16, {900, 1200}).note == "mma.sync m16n8k16");
  CHECK(contains(of(Family::peak, Dtype::bf16, {900, 1000}).why_not, "needs tcgen05 instructions"));
  CHECK(contains(of(Family::peak, Dtype::fp8, {900, 1000}).why_not, "needs tcgen05 instructions"));
  CHECK(contains(of(Family::peak, Dtype::fp8, {900, 1200}).why_not,
                 "this build holds no code of compute capability 12.0, which fp8"));
  CHECK(kernel_rows({900, 1200}).size() == kernel_rows(1200).size());
}

TEST_CASE("bf16 that is only storage says so, and only there") {
  const auto note = [](int architecture) {
    return row(kernel_rows(architecture), Family::chain, Op::fma, Dtype::bf16, Units::vector).note;
  };
  CHECK(contains(note(750), "bf16 storage, fp32 arithmetic"));
  CHECK_FALSE(contains(note(800), "storage"));
  CHECK(contains(row(kernel_rows(900), Family::tile, Op::mma, Dtype::fp8, Units::matrix).why_not,
                 "9.0"));
}

TEST_CASE("each way not to find a GPU has its own sentence with a remedy") {
  OpenFailure failure{.error = 35,
                      .error_text = "",
                      .driver_version = 0,
                      .runtime_version = 13000,
                      .visible_devices = std::nullopt};
  CHECK(contains(open_reason(failure), "no NVIDIA driver"));
  failure.driver_version = 12020;
  CHECK(contains(open_reason(failure),
                 "supports CUDA 12.2, but this program was built with CUDA 13.0"));
  failure.error = 100;
  CHECK(contains(open_reason(failure), "no NVIDIA GPU"));
  failure.visible_devices = "";
  CHECK(contains(open_reason(failure), "CUDA_VISIBLE_DEVICES=\"\" hides every GPU"));
  failure.error = 802;
  CHECK(contains(open_reason(failure), "fabricmanager"));
  failure.error = 803;
  CHECK(contains(open_reason(failure), "restart"));
  failure.error = 999;
  failure.error_text = "unknown error";
  CHECK(contains(open_reason(failure), "unknown error (error 999)"));
  CHECK(contains(too_old_reason("Tesla V100", 7, 0), "7.0, but at least 7.5 is needed"));
  CHECK(contains(no_image_reason("GPU", 10, 3), "-DCMAKE_CUDA_ARCHITECTURES=103"));
}

TEST_CASE("a GPU is expected to run the newest code that is not newer than itself") {
  const auto built = built_code_of("75-real 80 86-real 89-real 90-real 100 120");
  CHECK(expected_architecture(75, built) == 750);
  CHECK(expected_architecture(87, built) == 860);
  CHECK(expected_architecture(90, built) == 900);
  CHECK(expected_architecture(103, built) == 1000);
  CHECK(expected_architecture(110, built) == 1000);
  CHECK(expected_architecture(121, built) == 1200);
  CHECK(expected_architecture(80, built_code_of("90")) == 0);
}

TEST_CASE(
    "machine code runs on its own major version, PTX on every later GPU, code of 9.0a on 9.0 "
    "alone") {
  CHECK(built_code_of("90a-real 80-virtual 86") ==
        std::vector<BuiltCode>{{900, true, false, true}, {800, false, true}, {860, true, true}});
  CHECK(expected_architecture(89, built_code_of("86-real")) == 860);
  CHECK(expected_architecture(90, built_code_of("75-real 86-real")) == 0);
  CHECK(expected_architecture(90, built_code_of("75-real 86-virtual")) == 860);
  CHECK(expected_architecture(90, built_code_of("90a-real")) == 900);
  CHECK(expected_architecture(100, built_code_of("90a")) == 0);
  CHECK(built_code_of("").empty());
}

TEST_CASE("a peak chain that is short of ops, or does too many, ends elsewhere") {
  for (const PeakForm form : {PeakForm::registers, PeakForm::immediate}) {
    for (const Op op : {Op::mul, Op::add, Op::fma, Op::mul_add}) {
      if (form != PeakForm::registers && op != Op::fma) continue;
      for (const Dtype dtype : {Dtype::fp64, Dtype::fp32, Dtype::fp16, Dtype::bf16}) {
        if (form != PeakForm::registers && size_of(dtype) == 2) continue;
        const std::uint64_t countable = std::min(countable_peak_repeat(op, dtype), max_repeat);
        for (const std::uint64_t repeat : {std::uint64_t{32}, std::uint64_t{101}, countable}) {
          if (repeat > countable) continue;
          CAPTURE(name_of(op));
          CAPTURE(name_of(dtype));
          CAPTURE(repeat);
          const Operands operands = counting_peak_operands(op, dtype, form, repeat);
          const auto last = [&](double x, std::uint64_t ops) {
            return reference_chain({.ops = op, .dtype = dtype, .repeat = ops}, {dtype}, operands,
                                   x);
          };
          const auto differ = [&](std::uint64_t other) {
            int count = 0;
            for (std::uint64_t i = 0; i < 64; ++i) {
              const double x = random_element(dtype, 5, i);
              const double end = last(x, repeat);
              CHECK(std::isfinite(end));
              count += end != last(x, other) ? 1 : 0;
            }
            return count;
          };
          CHECK(differ(repeat) == 0);
          for (const std::uint64_t other :
               {std::uint64_t{0}, std::uint64_t{2}, repeat / 2, repeat - 2, repeat + 2}) {
            CAPTURE(other);
            CHECK(differ(other) >= 8);
          }
        }
      }
    }
  }
}

TEST_CASE("a peak chain of int8 that is short of ops, or does too many, ends elsewhere") {
  const Operands operands = counting_peak_operands(Op::fma, Dtype::int32, PeakForm::registers, 1);
  for (const std::uint64_t repeat : {std::uint64_t{32}, std::uint64_t{101}, max_repeat}) {
    for (const std::uint64_t other :
         {std::uint64_t{0}, std::uint64_t{2}, repeat / 2, repeat - 2, repeat - 1, repeat + 1}) {
      int differ = 0;
      for (std::uint64_t i = 0; i < 64; ++i) {
        std::array<double, 4> start{};
        for (std::uint64_t e = 0; e < 4; ++e) start[e] = random_element(Dtype::int8, 5, 4 * i + e);
        const double end = reference_dp4a(start, operands, repeat);
        differ += end != reference_dp4a(start, operands, other) ? 1 : 0;
      }
      CAPTURE(repeat);
      CAPTURE(other);
      CHECK(differ >= 48);  // some chains stand still, and some run in short cycles
    }
  }
}

TEST_CASE("a peak op of int8 adds the four signed products to what the register holds") {
  const Operands operands{.a = 0x02'fd'01'ff, .b = 0};  // 2, -3, 1, -1
  const double start = 5 + 256.0 * 7 + 65536.0 * 2 + 16777216.0;
  CHECK(reference_dp4a({5, 7, 2, 1}, operands, 0) == start);
  CHECK(reference_dp4a({5, 7, 2, 1}, operands, 1) == start - 5 + 7 - 6 + 2);
}

TEST_CASE("chains of a peak kernel start from vectors side by side, modulo the input") {
  // fp32: four chains per vector, two vectors per thread of eight chains.
  CHECK(peak_input_index(0, 0, 8, 4, 4095, 4) == 0);
  CHECK(peak_input_index(0, 5, 8, 4, 4095, 4) == 5);
  CHECK(peak_input_index(1, 0, 8, 4, 4095, 4) == 8);
  CHECK(peak_input_index(2048, 0, 8, 4, 4095, 4) == 0);
  // fp16 pairs: chain 1 starts at element 2.
  CHECK(peak_input_index(0, 1, 4, 4, 4095, 2) == 2);
  // bf16 widened to fp32: half a vector per thread of four chains.
  CHECK(peak_input_index(1, 3, 4, 8, 4095, 2) == 11);
}
