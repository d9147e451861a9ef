// Operators of neural networks on a real GPU: each alone, chains in every way that they are run,
// convolutions.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kernels/families/conv/conv.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "tests/cuda/gpu/gpu_under_test.hpp"

using namespace kernels;

namespace {

/// The case verifies, and its run takes time.
void check_operator(Device& gpu, const Case& c) {
  CAPTURE(describe(c));
  const auto trial = gpu.prepare(c, {});
  const Check check = trial->verify({});
  CHECK_MESSAGE(check.ok, check.why);
  CHECK(trial->run({}).seconds > 0);
}

}  // namespace

TEST_CASE("every operator of a neural network is right, at odd sizes and rows of any length") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  for (const Kernel& row : gpu->kernels()) {
    if (!row.runs) continue;
    const Case c{.family = row.family, .ops = row.op, .dtype = row.dtype};
    if (row.family == Family::pointwise) {
      for (const std::uint64_t elements : {1, 4099, 1'000'003})
        check_operator(*gpu, with(c, "elements", elements));
    }
    if (row.family == Family::rowwise) {
      for (const std::uint64_t columns : {64, 192, 1024, 4096, 8256, 65536})
        check_operator(*gpu, with(with(c, "elements", 128 * columns), "columns", columns));
    }
  }
}

TEST_CASE("every operator is right forward and backward, kept, recomputed and unfused") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
    for (const Op op : Family::pointwise->ops) {
      for (const std::uint64_t elements : {64, 64 * 1001, 1 << 22}) {
        Case c{.family = Family::pointwise,
               .ops = {op, Op::mul},
               .dtype = dtype,
               .elements = elements,
               .by = By::generated};
        try {
          check_operator(*gpu, with_activations(c, Activations::kept));
          check_operator(*gpu, with_activations(c, Activations::recomputed));
          c.fusion = Fusion::unfused;
          check_operator(*gpu, with_activations(c, Activations::kept));
        } catch (const Unsupported& reason) {  // a machine without NVRTC
          MESSAGE(std::string(reason.what()));
        }
      }
    }
  }
}

TEST_CASE("the first choice of cuDNN is right, and every algorithm that it offers") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  for (const ConvSize size : {ConvSize{1, 1, 1, 1}, {2, 3, 5, 7}, {4, 64, 64, 56}}) {
    const Case first = conv_case(size, Data::random, "", By::library);
    std::vector<std::string> algorithms{""};
    for (const ShapeAxis& axis : gpu->shape_axes(first))
      algorithms.insert(algorithms.end(), axis.values.begin(), axis.values.end());
    for (const std::string& algorithm : algorithms) {
      try {
        check_operator(*gpu, conv_case(size, Data::random, algorithm, By::library));
      } catch (const Unsupported& reason) {  // a machine without cuDNN, or not for this size
        MESSAGE(std::string(reason.what()));
      }
    }
  }
}

TEST_CASE("chains of operators are right, unfused, by a list and generated") {
  Device* const gpu = gpu_under_test::device();
  if (gpu == nullptr) return;
  for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
    for (const Ops& ops : {Ops{Op::cos, Op::cos}, Ops{Op::relu, Op::mul, Op::gelu, Op::add},
                           Ops{Op::exp, Op::reciprocal, Op::tanh, Op::silu, Op::gelu_tanh}}) {
      for (const std::uint64_t length : {1, 2, 8, 16}) {
        Case c{.family = Family::pointwise, .ops = ops, .dtype = dtype, .elements = 100'003};
        c = with(c, "length", length);
        check_operator(*gpu, c);
        c.fusion = Fusion::unfused;
        check_operator(*gpu, c);
        c.fusion = Fusion::fused;
        c.by = By::generated;
        try {
          check_operator(*gpu, c);
        } catch (const Unsupported& reason) {  // a machine without NVRTC
          MESSAGE(std::string(reason.what()));
        }
      }
    }
  }
}
