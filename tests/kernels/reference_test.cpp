#include "kernels/families/reference.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "kernels/random.hpp"

using namespace kernels;

namespace {

constexpr Dtype chain_dtypes[] = {Dtype::fp64, Dtype::fp32, Dtype::fp16, Dtype::bf16, Dtype::int32};
constexpr Op chain_ops[] = {Op::mul, Op::add, Op::fma};

Case chain(Op op, Dtype dtype, Fusion fusion, std::uint64_t repeat) {
  return {.ops = op, .dtype = dtype, .fusion = fusion, .elements = 1, .repeat = repeat};
}

double lowest_normal(Dtype dtype) {
  return dtype == Dtype::fp16 ? 0x1p-14 : dtype == Dtype::fp64 ? 0x1p-1022 : 0x1p-126;
}

// Every wrong number of ops that an unrolled loop is likely to do, seen in some of 64 elements.
void check_counting(const Case& c, Arithmetic arithmetic) {
  if (c.repeat > countable_repeat(c, arithmetic)) return;
  CAPTURE(describe(c));
  const Operands operands = counting_operands(c, arithmetic);
  const Dtype taken = c.fusion == Fusion::fused ? arithmetic.dtype : c.dtype;
  CHECK(round_to(taken, operands.a) == operands.a);
  CHECK(round_to(taken, operands.b) == operands.b);
  std::vector<double> right;
  for (std::uint64_t i = 0; i < 64; ++i) {
    right.push_back(reference_chain(c, arithmetic, operands, random_element(c.dtype, 3, i)));
    const double least = right.back() == 0 ? 0 : lowest_normal(c.dtype);
    CHECK((std::isfinite(right.back()) && std::fabs(right.back()) >= least));
  }
  for (const std::uint64_t other : std::set<std::uint64_t>{
           0, 2, c.repeat / 2, c.repeat < 2 ? c.repeat + 1 : c.repeat - 2, c.repeat + 1}) {
    if (other == c.repeat) continue;
    CAPTURE(other);
    Case wrong = c;
    wrong.repeat = other;
    int differ = 0;
    for (std::uint64_t i = 0; i < 64; ++i) {
      const double x = random_element(c.dtype, 3, i);
      differ += right[i] != reference_chain(wrong, arithmetic, operands, x);
    }
    CHECK(differ >= 2);
  }
}

}  // namespace

TEST_CASE("the deviation from double precision is a share of the largest result") {
  const Case c = chain(Op::mul, Dtype::bf16, Fusion::fused, 2);
  CHECK(exact_chain(c, {.a = 0.7}, 1.5) == doctest::Approx(0.735));
  CHECK(exact_chain(chain(Op::mul, Dtype::int32, Fusion::fused, 40), {.a = 3}, 1) ==
        reference_chain(chain(Op::mul, Dtype::int32, Fusion::fused, 40), {Dtype::int32}, {.a = 3},
                        1));
  Deviation deviation;
  CHECK(deviation.share() == 0);
  deviation.add(2, 2);
  deviation.add(-8, -8.25);
  deviation.add(1, 0.5);
  CHECK(deviation.share() == 0.5 / 8);
}

TEST_CASE("operands are representable in the dtype, which is also their arithmetic dtype") {
  for (const Dtype dtype : chain_dtypes) {
    for (const Op op : chain_ops) {
      const Operands operands = operands_of(op, dtype);
      CHECK(round_to(dtype, operands.a) == operands.a);
      CHECK(round_to(dtype, operands.b) == operands.b);
    }
  }
}

TEST_CASE("values stay finite, normal and random through the longest chain") {
  for (const Dtype dtype : chain_dtypes) {
    for (const Op op : chain_ops) {
      for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
        CAPTURE(name_of(dtype));
        CAPTURE(name_of(op));
        std::set<double> distinct;
        bool normal = true;
        for (std::uint64_t i = 0; i < 64; ++i) {
          const double x = reference_chain(chain(op, dtype, fusion, max_repeat), {dtype},
                                           random_element(dtype, 7, i));
          distinct.insert(x);
          normal = normal && std::isfinite(x) && (x == 0 || std::fabs(x) >= lowest_normal(dtype));
        }
        CHECK(normal);
        CHECK(distinct.size() >= 16);
      }
    }
  }
}

TEST_CASE("a chain that is one op short gives another result") {
  for (const Dtype dtype : chain_dtypes) {
    for (const Op op : chain_ops) {
      for (const std::uint64_t repeat : {1, 2, 17, 100}) {  // an 8-bit sum stands after 2^8 steps
        CAPTURE(name_of(dtype));
        CAPTURE(name_of(op));
        CAPTURE(repeat);
        int differ = 0;
        const Case c = chain(op, dtype, Fusion::fused, repeat);
        const Case shorter = chain(op, dtype, Fusion::fused, repeat - 1);
        for (std::uint64_t i = 0; i < 64; ++i) {
          const double x = random_element(dtype, 3, i);
          const double expected = reference_chain(c, {dtype}, x);
          differ += expected != reference_chain(shorter, {dtype}, x);
        }
        CHECK(differ >= 8);
      }
    }
  }
}

TEST_CASE("under the operands of checks a result tells how often its op was applied") {
  constexpr std::uint64_t repeats[] = {1, 2, 8, 17, 100, 382, 1024, 3000, max_repeat};
  for (const Dtype dtype : chain_dtypes) {
    for (const Dtype arithmetic : {dtype, Dtype::fp32}) {
      if (arithmetic != dtype && size_of(dtype) != 2) continue;
      for (const Op op : {Op::mul, Op::add, Op::fma, Op::mul_add}) {
        for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
          for (const std::uint64_t repeat : repeats) {
            CAPTURE(name_of(arithmetic));
            check_counting(chain(op, dtype, fusion, repeat), {arithmetic});
          }
        }
      }
    }
  }
}

TEST_CASE(
    "square roots are those of magnitudes, and tell how many they were for as long as they can") {
  for (const Dtype dtype : {Dtype::fp64, Dtype::fp32}) {
    CHECK(reference_chain(chain(Op::sqrt, dtype, Fusion::fused, 1), {dtype}, -4) == 2);
    const std::uint64_t most = countable_repeat(chain(Op::sqrt, dtype, Fusion::fused, 1), {dtype});
    CHECK(most >= 20);  // more than a trip of the unrolled loops
    for (const std::uint64_t repeat : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{17}, most})
      check_counting(chain(Op::sqrt, dtype, Fusion::unfused, repeat), {dtype});
  }
}

TEST_CASE("multiplying and adding is two roundings, whatever the processor can do in one") {
  const Case c = chain(Op::mul_add, Dtype::fp32, Fusion::fused, 1);
  const double x = random_element(Dtype::fp32, 9, 1);
  const Operands o{-0x1.fffp-1, 0x1.555556p-3};
  CHECK(reference_chain(c, {Dtype::fp32, true}, o, x) ==
        round_to(Dtype::fp32, round_to(Dtype::fp32, x * o.a) + o.b));
}

TEST_CASE("the reference computes with the precision it is told") {
  const double x = random_element(Dtype::fp16, 1, 5);
  const Operands o = operands_of(Op::fma, Dtype::fp16);
  const Case fused = chain(Op::fma, Dtype::fp16, Fusion::fused, 2);
  const auto in_fp32 = [&](double v) { return std::fmaf(float(v), float(o.a), float(o.b)); };
  CHECK(reference_chain(fused, {Dtype::fp32}, x) == round_to(Dtype::fp16, in_fp32(in_fp32(x))));
  const Case unfused = chain(Op::fma, Dtype::fp16, Fusion::unfused, 2);
  CHECK(reference_chain(unfused, {Dtype::fp32}, x) ==
        round_to(Dtype::fp16, in_fp32(round_to(Dtype::fp16, in_fp32(x)))));
}

TEST_CASE("multiply and add round separately where an instruction set has no fused one") {
  const Case c = chain(Op::fma, Dtype::fp32, Fusion::fused, 1);
  const Operands o = operands_of(Op::fma, Dtype::fp32);
  int differ = 0;
  for (std::uint64_t i = 0; i < 256; ++i) {
    const double x = random_element(Dtype::fp32, 9, i);
    const double twice = round_to(Dtype::fp32, round_to(Dtype::fp32, x * o.a) + o.b);
    CHECK(reference_chain(c, {Dtype::fp32, false}, x) == twice);
    differ += reference_chain(c, {Dtype::fp32, true}, x) != twice;
  }
  CHECK(differ > 0);
}

TEST_CASE("int32 chains wrap as the processor's integers do") {
  const Operands o = operands_of(Op::fma, Dtype::int32);
  const auto a = static_cast<std::uint32_t>(static_cast<std::int32_t>(o.a));
  const auto b = static_cast<std::uint32_t>(static_cast<std::int32_t>(o.b));
  std::uint32_t expected = 123456789;
  for (int i = 0; i < 100; ++i) expected = expected * a + b;
  CHECK(reference_chain(chain(Op::fma, Dtype::int32, Fusion::fused, 100), {Dtype::int32},
                        123456789) == static_cast<std::int32_t>(expected));
}

TEST_CASE("random elements are representable, in range, of both signs, and depend on the seed") {
  for (const DtypeInfo& row : dtypes) {
    CAPTURE(row.name);
    int negative = 0, same = 0;
    bool good = true;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const double x = random_element(row.dtype, 42, i);
      good = good && round_to(row.dtype, x) == x;
      if (!row.integer) good = good && std::fabs(x) >= 0.5 && std::fabs(x) < 2;
      if (row.dtype == Dtype::int8) good = good && x >= -8 && x <= 7;
      negative += x < 0;
      same += x == random_element(row.dtype, 43, i);
    }
    CHECK(good);
    CHECK(negative > 400);
    CHECK(negative < 600);
    CHECK(same < 150);  // an int8 of 16 values, an fp8 of 32
  }
}

TEST_CASE("elements 2^32 apart are not the same") {
  int same = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    same += random_element(Dtype::fp32, 5, i) == random_element(Dtype::fp32, 5, i + (1ULL << 32));
  }
  CHECK(same < 3);
}
