#include "tests/kernels/tiles/tile_amx_model.hpp"

#include <doctest/doctest.h>

#include "kernels/cpu/machine/processor.hpp"
#include "tests/kernels/tiles/tile_buffers.hpp"

namespace kernels::cpu {
namespace {

const Row& model_tile_row(Dtype dtype) {
  const Isa isa = tile_amx_model();
  for (std::size_t i = 0; i < isa.count; ++i) {
    if (isa.rows[i].family == Family::tile && isa.rows[i].dtype == dtype) return isa.rows[i];
  }
  FAIL("no such row");
  return isa.rows[0];
}

TEST_CASE(
    "the tile unit multiplies two halves of B per A tile and repeat, and is released after each "
    "slice") {
  for (const Dtype dtype : {Dtype::bf16, Dtype::int8}) {
    for (const std::uint64_t tiles : {1, 2, 3, 6, 7}) {
      TileBuffers memory(dtype, tiles);
      memory.fill_a([](std::uint64_t) { return 1.0; });
      memory.fill_b([](std::uint64_t) { return 1.0; });
      constexpr std::uint64_t repeat = 5;
      model_tile_row(dtype).tile(
          {memory.a.data(), memory.b.data(), memory.d.data(), tiles, repeat, false, false});
      CHECK(amx_model().multiplications() == static_cast<int>(2 * tiles * repeat));
      CHECK_FALSE(amx_model().configured());
    }
  }
}

TEST_CASE("the model refuses what the processor refuses") {
  AmxModel model;
  const auto refuses = [&](auto change) {
    AmxConfig config;
    change(config);
    CHECK_THROWS_AS(model.configure(config), AmxFault);
  };
  refuses([](AmxConfig& config) { config.palette = 2; });
  refuses([](AmxConfig& config) { config.reserved[13] = 1; });
  refuses([](AmxConfig& config) { config.rows[3] = 17; });
  refuses([](AmxConfig& config) { config.row_bytes[3] = 65; });
  refuses([](AmxConfig& config) { config.rows[7] = 0; });
  refuses([](AmxConfig& config) { config.rows[8] = 16; });
  CHECK_THROWS_AS(model.zero(0), AmxFault);
  model.configure(AmxConfig{});
  CHECK_NOTHROW(model.zero(7));
  CHECK_THROWS_AS(model.zero(8), AmxFault);
  CHECK_THROWS_AS(model.multiply_int8(0, 0, 1), AmxFault);
  CHECK_THROWS_AS(model.multiply_bf16(0, 1, 1), AmxFault);
  AmxConfig narrow;
  narrow.rows[6] = 8;
  model.configure(narrow);
  CHECK_THROWS_AS(model.multiply_bf16(0, 4, 6), AmxFault);
  model.release();
  CHECK_THROWS_AS(model.multiply_bf16(0, 4, 6), AmxFault);
}

TEST_CASE("AMX is usable, or a sentence says why not") {
  std::string why_not = "unset";
  const bool usable = amx_usable(why_not);
  CHECK(usable == why_not.empty());
  std::string again;
  CHECK(amx_usable(again) == usable);
  CHECK(again == why_not);
  if (!usable) MESSAGE(why_not);
}

}  // namespace
}  // namespace kernels::cpu
