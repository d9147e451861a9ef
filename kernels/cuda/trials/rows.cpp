#include "kernels/cuda/trials/rows.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>

#include "kernels/cuda/bodies/mma_layout.hpp"
#include "kernels/cuda/bodies/wgmma_layout.hpp"
#include "kernels/cuda/trials/shapes.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise_reference.hpp"
#include "kernels/families/rowwise/rowwise.hpp"

namespace kernels::cuda {
namespace {

constexpr std::array chain_dtypes{Dtype::fp64, Dtype::fp32, Dtype::fp16, Dtype::bf16, Dtype::int32};
constexpr std::array peak_ops{Op::mul, Op::add, Op::fma, Op::mul_add};

std::string capability(int architecture) {
  return fmt::format("{}.{}", architecture / 100, architecture / 10 % 10);
}

std::string chain_note(Dtype dtype, int architecture) {
  if (chain_arithmetic(dtype, architecture).dtype != dtype) {
    return fmt::format("{} storage, fp32 arithmetic: compute capability {} has no {} arithmetic",
                       name_of(dtype), capability(architecture), name_of(dtype));
  }
  if (size_of(dtype) == 2) return "packed pairs";
  return "";
}

std::vector<Kernel> rows_of_chains(int architecture, Family family, std::span<const Op> ops) {
  std::vector<Kernel> rows;
  for (const Op op : ops) {
    for (const Dtype dtype : chain_dtypes) {
      const std::string why_not = refusal_of({.family = family, .ops = op, .dtype = dtype});
      rows.push_back(answered({.family = family, .op = op, .dtype = dtype}, why_not,
                              chain_note(dtype, architecture)));
    }
  }
  return rows;
}

std::string vector_tile_refusal(Dtype dtype) {
  if (dtype == Dtype::fp8) return "vector units have no fp8 arithmetic; choose fp16";
  if (dtype == Dtype::int32) return "products of integers are of int8; choose int8";
  return "";
}

std::string vector_tile_note(Dtype dtype) {
  if (dtype == Dtype::int8) return "dp4a";
  if (dtype == Dtype::tf32) return "fp32 FMA on values that tf32 can hold";
  if (size_of(dtype) == 2) return fmt::format("{} storage, fp32 FMA", name_of(dtype));
  return "FMA";
}

std::string operator_note(Op op) {
  if (op == Op::transpose) return "tiles of 64 x 64 in shared memory";
  if (is_on_columns(op)) return "16-byte accesses; sums of parts of the rows, then of those";
  return calls_function(op) ? "functions of CUDA, within 2 ULP" : "16-byte accesses";
}

// B200, B300 and their kin have tensor memory instructions for all types but fp64 (PTX ISA,
// "tcgen05.mma"), which nobody could try here.
bool needs_tcgen05(Dtype dtype, Architecture architecture) {
  return architecture.gpu >= 1000 && architecture.gpu < 1200 && dtype != Dtype::fp64 &&
         dtype != Dtype::fp32 && dtype != Dtype::int32;
}

// Beside mma.sync, which serves every family, there is a faster instruction for the peak.
bool has_both(Dtype dtype, Architecture architecture) {
  return mma_shape(dtype, architecture.code).native() &&
         (runs_wgmma(dtype, architecture) || needs_tcgen05(dtype, architecture));
}

std::string matrix_refusal(Family family, Op op, Dtype dtype, Architecture architecture) {
  const std::string gpu = capability(architecture.gpu);
  const bool peak = family == Family::peak && op == Op::mma;
  if (peak && needs_tcgen05(dtype, architecture)) {
    return fmt::format(
        "on compute capability {} the peak of {} needs tcgen05 instructions, which Ridgepoint does "
        "not use yet: the roof of these units is the library's rate",
        gpu, name_of(dtype));
  }
  if (mma_shape(dtype, architecture.code).native() || (peak && runs_wgmma(dtype, architecture)))
    return "";
  if (mma_shape(dtype, architecture.gpu).native()) {
    return fmt::format(
        "this build holds no code of compute capability {}, which {} on matrix units "
        "needs; build with a newer CUDA Toolkit",
        gpu, name_of(dtype));
  }
  if (dtype == Dtype::fp32) return "matrix units take fp32 only as tf32; choose tf32";
  if (dtype == Dtype::int32) return "matrix units have no int32; choose int8";
  if (dtype == Dtype::fp8 && architecture.gpu >= 900) {
    return fmt::format(
        "on compute capability {} fp8 needs {} instructions (mma.sync is emulated); choose bf16",
        gpu, architecture.gpu < 1000 ? "warpgroup" : "tcgen05");
  }
  if (dtype == Dtype::fp8)
    return fmt::format("matrix units of compute capability {} have no fp8; choose fp16", gpu);
  return fmt::format("matrix units of compute capability {} have no {}; choose fp16", gpu,
                     name_of(dtype));
}

// The 32 columns of a tile are half of what wgmma needs for its full rate: tiles stay with
// mma.sync.
std::string matrix_note(const Case& c, Architecture architecture) {
  if (uses_wgmma(c, architecture))
    return fmt::format("wgmma m64n256k{}", wgmma_step_bytes / size_of(c.dtype));
  const MmaShape shape = mma_shape(c.dtype, architecture.code);
  if (!shape.native()) return "";
  std::string note = fmt::format("mma.sync m{}n8k{}", shape.rows, mma_depth(shape, c.dtype));
  if (c.op() == Op::mma_sync) {
    note += ", the instruction of tiles";
  } else if (c.family == Family::matmul) {
    if (runs_wgmma(c.dtype, architecture)) note += ", not wgmma";
    if (needs_tcgen05(c.dtype, architecture)) note += ", not tcgen05";
  } else if (runs_wgmma(c.dtype, architecture)) {
    note += ", not wgmma: a tile has too few columns for it";
  } else if (needs_tcgen05(c.dtype, architecture)) {
    note += ", not tcgen05: the roof of these units is the library's";
  }
  return note;
}

Kernel matrix_row(Family family, Op op, Dtype dtype, Architecture architecture) {
  const std::string why_not = matrix_refusal(family, op, dtype, architecture);
  const Case c{.family = family, .ops = op, .dtype = dtype, .units = Units::matrix};
  return answered({.family = family, .op = op, .dtype = dtype, .units = Units::matrix}, why_not,
                  matrix_note(c, architecture));
}

// Instructions of a multiprocessor per clock and thread ("Arithmetic Instructions" in the CUDA C++
// Programming Guide): packed halves run at the rate of fp32.
double instructions_per_clock(Dtype dtype, int capability) {
  const bool data_center = capability % 10 == 0;  // 8.0, 9.0, 10.0
  if (dtype == Dtype::fp64) return data_center ? 64 : 2;
  const bool half_width = capability < 86 && capability != 0;  // 7.5, 8.0
  return dtype == Dtype::int32 || (half_width && dtype == Dtype::fp32) ? 64 : 128;
}

// On an H200: of the peak of its memory a copy reaches this share; the ridge is at 64 ops of fp32.
// Two vectors per thread are the fastest up to 0.62 of the ridge, a queue from 0.9 of it on
// (docs/lab-notes.md, "Chains on a GPU").
constexpr double of_peak = 0.87, usual_ridge = 64;
constexpr double memory_bound = 0.62, compute_bound = 0.9;

}  // namespace

Kernel tile_row(Family family, Dtype dtype, Units units, Architecture architecture) {
  if (units == Units::matrix) return matrix_row(family, Op::mma, dtype, architecture);
  return answered({.family = family, .op = Op::mma, .dtype = dtype}, vector_tile_refusal(dtype),
                  vector_tile_note(dtype));
}

Arithmetic chain_arithmetic(Dtype dtype, int architecture) {
  if (dtype == Dtype::bf16 && architecture < 800) return {Dtype::fp32};
  if (dtype == Dtype::int8) return {Dtype::int32};
  return {dtype};
}

std::vector<Kernel> kernels_of_chains(Architecture architecture) {
  return rows_of_chains(architecture.code, Family::chain, Family::chain->ops);
}

std::vector<Kernel> kernels_of_tiles(Architecture architecture) {
  std::vector<Kernel> rows;
  for (const DtypeInfo& info : dtypes) {
    for (const Units units : Family::tile->units)
      rows.push_back(tile_row(Family::tile, info.dtype, units, architecture));
  }
  return rows;
}

std::vector<Kernel> kernels_of_peaks(Architecture architecture) {
  std::vector<Kernel> rows = rows_of_chains(architecture.code, Family::peak, peak_ops);
  rows.push_back({.family = Family::peak,
                  .op = Op::fma,
                  .dtype = Dtype::int8,
                  .note = vector_tile_note(Dtype::int8)});
  for (const DtypeInfo& info : dtypes) {
    rows.push_back(matrix_row(Family::peak, Op::mma, info.dtype, architecture));
    if (has_both(info.dtype, architecture))
      rows.push_back(matrix_row(Family::peak, Op::mma_sync, info.dtype, architecture));
  }
  return rows;
}

std::vector<Kernel> operator_rows(Family family) {
  std::vector<Kernel> rows;
  for (const Op op : family->ops) {
    for (const DtypeInfo& info : dtypes) {
      const std::string why_not = refusal_of({.family = family, .ops = op, .dtype = info.dtype});
      rows.push_back(
          answered({.family = family, .op = op, .dtype = info.dtype}, why_not, operator_note(op)));
    }
  }
  return rows;
}

double ridge_ops(Dtype dtype, const RidgeFacts& gpu) {
  if (!(gpu.bytes_per_second > 0) || !(gpu.clock_hz > 0)) return usual_ridge;
  const double register_bytes = dtype == Dtype::fp64 ? 8 : 4;
  const double seconds_to_move = 2 * register_bytes / (of_peak * gpu.bytes_per_second);
  return seconds_to_move * instructions_per_clock(dtype, gpu.capability) * gpu.multiprocessors *
         gpu.clock_hz;
}

ChainForm chain_form(Dtype dtype, std::uint64_t ops, const RidgeFacts& gpu) {
  const double of_ridge = static_cast<double>(ops) / ridge_ops(dtype, gpu);
  if (of_ridge <= memory_bound) return ChainForm::few;
  return of_ridge < compute_bound ? ChainForm::many : ChainForm::queue;
}

}  // namespace kernels::cuda
