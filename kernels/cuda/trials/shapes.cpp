#include "kernels/cuda/trials/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/bodies/mma_layout.hpp"
#include "kernels/cuda/bodies/wgmma_layout.hpp"

namespace kernels::cuda {
namespace {

using Values = std::vector<std::string>;

// As the tables of peak.cuh have it.
std::vector<ShapeAxis> vector_peak_axes(const Case& c) {
  // Loop control costs an H200 7 % at 64 ops a trip, 1 to 2 % at 256 and nothing that shows at
  // 1024.
  const Values unrolls = info_of(c.dtype).integer ? Values{"256"} : Values{"1024", "256"};
  if (c.op() == Op::fma) {
    // Three registers are too many for some devices; an H200 is never faster with them.
    const bool wide = c.dtype == Dtype::fp32 || c.dtype == Dtype::fp64;
    const Values operands = wide ? Values{"uniform", "immediate"} : Values{"registers", "uniform"};
    return {{"chains", {"8", "4"}}, {"unroll", unrolls}, {"operands", operands}};
  }
  if (c.op() == Op::mul_add) {
    return {{"chains", {"8", "4"}}, {"unroll", unrolls}, {"operands", {"registers", "uniform"}}};
  }
  return {{"chains", {"8", "4"}}, {"operands", {"registers", "uniform"}}};
}

std::vector<ShapeAxis> matrix_peak_axes(const Case& c, Architecture architecture) {
  const Values warps{"most", "16", "12", "8", "4"};
  if (!uses_wgmma(c, architecture)) {
    const bool wide = c.dtype == Dtype::fp64;
    return {{"accumulators", wide ? Values{"32", "16", "64"} : Values{"32", "16", "64", "128"}},
            {"warps per SM", warps}};
  }
  return {{"accumulators", {"128", "64", "32", "16"}},
          {"A from", {"shared memory", "registers"}},
          {"layout", {"swizzled", "plain"}},
          {"warps per SM", warps}};
}

// Of one pass a block for each chunk of the tensor, handed out by the device as others end: on an
// H200 and an H100 a grid of as many blocks as run at once moves up to 8 % less. Loads and stores
// carry no hint: docs/lab-notes.md, "Memory roofs".
std::vector<ShapeAxis> stream_axes(const Case& c, Architecture architecture) {
  if (walks_a_ring(c)) {
    return {{"in flight", only_reads(c.op()) ? Values{"4", "8"} : Values{"4"}}};
  }
  return {{"in flight", c.op() == Op::read ? Values{"8", "4"} : Values{"1", "2", "4"}},
          {"width", architecture.code >= 1000 ? Values{"16", "32"} : Values{"16"}}};
}

}  // namespace

bool walks_a_ring(const Case& c) {
  return c.repeat > 1 || c.op() == Op::l2 || c.op() == Op::l2_slices || c.op() == Op::shared;
}

// It exists as machine code of 9.0a, which no other GPU runs.
bool runs_wgmma(Dtype dtype, Architecture architecture) {
  return architecture.gpu == 900 && wgmma_native(dtype, architecture.code);
}

bool uses_wgmma(const Case& c, Architecture architecture) {
  return c.family == Family::peak && c.op() == Op::mma && c.units == Units::matrix &&
         runs_wgmma(c.dtype, architecture);
}

std::vector<ShapeAxis> shape_axes(const Case& c, Architecture architecture) {
  std::vector<ShapeAxis> axes;
  if (c.family == Family::stream) axes = stream_axes(c, architecture);
  if (c.family == Family::peak && c.units == Units::vector) axes = vector_peak_axes(c);
  const bool product = c.op() == Op::mma || c.op() == Op::mma_sync;
  if (c.family == Family::peak && product) axes = matrix_peak_axes(c, architecture);
  std::erase_if(axes, [](const ShapeAxis& axis) { return axis.values.size() < 2; });
  return axes;
}

void refuse_unknown_shape(const Case& c, std::span<const ShapeAxis> axes) {
  for (const ShapeChoice& choice : c.shape) {
    const auto axis = std::ranges::find(axes, choice.axis, &ShapeAxis::name);
    if (axis == axes.end()) {
      throw Unsupported(fmt::format("{} has no shape \"{}\"", describe(c), choice.axis));
    }
    if (std::ranges::find(axis->values, choice.value) == axis->values.end()) {
      throw Unsupported(fmt::format("{} of {} can be {}, not \"{}\"", choice.axis,
                                    name_of(c.family), fmt::join(axis->values, ", "),
                                    choice.value));
    }
  }
}

ShapeValues::ShapeValues(const Case& c, Architecture architecture) {
  const auto axes = shape_axes(c, architecture);
  for (const ShapeAxis& axis : axes) values_.push_back({axis.name, axis.values.front()});
  refuse_unknown_shape(c, axes);
  for (const ShapeChoice& choice : c.shape) {
    std::ranges::find(values_, choice.axis, &ShapeChoice::axis)->value = choice.value;
  }
}

const std::string& ShapeValues::operator[](std::string_view axis) const {
  static const std::string none;
  const auto found = std::ranges::find(values_, axis, &ShapeChoice::axis);
  return found == values_.end() ? none : found->value;
}

int ShapeValues::number(std::string_view axis, int fallback) const {
  const std::string& text = (*this)[axis];
  int value = fallback;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace kernels::cuda
