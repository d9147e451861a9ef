#include "kernels/cuda/rows.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "kernels/cuda/mma_layout.hpp"

namespace kernels::cuda {
namespace {

constexpr std::array chain_dtypes{Dtype::fp64, Dtype::fp32, Dtype::fp16, Dtype::bf16, Dtype::int32};
constexpr std::array chain_ops{Op::mul, Op::add, Op::fma};

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

void add_chains(std::vector<Kernel>& rows, int architecture) {
  for (const Family family : {Family::chain, Family::peak}) {
    for (const Op op : chain_ops) {
      for (const Dtype dtype : chain_dtypes) {
        rows.push_back({.family = family,
                        .op = op,
                        .dtype = dtype,
                        .units = Units::vector,
                        .note = chain_note(dtype, architecture)});
      }
    }
  }
}

std::string vector_tile_refusal(Dtype dtype) {
  if (dtype == Dtype::fp8) return "vector units have no fp8 arithmetic; choose fp16";
  if (dtype == Dtype::int32) return "tiles of integers are int8; choose int8";
  return "";
}

std::string vector_tile_note(Dtype dtype) {
  if (dtype == Dtype::int8) return "dp4a";
  if (dtype == Dtype::tf32) return "fp32 FMA on values that tf32 can hold";
  if (size_of(dtype) == 2) return fmt::format("{} storage, fp32 FMA", name_of(dtype));
  return "FMA";
}

std::string matrix_refusal(Dtype dtype, int architecture) {
  if (mma_shape(dtype, architecture).native()) return "";
  switch (dtype) {
    case Dtype::fp32:
      return "matrix units take fp32 only as tf32; choose tf32";
    case Dtype::int32:
      return "matrix units have no int32; choose int8";
    case Dtype::fp8:
      if (architecture >= 900) {
        return fmt::format(
            "on compute capability {} fp8 needs warpgroup or tcgen05 instructions (mma.sync is "
            "emulated); "
            "choose bf16",
            capability(architecture));
      }
      return fmt::format("matrix units of compute capability {} have no fp8; choose fp16",
                         capability(architecture));
    default:
      return fmt::format("matrix units of compute capability {} have no {}; choose fp16",
                         capability(architecture), name_of(dtype));
  }
}

std::string matrix_note(Dtype dtype, int architecture) {
  const MmaShape shape = mma_shape(dtype, architecture);
  if (!shape.native()) return "";
  const auto word_elements = shape.word_bytes / static_cast<int>(size_of(dtype));
  return fmt::format("mma.sync m{}n8k{}", shape.rows, 4 * shape.depth * word_elements);
}

void add_tiles(std::vector<Kernel>& rows, int architecture) {
  for (const DtypeInfo& info : dtypes) {
    const Dtype dtype = info.dtype;
    std::string why_not = vector_tile_refusal(dtype);
    rows.push_back({.family = Family::tile,
                    .op = Op::mma,
                    .dtype = dtype,
                    .units = Units::vector,
                    .runs = why_not.empty(),
                    .why_not = why_not,
                    .note = why_not.empty() ? vector_tile_note(dtype) : ""});
    why_not = matrix_refusal(dtype, architecture);
    for (const Family family : {Family::tile, Family::peak}) {
      rows.push_back({.family = family,
                      .op = Op::mma,
                      .dtype = dtype,
                      .units = Units::matrix,
                      .runs = why_not.empty(),
                      .why_not = why_not,
                      .note = matrix_note(dtype, architecture)});
    }
  }
}

}  // namespace

Arithmetic chain_arithmetic(Dtype dtype, int architecture) {
  if (dtype == Dtype::bf16 && architecture < 800) return {Dtype::fp32};
  return {dtype};
}

std::vector<Kernel> kernel_rows(int architecture) {
  std::vector<Kernel> rows;
  add_chains(rows, architecture);
  add_tiles(rows, architecture);
  for (const Op op : {Op::read, Op::write, Op::copy, Op::triad}) {
    rows.push_back(
        {.family = Family::stream, .op = op, .note = "16-byte accesses, four in flight"});
  }
  rows.push_back(
      {.family = Family::launch,
       .op = Op::none,
       .note = "empty kernel; fused: replayed as a graph, unfused: one by one in a stream"});
  return rows;
}

}  // namespace kernels::cuda
