#include "kernels/case.hpp"

#include <fmt/format.h>

#include "engine/units.hpp"

namespace kernels {
namespace {

constexpr std::array<std::string_view, 5> family_names{"chain", "tile", "stream", "peak", "launch"};
constexpr std::array<std::string_view, 12> op_names{"mul",  "add",     "fma",  "mma",
                                                    "read", "write",   "copy", "triad",
                                                    "none", "mul+add", "gemm", "shared"};
constexpr std::array<std::string_view, 2> fusion_names{"fused", "unfused"};
constexpr std::array<std::string_view, 2> units_names{"vector", "matrix"};
constexpr std::array<std::string_view, 2> data_names{"random", "zeros"};

template <typename Enum, std::size_t count>
std::optional<Enum> named(const std::array<std::string_view, count>& names, std::string_view name) {
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

/// The numbers of a case that the formulas are made of.
struct Terms {
  double elements, element_bytes, repeat, flops_per_op;
  bool fused;
};

Terms terms_of(const Case& c) {
  const bool two = c.op == Op::fma || c.op == Op::mul_add || c.op == Op::mma;
  return {static_cast<double>(c.elements), static_cast<double>(size_of(c.dtype)),
          static_cast<double>(c.repeat), two ? 2.0 : 1.0, c.fusion == Fusion::fused};
}

Work chain_work(const Terms& s) {
  const double passes = s.fused ? 1 : s.repeat;
  return {.flops = s.elements * s.repeat * s.flops_per_op,
          .bytes = passes * 2 * s.elements * s.element_bytes,
          .launches = passes};
}

double tiles_of(const Case& c) {
  return static_cast<double>(c.elements) / static_cast<double>(tile_elements(c.dtype));
}

double tile_flops(const Case& c) {
  return tiles_of(c) * 2 * static_cast<double>(tile_rows * tile_columns * tile_depth(c.dtype)) *
         static_cast<double>(c.repeat);
}

/// All accumulators of a tile case.
double tile_result_bytes(const Case& c) {
  return tiles_of(c) *
         static_cast<double>(tile_rows * tile_columns * info_of(c.dtype).accumulator_size);
}

Work tile_work(const Case& c, const Terms& s) {
  const double a = s.elements * s.element_bytes;
  const double d = tile_result_bytes(c);
  const double passes = s.fused ? 1 : s.repeat;
  // Every pass reads A and writes D; every pass but the first reads D.
  return {.flops = tile_flops(c), .bytes = passes * (a + d) + (passes - 1) * d, .launches = passes};
}

/// Tensors of N elements that a stream op touches.
double stream_tensors(Op op) { return op == Op::triad ? 3 : op == Op::copy ? 2 : 1; }

}  // namespace

std::string_view name_of(Family family) { return family_names[static_cast<std::size_t>(family)]; }
std::string_view name_of(Op op) { return op_names[static_cast<std::size_t>(op)]; }
std::string_view name_of(Fusion fusion) { return fusion_names[static_cast<std::size_t>(fusion)]; }
std::string_view name_of(Units units) { return units_names[static_cast<std::size_t>(units)]; }
std::string_view name_of(Data data) { return data_names[static_cast<std::size_t>(data)]; }

std::optional<Family> family_named(std::string_view name) {
  return named<Family>(family_names, name);
}
std::optional<Op> op_named(std::string_view name) { return named<Op>(op_names, name); }
std::optional<Fusion> fusion_named(std::string_view name) {
  return named<Fusion>(fusion_names, name);
}
std::optional<Units> units_named(std::string_view name) { return named<Units>(units_names, name); }

std::optional<Data> data_named(std::string_view name) { return named<Data>(data_names, name); }

std::string text_of(const Shape& shape) {
  std::string text;
  for (const ShapeChoice& choice : shape) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", choice.axis, choice.value);
  }
  return text;
}

Work work_of(const Case& c) {
  const Terms s = terms_of(c);
  switch (c.family) {
    case Family::chain:
      return chain_work(s);
    case Family::tile:
      return tile_work(c, s);
    case Family::stream:
      return {.flops = c.op == Op::triad ? s.repeat * 2 * s.elements : 0,
              .bytes = s.repeat * stream_tensors(c.op) * s.elements * s.element_bytes,
              .launches = 1};
    case Family::peak:
      if (c.op == Op::gemm) return {.flops = 0, .bytes = 0, .launches = 1};
      return {.flops =
                  c.units == Units::matrix ? tile_flops(c) : s.elements * s.repeat * s.flops_per_op,
              .bytes = 0,
              .launches = 1};
    case Family::launch:
      return {.flops = 0, .bytes = 0, .launches = s.repeat};
  }
  return {};
}

double footprint_of(const Case& c) {
  const Terms s = terms_of(c);
  const double tensor = s.elements * s.element_bytes;
  switch (c.family) {
    case Family::chain:
      return (s.fused || c.repeat < 2 ? 2 : 3) * tensor;
    case Family::tile:
      return tensor + tile_result_bytes(c) + static_cast<double>(tile_row_bytes * tile_columns);
    case Family::stream:
      return stream_tensors(c.op) * tensor;
    case Family::peak:
    case Family::launch:
      return 0;
  }
  return 0;
}

std::string describe(const Case& c) {
  std::string text = fmt::format("{}", name_of(c.family));
  if (c.family == Family::launch) return text + fmt::format(" repeat {}", c.repeat);
  text += fmt::format(" {} {}", name_of(c.op), name_of(c.dtype));
  const bool workload = c.family == Family::chain || c.family == Family::tile;
  if (c.units == Units::matrix) text += " matrix";
  if (workload) text += fmt::format(" {}", name_of(c.fusion));
  if (c.family != Family::stream || c.repeat > 1) text += fmt::format(" repeat {}", c.repeat);
  if (c.elements > 0) {
    text += fmt::format(", {} elements", units::count(static_cast<double>(c.elements)));
  }
  if (c.data == Data::zeros) text += ", zeros";
  if (!c.shape.empty()) text += fmt::format(", {}", text_of(c.shape));
  return text;
}

}  // namespace kernels
