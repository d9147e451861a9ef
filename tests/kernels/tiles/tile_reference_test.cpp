#include "kernels/families/tile/tile_reference.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "kernels/families/reference.hpp"
#include "kernels/families/tile/tile.hpp"
#include "tests/kernels/tiles/tile_buffers.hpp"
#include "tests/kernels/tiles/tile_in_memory.hpp"

namespace kernels {
namespace {

using cpu::TileBuffers;

TEST_CASE("the tile reference is the product that a hand can follow") {
  TileBuffers memory(Dtype::fp64, 1);
  memory.fill_a([](std::uint64_t i) { return i < 8 ? static_cast<double>(i + 1) : 0.0; });
  memory.fill_b([](std::uint64_t i) { return i % tile_columns == 5 ? 2.0 : 1.0; });
  memory.fill_d([](std::uint64_t) { return 0.5; });
  const auto d = tile_reference(Dtype::fp64, Units::vector, memory.a.data(), memory.b.data(), 3,
                                memory.d.data());
  CHECK(d.value[0] == 3 * 36 + 0.5);  // 1 + ... + 8 = 36
  CHECK(d.value[5] == 3 * 72 + 0.5);
  CHECK(d.value[tile_columns] == 0.5);
}

TEST_CASE("the tolerance of a tile is that of its roundings, and none for int8") {
  TileBuffers memory(Dtype::fp32, 1);
  memory.fill_a([](std::uint64_t) { return 0.5; });
  memory.fill_b([](std::uint64_t) { return 1.0; });
  const auto vector =
      tile_reference(Dtype::fp32, Units::vector, memory.a.data(), memory.b.data(), 4, nullptr);
  CHECK(vector.tolerance[0] == doctest::Approx(65 * 0x1p-24 * 32).epsilon(1e-4));
  const auto matrix =
      tile_reference(Dtype::fp32, Units::matrix, memory.a.data(), memory.b.data(), 4, nullptr);
  CHECK(matrix.tolerance[0] == doctest::Approx(2 * vector.tolerance[0]).epsilon(1e-4));
  TileBuffers bytes(Dtype::int8, 1);
  bytes.fill_a([](std::uint64_t) { return -128.0; });
  bytes.fill_b([](std::uint64_t) { return -128.0; });
  const auto exact =
      tile_reference(Dtype::int8, Units::vector, bytes.a.data(), bytes.b.data(), 2048, nullptr);
  CHECK(exact.tolerance[0] == 0);
  CHECK(exact.value[0] == std::numeric_limits<std::int32_t>::min());  // 2^6 2^14 2^11 = 2^31 wraps
}

TEST_CASE("no product left out, halved or scaled by 63/64 passes the check of a tile") {
  for (const Dtype dtype :
       {Dtype::fp64, Dtype::fp32, Dtype::tf32, Dtype::fp16, Dtype::bf16, Dtype::fp8, Dtype::int8}) {
    for (const std::uint64_t repeat : {std::uint64_t{64}, max_repeat}) {
      CAPTURE(name_of(dtype));
      CAPTURE(repeat);
      TileBuffers memory(dtype, 1);
      // fp8 sums in 14 bits: one product in each sum.
      const std::uint64_t depth = tile_depth(dtype);
      memory.fill_a([&](std::uint64_t i) {
        const double value = random_element(Dtype::int8, 1, i);
        if (dtype != Dtype::fp8) return value;
        return i % depth == 3 ? 1.0 : 0.0;
      });
      memory.fill_b([&](std::uint64_t i) {
        return dtype == Dtype::fp8 ? (i % 2 == 0 ? 1.0 : -1.0) : random_element(Dtype::int8, 2, i);
      });
      const auto reference =
          tile_reference(dtype, Units::matrix, memory.a.data(), memory.b.data(), repeat, nullptr);
      const auto times = static_cast<double>(repeat);
      for (const double part : {0.0, 0.5, 63.0 / 64, (times - 1) / times, (times + 1) / times}) {
        memory.fill_d([&](std::uint64_t i) { return reference.value[i] * part; });
        CHECK_FALSE(check_tile(reference, dtype, memory.d_tile(0), 0).ok);
      }
      memory.fill_d([&](std::uint64_t i) { return reference.value[i]; });
      CHECK(check_tile(reference, dtype, memory.d_tile(0), 0).ok);
    }
    // What rounds is checked at few repeats, where the bound is below any product.
    TileBuffers memory(dtype, 1);
    memory.fill_a([&](std::uint64_t i) { return random_element(dtype, 1, i); });
    memory.fill_b([&](std::uint64_t i) { return random_element(dtype, 2, i); });
    const auto reference = tile_reference(dtype, Units::matrix, memory.a.data(), memory.b.data(),
                                          rounded_repeat, nullptr);
    // 14 bits allow for 129 of their last places.
    for (const double part : {0.0, 0.5, dtype == Dtype::fp8 ? 0.75 : 63.0 / 64}) {
      memory.fill_d([&](std::uint64_t i) { return reference.value[i] * part; });
      CHECK_FALSE(check_tile(reference, dtype, memory.d_tile(0), 0).ok);
    }
  }
}

TEST_CASE("a wrong, missing or poisoned element of D is named") {
  for (const Dtype dtype :
       {Dtype::fp64, Dtype::fp32, Dtype::tf32, Dtype::fp16, Dtype::bf16, Dtype::fp8, Dtype::int8}) {
    TileBuffers memory(dtype, 1);
    memory.fill_a([&](std::uint64_t i) { return random_element(dtype, 1, i); });
    memory.fill_b([&](std::uint64_t i) { return random_element(dtype, 2, i); });
    const auto reference =
        tile_reference(dtype, Units::vector, memory.a.data(), memory.b.data(), 2, nullptr);
    memory.fill_d([&](std::uint64_t i) { return reference.value[i]; });
    CAPTURE(name_of(dtype));
    CHECK(check_tile(reference, dtype, memory.d_tile(0), 9).ok);
    memory.fill_d([&](std::uint64_t i) { return reference.value[i] + (i == 70 ? 1.0 : 0.0); });
    const Check wrong = check_tile(reference, dtype, memory.d_tile(0), 9);
    CHECK_FALSE(wrong.ok);
    CHECK(wrong.why.find("D tile 9, row 2, column 6: expected") == 0);
  }
  TileBuffers poisoned(Dtype::fp32, 1);
  poisoned.fill_a([](std::uint64_t) { return 1.0; });
  poisoned.fill_b([](std::uint64_t) { return 1.0; });
  const auto reference =
      tile_reference(Dtype::fp32, Units::vector, poisoned.a.data(), poisoned.b.data(), 1, nullptr);
  CHECK_FALSE(check_tile(reference, Dtype::fp32, poisoned.d_tile(0), 0).ok);
}

}  // namespace
}  // namespace kernels
