#include "kernels/cuda/bodies/chain_body.hpp"

#include <doctest/doctest.h>

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

template <class Lanes, class Op>
HostTensor run(const Case& c, Dtype arithmetic, HostTensor& in) {
  HostTensor out(c.elements * size_of(c.dtype));
  const Operands operands = operands_of(c.op(), c.dtype);
  const ChainArguments args{.in = in.data(),
                            .out = out.data(),
                            .elements = c.elements,
                            .a = operand_pattern(arithmetic, operands.a),
                            .b = operand_pattern(arithmetic, operands.b),
                            .repeat = static_cast<std::uint32_t>(c.repeat)};
  const std::uint64_t each = block_elements(size_of(c.dtype));
  launch_on_host((c.elements + each - 1) / each, block_threads,
                 [&](Place place) { chain_thread<Lanes, Op>(args, place); });
  return out;
}

template <class Lanes, class Op>
void check_case(Dtype dtype, Dtype arithmetic, std::uint64_t elements, std::uint64_t repeat) {
  const Case c{.ops = Op::op, .dtype = dtype, .elements = elements, .repeat = repeat};
  CAPTURE(describe(c));
  HostTensor in = input(c, 11);
  HostTensor out = run<Lanes, Op>(c, arithmetic, in);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < elements; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &out.byte(i * size_of(dtype)), size_of(dtype));
    const double expected = reference_chain(c, {arithmetic}, random_element(dtype, 11, i));
    if (!chain_agrees(expected, decode(dtype, bits))) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(out.guard_is_whole());
}

template <class Lanes>
void check_ops(Dtype dtype, Dtype arithmetic) {
  const std::uint64_t block = block_elements(size_of(dtype));
  // Shorter and longer than a trip of the main loop, and a whole number of trips.
  constexpr std::uint64_t unroll = ChainShape<Lanes>::unroll;
  for (const std::uint64_t repeat : {std::uint64_t{1}, unroll - 1, unroll, 2 * unroll + 3}) {
    check_case<Lanes, Mul>(dtype, arithmetic, 37, repeat);
    check_case<Lanes, Add>(dtype, arithmetic, 37, repeat);
    check_case<Lanes, Fma>(dtype, arithmetic, 37, repeat);
  }
  for (const std::uint64_t elements : {std::uint64_t{1}, block - 1, block, block + 5}) {
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

TEST_CASE("one trip of the main loop is 256 ops, on at least eight chains") {
  CHECK(ChainShape<Packed<double>>::chains == 8);
  CHECK(ChainShape<Packed<float>>::chains == 16);
  CHECK(ChainShape<WidenedBf16>::chains == 32);
  CHECK(ChainShape<Packed<double>>::chains * ChainShape<Packed<double>>::unroll == ops_per_trip);
  CHECK(ChainShape<WidenedBf16>::chains * ChainShape<WidenedBf16>::unroll == ops_per_trip);
}
