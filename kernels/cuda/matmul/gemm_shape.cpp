#include "kernels/cuda/matmul/gemm_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace kernels::cuda {
namespace {

constexpr std::string_view size_axis = "m n k";
constexpr std::string_view rank_axis = "algorithm rank";
// Leading dimensions of a multiple of 16 bytes are what every algorithm takes.
constexpr std::uint64_t granule = 16;

// A few milliseconds: at 8192 a data centre GPU takes 1.4 ms in bf16, 0.8 ms in fp8.
std::uint64_t side_of(const Case& c, int multiprocessors) {
  if (c.elements > 0) {
    const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(c.elements)));
    return std::max(2 * granule, side / (2 * granule) * (2 * granule));
  }
  const std::uint64_t side = size_of(c.dtype) <= 2 ? 8192 : 4096;
  return multiprocessors >= 64 ? side : side / 2;
}

std::vector<GemmSize> sizes_of(const Case& c, int multiprocessors) {
  const std::uint64_t s = side_of(c, multiprocessors);
  return {{s, s, s}, {2 * s, s, s}, {2 * s, 2 * s, s}, {s, s, 2 * s}, {4 * s, s / 2, s}};
}

std::string text_of(GemmSize size) { return fmt::format("{} {} {}", size.m, size.n, size.k); }

std::string sums(Dtype dtype) {
  if (dtype == Dtype::fp64) return "fp64 sums";
  if (dtype == Dtype::int8) return "int32 sums";
  if (dtype == Dtype::fp8) return "fp32 sums, fast accumulation, bf16 results";
  if (dtype == Dtype::fp32) return "fp32 sums on CUDA cores";
  return "fp32 sums";
}

}  // namespace

std::string gemm_refusal(Dtype dtype, int gpu) {
  if (dtype == Dtype::int32) return "cuBLASLt does not multiply int32; choose int8";
  const bool too_old = (dtype == Dtype::fp8 && gpu < 890) ||
                       ((dtype == Dtype::bf16 || dtype == Dtype::tf32) && gpu < 800);
  if (!too_old) return "";
  return fmt::format("matrix units of compute capability {}.{} have no {}; choose fp16", gpu / 100,
                     gpu / 10 % 10, name_of(dtype));
}

std::vector<ShapeAxis> gemm_axes(const Case& c, int multiprocessors) {
  ShapeAxis sizes{std::string(size_axis), {}};
  for (const GemmSize& size : sizes_of(c, multiprocessors)) sizes.values.push_back(text_of(size));
  ShapeAxis ranks{std::string(rank_axis), {}};
  for (int rank = 0; rank < gemm_algorithms; ++rank)
    ranks.values.push_back(fmt::format("{}", rank));
  return {sizes, ranks};
}

GemmSize gemm_size(const Case& c, int multiprocessors) {
  const std::vector<GemmSize> sizes = sizes_of(c, multiprocessors);
  const auto found = std::ranges::find(sizes, chosen_on(size_axis, c), text_of);
  return found == sizes.end() ? sizes.front() : *found;
}

int gemm_rank(const Case& c) {
  const std::string_view choice = chosen_on(rank_axis, c);
  int rank = 0;
  std::from_chars(choice.data(), choice.data() + choice.size(), rank);
  return rank;
}

std::vector<Kernel> gemm_rows(int gpu, const std::string& why_not, const std::string& library) {
  std::vector<Kernel> rows;
  for (const DtypeInfo& info : dtypes) {
    std::string why = gemm_refusal(info.dtype, gpu);
    if (why.empty()) why = why_not;
    rows.push_back(answered(
        {.family = Family::peak, .op = Op::gemm, .dtype = info.dtype, .units = Units::matrix}, why,
        fmt::format("{}, {}", library, sums(info.dtype))));
  }
  return rows;
}

Dtype gemm_result(Dtype dtype) {
  if (dtype == Dtype::tf32) return Dtype::fp32;
  if (dtype == Dtype::fp8) return Dtype::bf16;
  if (dtype == Dtype::int8) return Dtype::int32;
  return dtype;
}

// Twice gemm_terms, which a column of B reaches in no tensor that fits a device, is 2^7.
int gemm_a_bits(Dtype dtype) {
  constexpr int term_bits = 7;
  if (dtype == Dtype::int8) return term_bits;
  const int exact = info_of(gemm_result(dtype)).significand_bits - term_bits;
  return std::min(exact, info_of(dtype).significand_bits);
}

std::uint32_t gemm_density(std::uint64_t k) {
  constexpr std::uint64_t one = 1 << 16;
  return static_cast<std::uint32_t>(
      std::min(one, gemm_terms * one / std::max<std::uint64_t>(k, 1)));
}

}  // namespace kernels::cuda
