#include "kernels/families/tile/tile.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string_view>

#include "kernels/families/reference.hpp"
#include "kernels/families/tile/tile_reference.hpp"
#include "kernels/random.hpp"
#include "tests/kernels/tiles/tile_amx_model.hpp"
#include "tests/kernels/tiles/tile_buffers.hpp"
#include "tests/kernels/tiles/tile_in_memory.hpp"
#include "tests/kernels/tiles/tile_tables.hpp"

namespace kernels::cpu {
namespace {

/// Whole numbers -3..3: every product and every sum of up to 4096 A B is exact in fp32.
double small_integer(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(mix_bits(static_cast<std::uint32_t>(seed * 7919 + index)) % 7) - 3;
}

template <class Body>
void for_each_tile_row(Body body) {
  for (const Isa& isa : runnable_tables()) {
    for (std::size_t i = 0; i < isa.count; ++i) {
      const Row& row = isa.rows[i];
      if (row.family != Family::tile) continue;
      CAPTURE(isa.name);
      CAPTURE(name_of(row.dtype));
      body(row);
    }
  }
}

struct Launch {
  std::uint64_t tiles;
  std::uint64_t repeat;
  bool accumulate;
  bool streaming;
};

void run(const Row& row, TileBuffers& memory, Launch launch) {
  row.tile({memory.a.data(), memory.b.data(), memory.d.data(), launch.tiles, launch.repeat,
            launch.accumulate, launch.streaming});
}

/// Elements of D that differ at all from the reference, on data for which it is exact.
int wrong_elements(const Row& row, Launch launch) {
  TileBuffers memory(row.dtype, launch.tiles);
  memory.fill_a([](std::uint64_t i) { return small_integer(1, i); });
  memory.fill_b([](std::uint64_t i) { return small_integer(2, i); });
  if (launch.accumulate) memory.fill_d([](std::uint64_t i) { return small_integer(3, i); });
  const AlignedBytes before = memory.d;
  run(row, memory, launch);
  int wrong = memory.guard_intact() ? 0 : 1;
  for (std::uint64_t tile = 0; tile < launch.tiles; ++tile) {
    AlignedBytes start = before;
    const void* start_tile = start.data() + tile * memory.d_bytes();
    const auto reference =
        tile_reference(row.dtype, row.units, memory.a_tile(tile), memory.b.data(), launch.repeat,
                       launch.accumulate ? start_tile : nullptr);
    for (std::size_t i = 0; i < reference.value.size(); ++i) {
      if (memory.d_value(tile * reference.value.size() + i) != reference.value[i]) ++wrong;
    }
  }
  return wrong;
}

TEST_CASE(
    "every tile kernel multiplies whole numbers exactly, for odd tile counts and every repeat") {
  for (const std::string& sentence : tables_left_out()) MESSAGE(sentence);
  for_each_tile_row([](const Row& row) {
    for (const std::uint64_t tiles : {1, 2, 3, 5}) {
      for (std::uint64_t repeat = 1; repeat <= 7; ++repeat) {
        for (const bool accumulate : {false, true}) {
          const bool streaming = (tiles + repeat) % 2 == 0;
          CAPTURE(tiles);
          CAPTURE(repeat);
          CAPTURE(accumulate);
          CAPTURE(streaming);
          CHECK(wrong_elements(row, {tiles, repeat, accumulate, streaming}) == 0);
        }
      }
    }
  });
}

TEST_CASE("a tile kernel with the largest repeat has done every one of them") {
  for (const Isa& isa : runnable_tables()) {
    const bool model = std::string_view(isa.name) == tile_amx_model().name;
    const std::uint64_t repeat = model ? 32 : max_repeat;  // software is far slower
    for (std::size_t i = 0; i < isa.count; ++i) {
      if (isa.rows[i].family != Family::tile) continue;
      CAPTURE(isa.name);
      CAPTURE(name_of(isa.rows[i].dtype));
      CHECK(wrong_elements(isa.rows[i], {1, repeat, false, false}) == 0);
      CHECK(wrong_elements(isa.rows[i], {1, repeat - 1, true, true}) == 0);
    }
  }
}

TEST_CASE("a tile kernel without tiles touches nothing") {
  for_each_tile_row([](const Row& row) { CHECK(wrong_elements(row, {0, 3, false, true}) == 0); });
}

TEST_CASE("every tile kernel stays within the rounding error on random data") {
  for_each_tile_row([](const Row& row) {
    constexpr std::uint64_t tiles = 3, repeat = 17;
    TileBuffers memory(row.dtype, tiles);
    memory.fill_a([&](std::uint64_t i) { return random_element(row.dtype, 11, i); });
    memory.fill_b([&](std::uint64_t i) { return random_element(row.dtype, 12, i); });
    run(row, memory, {tiles, repeat, false, true});
    for (std::uint64_t tile = 0; tile < tiles; ++tile) {
      const auto reference = tile_reference(row.dtype, row.units, memory.a_tile(tile),
                                            memory.b.data(), repeat, nullptr);
      const Check check = check_tile(reference, row.dtype, memory.d_tile(tile), tile);
      CHECK_MESSAGE(check.ok, check.why);
    }
  });
}

TEST_CASE("int8 tiles take the whole range of int8 and wrap around in int32") {
  for_each_tile_row([](const Row& row) {
    if (row.dtype != Dtype::int8) return;
    TileBuffers memory(row.dtype, 1);
    memory.fill_a([](std::uint64_t i) { return i % 3 == 0 ? 127.0 : -128.0; });
    memory.fill_b([](std::uint64_t i) { return i % 5 == 0 ? 127.0 : -128.0; });
    memory.fill_d([](std::uint64_t) { return 2147483000.0; });
    AlignedBytes start = memory.d;
    constexpr std::uint64_t repeat = 3;
    run(row, memory, {1, repeat, true, false});
    const auto reference = tile_reference(row.dtype, row.units, memory.a_tile(0), memory.b.data(),
                                          repeat, start.data());
    CHECK(reference.value[0] < 0);
    const Check check = check_tile(reference, row.dtype, memory.d_tile(0), 0);
    CHECK_MESSAGE(check.ok, check.why);
  });
}

TEST_CASE("16-bit storage is widened exactly, subnormals, infinities and the largest values too") {
  for_each_tile_row([](const Row& row) {
    if (size_of(row.dtype) != 2 || row.units == Units::matrix) return;
    if (row.summing == cpu::Summing::dots) return;  // VDPBF16PS takes subnormals for zero
    constexpr std::uint64_t tiles = 128;            // all 65536 bit patterns
    TileBuffers memory(row.dtype, tiles);
    for (std::uint64_t i = 0; i < tiles * tile_elements(row.dtype); ++i) {
      const auto bits = static_cast<std::uint16_t>(i);
      std::memcpy(memory.a.data() + i * sizeof bits, &bits, sizeof bits);
    }
    int wrong = 0;
    for (std::uint64_t column = 0; column < tile_depth(row.dtype); ++column) {
      // B is zero but for one element, so that one column of D is one column of A.
      memory.fill_b([&](std::uint64_t i) { return i == column * tile_columns ? 1.0 : 0.0; });
      run(row, memory, {tiles, 1, false, false});
      for (std::uint64_t line = 0; line < tiles * tile_rows; ++line) {
        const std::uint64_t at = line * tile_depth(row.dtype);
        const auto is_finite = [&](std::uint64_t bits) {
          return std::isfinite(decode(row.dtype, bits));
        };
        bool row_is_finite = true;  // infinity times zero is no number
        for (std::uint64_t k = 0; k < tile_depth(row.dtype); ++k) {
          row_is_finite = row_is_finite && is_finite((at + k) & 0xffff);
        }
        const double expected = decode(row.dtype, (at + column) & 0xffff);
        const double got = memory.d_value(line * tile_columns);
        if (row_is_finite ? got != expected : std::isfinite(got)) ++wrong;
      }
    }
    CHECK(wrong == 0);
  });
}

}  // namespace
}  // namespace kernels::cpu
