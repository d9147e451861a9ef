#include "kernels/cuda/trials/stream_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/trials/shapes.hpp"

namespace kernels::cuda {
namespace {

StreamShape shared_shape(const Case& c, const ShapeValues& shape) {
  static const auto kernels = shared_kernels();
  const int in_flight = shape.number("in flight", 4);
  const auto kernel = std::ranges::find(kernels, in_flight, &SharedKernel::in_flight);
  if (kernel == kernels.end()) throw Unsupported(fmt::format("no kernel for {}", describe(c)));
  return {.function = kernel->function,
          .in_flight = in_flight,
          .width = sizeof(Vector),
          .contiguous = true,
          .block_per_chunk = false,
          .blocks_per_multiprocessor = shape.number("blocks per SM", 0)};
}

}  // namespace

StreamShape stream_shape(const Case& c, Architecture architecture) {
  const ShapeValues shape(c, architecture);
  if (c.op() == Op::shared) return shared_shape(c, shape);
  static const auto kernels = stream_kernels();
  const int in_flight = shape.number("in flight", 4), width = shape.number("width", 16);
  const StreamHint hint = c.op() == Op::l2                  ? StreamHint::past_l1
                          : shape.is("hints", "streaming") ? StreamHint::streaming
                                                           : StreamHint::none;
  const auto kernel = std::ranges::find_if(kernels, [&](const StreamKernel& k) {
    return k.op == c.op() && k.in_flight == in_flight && k.width == width && k.hint == hint;
  });
  if (kernel == kernels.end() && width == 32) {
    throw Unsupported("this program was built without accesses of 32 bytes: they need CUDA Toolkit "
                      "12.9 or newer");
  }
  if (kernel == kernels.end()) throw Unsupported(fmt::format("no kernel for {}", describe(c)));
  const bool many = shape.is("blocks per SM", "many"), contiguous = shape.is("walk", "contiguous");
  if (many && contiguous) {
    throw Unsupported("a block per chunk has only one order of access");
  }
  return {.function = kernel->function,
          .in_flight = in_flight,
          .width = width,
          .contiguous = contiguous,
          .block_per_chunk = many,
          .blocks_per_multiprocessor = shape.number("blocks per SM", 0)};
}

}  // namespace kernels::cuda
