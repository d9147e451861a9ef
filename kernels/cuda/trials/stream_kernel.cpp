#include "kernels/cuda/trials/stream_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/trials/shapes.hpp"

namespace kernels::cuda {
namespace {

StreamShape ring_shape(const Case& c, const ShapeValues& shape) {
  static const auto kernels = ring_kernels();
  const int in_flight = shape.number("in flight", 4);
  const Op op = c.op() == Op::l2_slices ? Op::l2 : c.op();
  const auto kernel = std::ranges::find_if(
      kernels, [&](const RingKernel& k) { return k.op == op && k.in_flight == in_flight; });
  if (kernel == kernels.end()) throw Unsupported(fmt::format("no kernel for {}", describe(c)));
  return {.function = kernel->function,
          .in_flight = in_flight,
          .width = sizeof(Vector),
          .ring = true,
          .rotated = c.op() == Op::l2};
}

}  // namespace

StreamShape stream_shape(const Case& c, Architecture architecture) {
  const ShapeValues shape(c, architecture);
  if (walks_a_ring(c)) return ring_shape(c, shape);
  static const auto kernels = stream_kernels();
  const int in_flight = shape.number("in flight", 1), width = shape.number("width", 16);
  const auto kernel = std::ranges::find_if(kernels, [&](const StreamKernel& k) {
    return k.op == c.op() && k.in_flight == in_flight && k.width == width;
  });
  if (kernel == kernels.end() && width == 32) {
    throw Unsupported(
        "this program was built without accesses of 32 bytes: they need CUDA Toolkit "
        "12.9 or newer");
  }
  if (kernel == kernels.end()) throw Unsupported(fmt::format("no kernel for {}", describe(c)));
  return {.function = kernel->function,
          .in_flight = in_flight,
          .width = width,
          .ring = false,
          .rotated = false};
}

}  // namespace kernels::cuda
