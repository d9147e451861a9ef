#include "kernels/dtypes.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace kernels;

TEST_CASE("every dtype is found by its name and nothing else is") {
  for (const DtypeInfo& row : dtypes) {
    CHECK(dtype_named(row.name) == row.dtype);
    CHECK(&info_of(row.dtype) == &row);
  }
  CHECK_FALSE(dtype_named("fp31"));
  CHECK_FALSE(dtype_named(""));
}

TEST_CASE("every bit pattern of the small float types survives decoding, rounding and encoding") {
  for (const Dtype dtype : {Dtype::fp16, Dtype::bf16, Dtype::fp8}) {
    const std::uint64_t patterns = std::uint64_t{1} << (8 * size_of(dtype));
    std::uint64_t wrong = 0;
    for (std::uint64_t bits = 0; bits < patterns; ++bits) {
      const double value = decode(dtype, bits);
      if (std::isnan(value)) continue;
      wrong += encode(dtype, value) != bits;
      wrong += round_to(dtype, value) != value;
    }
    CHECK_MESSAGE(wrong == 0, name_of(dtype));
  }
}

TEST_CASE("rounding takes the nearer neighbour and on a tie the even one") {
  for (const Dtype dtype : {Dtype::fp16, Dtype::bf16}) {
    std::uint64_t wrong = 0;
    // All adjacent pairs of positive finite numbers, subnormals and the step between binades
    // included.
    for (std::uint64_t bits = 0; std::isfinite(decode(dtype, bits + 1)); ++bits) {
      const double low = decode(dtype, bits), high = decode(dtype, bits + 1);
      const double middle = (low + high) / 2;
      wrong += round_to(dtype, middle) != (bits % 2 == 0 ? low : high);
      wrong += round_to(dtype, std::nextafter(middle, low)) != low;
      wrong += round_to(dtype, std::nextafter(middle, high)) != high;
      wrong += round_to(dtype, -middle) != -(bits % 2 == 0 ? low : high);
    }
    CHECK_MESSAGE(wrong == 0, name_of(dtype));
  }
}

TEST_CASE("rounding to fp32 is what the processor does, subnormals and overflow included") {
  for (double value : {1.0 + 0x1p-24, 1.0 + 0x1.8p-24, 0x1p-149, 0x1.8p-149, 0x1p-150, 0x1.1p-150,
                       0x1.234567p-130, 0x1.fffffep127, 0x1.ffffffp127, 1e39, 3.14159}) {
    volatile double opaque = value;
    CHECK(round_to(Dtype::fp32, value) == static_cast<double>(static_cast<float>(opaque)));
    CHECK(round_to(Dtype::fp32, -value) == static_cast<double>(static_cast<float>(-opaque)));
    CHECK(encode(Dtype::fp32, value) == std::bit_cast<std::uint32_t>(static_cast<float>(opaque)));
  }
}

TEST_CASE("numbers beyond the range become infinite, except for fp8, which saturates") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(round_to(Dtype::fp16, 65519.9) == 65504);
  CHECK(round_to(Dtype::fp16, 65520) == infinity);
  CHECK(round_to(Dtype::bf16, -1e39) == -infinity);
  CHECK(round_to(Dtype::fp8, 1e9) == 448);
  CHECK(round_to(Dtype::fp8, -infinity) == -448);
  CHECK(std::isnan(round_to(Dtype::fp16, std::nan(""))));
  CHECK(std::isnan(decode(Dtype::fp8, 0x7f)));
  CHECK(encode(Dtype::fp8, std::nan("")) == 0x7f);
  CHECK(encode(Dtype::fp16, infinity) == 0x7c00);
}

TEST_CASE("known bit patterns have their known values") {
  CHECK(decode(Dtype::fp16, 0x3c00) == 1);
  CHECK(decode(Dtype::fp16, 0x0001) == 0x1p-24);
  CHECK(decode(Dtype::bf16, 0x3f80) == 1);
  CHECK(decode(Dtype::bf16, 0xc049) == -3.140625);
  CHECK(decode(Dtype::fp8, 0x38) == 1);
  CHECK(decode(Dtype::fp8, 0x7e) == 448);
  CHECK(encode(Dtype::tf32, 1 + 0x1p-10) == 0x3f802000);
  CHECK(round_to(Dtype::tf32, 1 + 0x1p-11) == 1);
  CHECK(encode(Dtype::fp64, -2.5) == 0xc004000000000000);
}

TEST_CASE("integers wrap around as two's complement") {
  CHECK(round_to(Dtype::int32, 2147483648.0) == -2147483648.0);
  CHECK(round_to(Dtype::int32, -2147483649.0) == 2147483647.0);
  CHECK(round_to(Dtype::int8, 200) == -56);
  CHECK(encode(Dtype::int8, -1) == 0xff);
  CHECK(decode(Dtype::int32, 0xffffffff) == -1);
}
