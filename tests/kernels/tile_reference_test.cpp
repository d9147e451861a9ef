#include "kernels/tile_reference.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "kernels/reference.hpp"
#include "tile_buffers.hpp"

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
  memory.fill_a([](std::uint64_t) { return 1.0; });
  memory.fill_b([](std::uint64_t) { return 1.0; });
  const auto vector =
      tile_reference(Dtype::fp32, Units::vector, memory.a.data(), memory.b.data(), 4, nullptr);
  CHECK(vector.tolerance[0] == doctest::Approx(65 * 0x1p-24 * 64).epsilon(1e-4));
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
