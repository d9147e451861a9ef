// `matmul`: the product of two matrices.
#include "kernels/families/matmul/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/device.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/tile/tile_reference.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::mma};
constexpr std::array units{Units::vector, Units::matrix};
/// Sums of so many small integers are exact in fp32, by which results are checked; and products of
/// two lengths stay far inside 64 bits.
constexpr std::uint64_t longest = std::uint64_t{1} << 18;
/// The axes that must be there; the others are 0 where nobody says.
constexpr std::size_t lengths = 3;
constexpr std::array<std::string_view, 3> inputs_transposed{"A", "B", "A and B"};
constexpr std::array<std::string_view, 1> epilogues{"bias and relu"};
/// With an epilogue the sums of a check are up to twice as large: see IntegerProduct::bias().
constexpr std::uint64_t longest_with_epilogue = std::uint64_t{1} << 16;
constexpr std::size_t epilogue_axis = 5;
constexpr std::array<AxisInfo, 6> axes{{
    {"m", "rows", "Rows of A and C of a matrix product.", 1, longest, 1024},
    {"n", "columns", "Columns of B and C of a matrix product.", 1, longest, 1024},
    {"k", "columns", "Columns of A and rows of B of a matrix product.", 1, longest, 1024},
    {"batch", "products", "Products of the same size, one after the other in memory.", 1, longest,
     0},
    {"transposed", "", "Which inputs lie transposed in memory: 1 A, 2 B, 3 both.", 1, 3, 0,
     inputs_transposed},
    {"epilogue", "", "What the kernel does to C before it writes it: 1 adds a bias and takes relu.",
     1, 1, 0, epilogues},
}};

/// m, n, k and the batch.
struct Sizes {
  double m, n, k, batch;
};
Sizes sizes_of(const Case& c) {
  const MatmulSize size = matmul_size(c);
  return {static_cast<double>(size.m), static_cast<double>(size.n), static_cast<double>(size.k),
          static_cast<double>(size.batch)};
}

/// C, byte.
double written_by(const Case& c) {
  const auto [m, n, k, batch] = sizes_of(c);
  return batch * static_cast<double>(size_of(matmul_result(c.dtype))) * m * n;
}

/// A, B and C, each once, and the bias.
double bytes_of(const Case& c) {
  const auto [m, n, k, batch] = sizes_of(c);
  const auto result = static_cast<double>(size_of(matmul_result(c.dtype)));
  const double bias = epilogue_of(c) == Epilogue::none ? 0 : result * n;
  return batch * static_cast<double>(size_of(c.dtype)) * (m * k + k * n) + bias + written_by(c);
}

/// 2 m n k FLOP for each product; A and B are read once and C is written once, in the dtype of the
/// sums. An epilogue is an addition and a comparison for each element of C, and reads the bias.
Work work(const Case& c) {
  const auto [m, n, k, batch] = sizes_of(c);
  const double of_element = 2 * k + (epilogue_of(c) == Epilogue::none ? 0 : 2);
  return {.flops = m * n * of_element * batch, .bytes = bytes_of(c), .launches = 1};
}

/// As of tiles: on vector units floats below fp32, and tf32, are widened to fp32, unless there are
/// dot products of bf16 pairs. A library has the fastest instruction of the matrix units, whose
/// peak is its own roof where no kernel of ours reaches it.
Bounds bounds(const Case& c) {
  Bounds bounds = Family::tile->bounds(c);
  if (c.by == By::library && c.units == Units::matrix)
    bounds.compute = {{c.dtype, c.units, Op::mma}, {c.dtype, c.units, Op::gemm, 1, true}};
  bounds.memory = memory_roof(bytes_of(c) - written_by(c), written_by(c));
  return bounds;
}

std::string refuse(const Case& c) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool missing = i < lengths && c.more[i] < 1;
    if (missing || c.more[i] > axes[i].high)
      return fmt::format("{} {}: a matrix product takes 1 to {} {}", axes[i].name, c.more[i],
                         axes[i].high, axes[i].unit);
  }
  // Whatever is counted in elements stays far inside 64 bits.
  if (const auto [m, n, k, batch] = sizes_of(c); batch * std::max({m * k, k * n, m * n}) > 0x1p48)
    return fmt::format("{} products of {} x {} x {} do not fit any memory: choose fewer", batch, m,
                       n, k);
  if (epilogue_of(c) != Epilogue::none) {
    if (info_of(c.dtype).integer)
      return "a bias and relu follow products of floating point: choose another element type";
    if (const std::uint64_t k = c.more[2]; k > longest_with_epilogue)
      return fmt::format("k {}: a matrix product with bias and relu takes 1 to {} columns", k,
                         longest_with_epilogue);
  }
  if (c.repeat != 1) return "a matrix product runs once: leave repeat at 1";
  const bool known = std::ranges::all_of(c.shape, [](const ShapeChoice& one) {
    return one.axis == edges_axis && (one.value == trimmed_edges || one.value == whole_edges);
  });
  if (!known)
    return fmt::format("{}: a matrix product has edges that are trimmed or whole",
                       text_of(c.shape));
  if (c.by == By::generated) return "no matrix product is generated: choose our own or a library's";
  return "";
}

std::string tag(const Case& c) {
  return fmt::format("{}matmul{}", c.by == By::library ? "library " : "",
                     c.units == Units::matrix ? " matrix" : "");
}

/// One product of a length that every kernel and library takes.
Case least(Case c) { return with_size(c, {least_elements, least_elements, least_elements}); }

}  // namespace

extern const FamilyInfo matmul_family{
    .name = "matmul",
    .help = "a matrix product",
    .ops = ops,
    .for_labs = true,
    .sized = false,
    .units = units,
    .axes = axes,
    .work = work,
    .footprint = bytes_of,
    .bounds = bounds,
    .least = least,
    .refuse = refuse,
    .tag = tag,
};

MatmulSize matmul_size(const Case& c) {
  return {c.more[0], c.more[1], c.more[2], std::max<std::uint64_t>(1, c.more[3]),
          static_cast<Transposed>(c.more[4])};
}

Case with_size(Case c, MatmulSize size) {
  const std::uint64_t epilogue = c.more[epilogue_axis];
  c.more = {size.m,
            size.n,
            size.k,
            size.batch > 1 ? size.batch : 0,
            static_cast<std::uint64_t>(size.transposed),
            epilogue};
  return c;
}

Epilogue epilogue_of(const Case& c) { return static_cast<Epilogue>(c.more[epilogue_axis]); }

Case with_epilogue(Case c, Epilogue epilogue) {
  c.more[epilogue_axis] = static_cast<std::uint64_t>(epilogue);
  return c;
}

Case matmul_case(Dtype dtype, Units units_used, MatmulSize size, Data data, By by) {
  return with_size({.family = Family::matmul,
                    .ops = Op::mma,
                    .dtype = dtype,
                    .units = units_used,
                    .data = data,
                    .by = by},
                   size);
}

Dtype matmul_result(Dtype dtype) {
  if (info_of(dtype).integer) return Dtype::int32;
  return dtype == Dtype::fp64 ? Dtype::fp64 : Dtype::fp32;
}

bool has_whole_edges(const Case& c) { return chosen_on(edges_axis, c) == whole_edges; }

std::uint64_t matmul_tiles(MatmulSize size, std::uint64_t tile) {
  const auto tiles = [&](std::uint64_t length) { return (length + tile - 1) / tile; };
  return tiles(size.m) * tiles(size.n);
}

std::uint64_t matmul_waves(MatmulSize size, int cores, std::uint64_t tile) {
  const auto most = static_cast<std::uint64_t>(std::max(cores, 1));
  return (matmul_tiles(size, tile) + most - 1) / most;
}

double matmul_tolerance(Dtype dtype, std::uint64_t k, Units units_used) {
  if (info_of(dtype).integer) return 0;
  const double product = (static_cast<double>(k) + 2) * unit_roundoff(dtype, units_used);
  return product < 1 ? product / (1 - product) : 1;
}

}  // namespace kernels
