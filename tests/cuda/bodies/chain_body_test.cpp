#include "kernels/families/chain/chain_body.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "kernels/cuda/trials/rows.hpp"
#include "kernels/families/reference.hpp"
#include "kernels/random.hpp"
#include "tests/cuda/fakes/emulation.hpp"

using namespace kernels;
using namespace kernels::cuda;

namespace {

// The lanes that a dtype has on an architecture, with host stand-ins for packed pairs.
template <Dtype dtype>
struct Emulated;
template <>
struct Emulated<Dtype::fp64> {
  using Lanes = Packed<double>;
};
template <>
struct Emulated<Dtype::fp32> {
  using Lanes = Packed<float>;
};
template <>
struct Emulated<Dtype::int32> {
  using Lanes = Packed<Wrapping>;
};
template <>
struct Emulated<Dtype::fp16> {
  using Lanes = Packed<HostPair<Dtype::fp16>, 2>;
};
template <>
struct Emulated<Dtype::bf16> {
  using Lanes = Packed<HostPair<Dtype::bf16>, 2>;
};

std::uint64_t operand_pattern(Dtype arithmetic, double value) {
  const std::uint64_t bits = encode(arithmetic, value);
  return size_of(arithmetic) == 2 ? bits | bits << 16 : bits;
}

HostTensor input(const Case& c, std::uint64_t seed) {
  const std::size_t bytes = size_of(c.dtype);
  HostTensor tensor(c.elements * bytes);
  for (std::uint64_t i = 0; i < c.elements; ++i) {
    const std::uint64_t bits = random_bits(c.dtype, seed, i);
    std::memcpy(&tensor.byte(i * bytes), &bits, bytes);
  }
  return tensor;
}

// What ends before a launch does, by the form of the kernel.
template <class Lanes, class Op, ChainForm form>
void launch_chain(const ChainArguments& args, std::size_t element_bytes) {
  constexpr int vectors = form == ChainForm::few ? few_vectors : many_vectors;
  const std::uint64_t each = chain_elements(vectors, element_bytes);
  const std::uint64_t parts = (args.elements + each - 1) / each;
  const std::uint64_t blocks = form == ChainForm::queue ? std::min<std::uint64_t>(parts, 2) : parts;
  launch_on_host(blocks, chain_threads, [&](Place place) {
    if constexpr (form == ChainForm::queue) {
      NoQueue queue;
      chain_queue_thread<Lanes, Op>(args, place, blocks, queue);
    } else {
      chain_thread<Lanes, Op, vectors>(args, place);
    }
  });
}

template <class Lanes, class Op, ChainForm form>
HostTensor run(const Case& c, Dtype arithmetic, HostTensor& in) {
  HostTensor out(c.elements * size_of(c.dtype));
  const Operands operands = operands_of(c.op(), c.dtype);
  const ChainArguments args{.in = in.data(),
                            .out = out.data(),
                            .elements = c.elements,
                            .a = operand_pattern(arithmetic, operands.a),
                            .b = operand_pattern(arithmetic, operands.b),
                            .repeat = static_cast<std::uint32_t>(c.repeat)};
  launch_chain<Lanes, Op, form>(args, size_of(c.dtype));
  return out;
}

template <class Lanes, class Op, ChainForm form>
void check_form(Dtype dtype, Dtype arithmetic, std::uint64_t elements, std::uint64_t repeat) {
  const Case c{.ops = Op::op, .dtype = dtype, .elements = elements, .repeat = repeat};
  CAPTURE(describe(c));
  HostTensor in = input(c, 11);
  HostTensor out = run<Lanes, Op, form>(c, arithmetic, in);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < elements; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &out.byte(i * size_of(dtype)), size_of(dtype));
    const double expected = reference_chain(c, {arithmetic}, random_element(dtype, 11, i));
    if (decode(dtype, bits) != expected) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(out.guard_is_whole());
}

template <class Lanes, class Op>
void check_case(Dtype dtype, Dtype arithmetic, std::uint64_t elements, std::uint64_t repeat) {
  check_form<Lanes, Op, ChainForm::few>(dtype, arithmetic, elements, repeat);
  check_form<Lanes, Op, ChainForm::many>(dtype, arithmetic, elements, repeat);
  check_form<Lanes, Op, ChainForm::queue>(dtype, arithmetic, elements, repeat);
}

template <class Lanes>
void check_ops(Dtype dtype, Dtype arithmetic) {
  const std::uint64_t block = chain_elements(many_vectors, size_of(dtype));
  // Shorter and longer than a trip of the main loop, and a whole number of trips.
  constexpr std::uint64_t unroll = ChainShape<Lanes, few_vectors>::unroll;
  for (const std::uint64_t repeat : {std::uint64_t{1}, unroll - 1, unroll, 2 * unroll + 3}) {
    check_case<Lanes, Mul>(dtype, arithmetic, 37, repeat);
    check_case<Lanes, Add>(dtype, arithmetic, 37, repeat);
    check_case<Lanes, Fma>(dtype, arithmetic, 37, repeat);
  }
  for (const std::uint64_t elements :
       {std::uint64_t{1}, block - 1, block, block + 5, 4 * block + 5}) {
    check_case<Lanes, Fma>(dtype, arithmetic, elements, 2);
  }
}

}  // namespace

TEST_CASE("a chain computes the reference for every op, dtype, odd size and repeat") {
  check_ops<Emulated<Dtype::fp64>::Lanes>(Dtype::fp64, Dtype::fp64);
  check_ops<Emulated<Dtype::fp32>::Lanes>(Dtype::fp32, Dtype::fp32);
  check_ops<Emulated<Dtype::int32>::Lanes>(Dtype::int32, Dtype::int32);
  check_ops<Emulated<Dtype::fp16>::Lanes>(Dtype::fp16, Dtype::fp16);
  check_ops<Emulated<Dtype::bf16>::Lanes>(Dtype::bf16, Dtype::bf16);
}

TEST_CASE("square roots are those of the reference in fp64 and fp32") {
  for (const std::uint64_t repeat : {1, 2, 20, 300}) {
    check_case<Packed<double>, Sqrt>(Dtype::fp64, Dtype::fp64, 37, repeat);
    check_case<Packed<float>, Sqrt>(Dtype::fp32, Dtype::fp32, 37, repeat);
  }
}

TEST_CASE("bf16 as storage computes in fp32 and rounds once, at the end") {
  check_ops<WidenedBf16>(Dtype::bf16, chain_arithmetic(Dtype::bf16, 750).dtype);
}

TEST_CASE("one trip of the main loop is 64 ops where memory is the limit and 256 elsewhere") {
  using Few = ChainShape<Packed<float>, few_vectors>;
  using Many = ChainShape<Packed<float>, many_vectors>;
  using Widened = ChainShape<WidenedBf16, many_vectors>;
  CHECK(Few::chains * Few::unroll == 64);
  CHECK(Many::chains * Many::unroll == 256);
  CHECK(Widened::chains * Widened::unroll == 256);
  CHECK(ChainShape<Packed<double>, few_vectors>::chains == 4);
  CHECK(Many::chains == 32);
  CHECK(Widened::chains == 64);
}

TEST_CASE("a chain takes the form that is the fastest at its distance from the ridge of its GPU") {
  // 3201 MHz x 6016 bit and 2619 MHz x 5120 bit, twice per clock.
  const RidgeFacts h200{90, 132, 1.98e9, 4.814e12}, h100{90, 132, 1.98e9, 3.352e12};
  CHECK(ridge_ops(Dtype::fp32, h200) == doctest::Approx(64).epsilon(0.01));
  CHECK(ridge_ops(Dtype::fp16, h200) == ridge_ops(Dtype::fp32, h200));
  CHECK(ridge_ops(Dtype::fp64, h200) == ridge_ops(Dtype::fp32, h200));
  CHECK(ridge_ops(Dtype::int32, h200) == ridge_ops(Dtype::fp32, h200) / 2);
  CHECK(ridge_ops(Dtype::fp32, h100) == doctest::Approx(92).epsilon(0.01));
  CHECK(ridge_ops(Dtype::fp64, {89, 128, 2.5e9, 1e12}) < 12);
  CHECK(ridge_ops(Dtype::fp32, {90, 132, 1.98e9, 0}) == 64);
  const auto forms = [](const RidgeFacts& gpu) {
    std::vector<ChainForm> found;
    for (const std::uint64_t ops : {1, 32, 48, 64, 96, 1024})
      found.push_back(chain_form(Dtype::fp32, ops, gpu));
    return found;
  };
  using enum ChainForm;
  CHECK(forms(h200) == std::vector{few, few, many, queue, queue, queue});
  CHECK(forms(h100) == std::vector{few, few, few, many, queue, queue});
}
