// Chains of pointwise operators forward and backward: the reference against differences, every
// operator in every instruction set, and what is refused.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "kernels/cpu/loaded/chain_source.hpp"
#include "kernels/cpu/loaded/vector_math.hpp"
#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/trials/device.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "kernels/families/pointwise/pointwise_reference.hpp"
#include "kernels/families/reference.hpp"
#include "kernels/operator_flops.hpp"
#include "tests/kernels/cpu_devices.hpp"
#include "tests/text.hpp"

using namespace kernels;
using namespace kernels::cpu;
using tests::contains;

namespace {

Abilities abilities() {
  return {.features = processor_features(),
          .amx = false,
          .why_no_amx = "not looked for",
          .why_no_vector_math = why_no_vector_math()};
}

Case chain(Ops ops, Activations activations, std::uint64_t elements = 64 * 1001) {
  Case c{.family = Family::pointwise, .ops = ops, .elements = elements};
  c.by = By::generated;
  return with_activations(c, activations);
}

std::string why_not(CpuDevice& device, const Case& c) {
  try {
    device.prepare(c, {});
  } catch (const Unsupported& reason) {
    return reason.what();
  }
  return "";
}

}  // namespace

TEST_CASE("gradients of chains are what differences of them say") {
  for (const Op op : Family::pointwise->ops) {
    Case c = chain({op, Op::mul, op}, Activations::kept);
    c.dtype = Dtype::fp64;
    for (std::uint64_t i = 0; i < 20; ++i) {
      CAPTURE(op->name);
      const double x = random_element(Dtype::fp64, 3, i);
      constexpr double step = 1e-6;
      const auto f = [&](double at) { return expected_pointwise(c, at).value; };
      const double difference = (f(x + step) - f(x - step)) / (2 * step);
      CHECK(expected_gradient(c, x, 2).value == doctest::Approx(2 * difference).epsilon(1e-6));
    }
  }
}

TEST_CASE(
    "the error bound of a gradient is small where operators are, and tells where they are not") {
  const Expected one = expected_gradient(chain(Op::mul, Activations::kept), 1, 1);
  CHECK(one.error < 0x1p-21);
  CHECK(one.tells());
  CHECK_FALSE(
      expected_gradient(chain({Op::exp, Op::exp, Op::exp, Op::exp}, Activations::kept), 2, 1)
          .tells());
}

TEST_CASE("every operator is right forward and backward, kept and recomputed, fused and not") {
  for (const Isa& isa : usable_tables(abilities())) {
    if (isa.count < 60) continue;  // tables of a few instructions have no operators
    CpuDevice device("/", cores(), abilities(), Selection(abilities(), {isa}));
    for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
      for (const Activations how : {Activations::kept, Activations::recomputed}) {
        for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
          Ops all{Op::relu, Op::mul, Op::add, Op::sqrt, Op::reciprocal};
          if (why_no_vector_math().empty())
            all = {Op::gelu, Op::silu, Op::cos, Op::exp, Op::tanh, Op::gelu_tanh};
          Case c = chain(all, how);
          c.dtype = dtype;
          c.fusion = fusion;
          if (!refusal_of(c).empty()) continue;
          CAPTURE(isa.name);
          CAPTURE(describe(c));
          const auto trial = device.prepare(c, {});
          const Check check = trial->verify({});
          CHECK_MESSAGE(check.ok, check.why);
          CHECK(trial->run({}).seconds > 0);
          CHECK(trial->run({}).values.front().value == footprint_of(c));
        }
      }
    }
  }
}

TEST_CASE("simple operators are right alone, and where tensors are past the caches") {
  CpuDevice device("/", cores(), abilities(), Selection(abilities()));
  for (const Op op : {Op::mul, Op::add, Op::sqrt, Op::relu, Op::reciprocal}) {
    for (const Activations how : {Activations::kept, Activations::recomputed}) {
      const Check check = device.prepare(chain({op, op}, how), {})->verify({});
      CAPTURE(op->name);
      CHECK_MESSAGE(check.ok, check.why);
    }
  }
  for (const Activations how : {Activations::kept, Activations::recomputed}) {
    Case large = with(chain(Op::mul, how, std::uint64_t{1} << 25), "length", 3);
    const Check check = device.prepare(large, {})->verify({});
    CHECK_MESSAGE(check.ok, check.why);
  }
}

TEST_CASE("work of both passes: kept moves every result twice, recomputed runs operators again") {
  Case c = with(chain(Op::tanh, Activations::kept, 640), "length", 4);
  const double n = 640;
  const auto [tanh, gradient, shared] = cpu_operator_flops.pointwise(Op::tanh, Dtype::fp32);
  CHECK(tanh == 108);
  CHECK(gradient == 111);
  CHECK(shared == 0);
  CHECK(work_of(c) == Work{n * 4 * (tanh + gradient), 11 * 4 * n, 2});
  CHECK(footprint_of(c) == 7 * 4 * n);
  c.fusion = Fusion::unfused;
  CHECK(work_of(c) == Work{n * 4 * (tanh + gradient), 20 * 4 * n, 8});
  CHECK(footprint_of(c) == 7 * 4 * n);
  c = with_activations(c, Activations::recomputed);
  c.fusion = Fusion::fused;
  CHECK(work_of(c) == Work{n * (7 * tanh + 4 * gradient), 5 * 4 * n, 2});
  const PointwiseFlops gpu = cuda_operator_flops.pointwise(Op::tanh, Dtype::fp32);
  CHECK(gpu.shared > 0);
  CHECK(work_of(c, "cuda").flops ==
        doctest::Approx(n * (7 * gpu.forward + 4 * gpu.gradient - 3 * gpu.shared)));
  CHECK(footprint_of(c) == 4 * 4 * n);
}

TEST_CASE("what cannot run forward and backward says why") {
  CpuDevice device("/", cores(), abilities(), Selection(abilities()));
  Case c = chain(Op::mul, Activations::recomputed);
  c.fusion = Fusion::unfused;
  CHECK(contains(why_not(device, c), "recomputed in a fused kernel"));
  CHECK(contains(why_not(device, chain(Op::mul, Activations::kept, 100)), "multiples of 64"));
  c = chain(Op::mul, Activations::kept);
  c.by = By::own;
  CHECK(contains(why_not(device, c), "are generated"));
  CHECK(contains(why_not(device, with(chain(Op::mul, Activations::kept), "activations", 3)),
                 "kept (1) or recomputed (2)"));
  CHECK(contains(why_not(device, with(chain(Op::mul, Activations::kept, std::uint64_t{1} << 40),
                                      "length", 16)),
                 "memory"));
  if (!why_no_vector_math().empty()) return;
  CHECK(contains(why_not(device, with(chain(Op::exp, Activations::kept), "length", 12)),
                 "too large to verify enough results"));
}

TEST_CASE("the generated text applies derivatives from the last operator to the first") {
  const std::string text =
      gradient_source(chain({Op::relu, Op::tanh}, Activations::kept), isa_baseline);
  CHECK(contains(text, "Forward and backward pass of 2 operators of relu,tanh in fp32"));
  CHECK(text.find("tanh_gradient(x[1]") < text.find("relu_gradient(x[0]"));
}
