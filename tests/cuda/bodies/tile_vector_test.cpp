// The vector tile kernel, lane by lane: all lanes stage A, then each multiplies and stores its
// part.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cuda/bodies/pattern.hpp"
#include "kernels/families/tile/tile.hpp"
#include "kernels/families/tile/tile_reference.hpp"
#include "kernels/families/tile/tile_vector_body.hpp"
#include "tests/cuda/fakes/emulation.hpp"
#include "tests/kernels/tiles/tile_in_memory.hpp"

using namespace kernels;
using namespace kernels::cuda;

namespace {

HostTensor tensor_of(Pattern pattern, Dtype dtype, std::uint64_t elements, std::uint64_t seed) {
  const std::size_t bytes = size_of(dtype);
  HostTensor tensor(elements * bytes);
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::uint64_t bits = pattern_bits(pattern, dtype, seed, i);
    std::memcpy(&tensor.byte(i * bytes), &bits, bytes);
  }
  return tensor;
}

// D of one tile through the code of the kernel.
template <Dtype dtype>
HostTensor product_by_lanes(HostTensor& a, HostTensor& b, std::uint64_t repeat) {
  using Tile = VectorTile<dtype>;
  using Word = typename Tile::Word;
  using Sum = typename Tile::Sum;
  Vector shared[tile_rows][Tile::row_stride] = {};
  for (int lane = 0; lane < 32; ++lane) {
    const Vector loaded[2] = {a.data()[lane], a.data()[lane + 32]};
    Tile::stage(shared, loaded, lane);
  }
  HostTensor d(tile_rows * tile_columns * sizeof(Sum));
  for (int lane = 0; lane < 32; ++lane) {
    Word columns[Tile::depth][4];
    for (int k = 0; k < Tile::depth; ++k) {
      for (int j = 0; j < 4; ++j) columns[k][j] = Tile::b_word(b.data(), k, Tile::column(lane, j));
    }
    // Every second repeat goes through memory, as the steps of an unfused case do.
    Sum sum[4][4] = {};
    for (std::uint64_t r = 0; r < repeat; ++r) {
      Tile::multiply(sum, shared, columns, lane);
      Tile::store(d.data(), sum, lane);
      Tile::load(sum, d.data(), lane);
    }
  }
  CHECK(d.guard_is_whole());
  return d;
}

template <Dtype dtype>
void check_product() {
  CAPTURE(name_of(dtype));
  for (const std::uint64_t repeat : {1, 3}) {
    HostTensor a = tensor_of(Pattern::random, dtype, tile_elements(dtype), 21);
    HostTensor b = tensor_of(Pattern::random, dtype, tile_depth(dtype) * tile_columns, 22);
    const TileReference expected =
        tile_reference(dtype, Units::vector, a.data(), b.data(), repeat, nullptr);
    const Check check =
        check_tile(expected, dtype, product_by_lanes<dtype>(a, b, repeat).data(), 0);
    CHECK_MESSAGE(check.ok, check.why);
  }
}

template <Dtype dtype>
void check_exact() {
  CAPTURE(name_of(dtype));
  HostTensor a = tensor_of(Pattern::unit_rows, dtype, tile_elements(dtype), 23);
  HostTensor b = tensor_of(Pattern::signs, dtype, tile_depth(dtype) * tile_columns, 24);
  const TileReference expected =
      tile_reference(dtype, Units::vector, a.data(), b.data(), 200, nullptr);
  CHECK(std::ranges::all_of(expected.value, [](double d) { return std::fabs(d) == 200; }));
  CHECK(check_tile(expected, dtype, product_by_lanes<dtype>(a, b, 200).data(), 0).ok);
  CHECK_FALSE(check_tile(expected, dtype, product_by_lanes<dtype>(a, b, 199).data(), 0).ok);
}

template <Dtype dtype>
void check_banks() {
  using Tile = VectorTile<dtype>;
  // The four rows that a warp reads at once lie in different groups of four banks of 4 bytes.
  std::vector<int> groups;
  for (int lane = 0; lane < 32; lane += 8) {
    groups.push_back(Tile::row(lane, 0) * Tile::row_stride % 8);
  }
  std::ranges::sort(groups);
  CHECK(std::ranges::adjacent_find(groups) == groups.end());
}

}  // namespace

TEST_CASE("a tile on vector units is the product, for every dtype") {
  check_product<Dtype::fp64>();
  check_product<Dtype::fp32>();
  check_product<Dtype::fp16>();
  check_product<Dtype::bf16>();
  check_product<Dtype::int8>();
}

TEST_CASE("on inputs made for it the product is exact, and one repeat too few is seen") {
  check_exact<Dtype::fp64>();
  check_exact<Dtype::fp32>();
  check_exact<Dtype::fp16>();
  check_exact<Dtype::bf16>();
  check_exact<Dtype::int8>();
}

TEST_CASE("the longest product of such inputs is exact in every accumulator") {
  for (const DtypeInfo& info : dtypes) {
    CAPTURE(info.name);
    HostTensor a = tensor_of(Pattern::unit_rows, info.dtype, tile_elements(info.dtype), 25);
    HostTensor b = tensor_of(Pattern::signs, info.dtype, tile_depth(info.dtype) * tile_columns, 26);
    const TileReference d =
        tile_reference(info.dtype, Units::matrix, a.data(), b.data(), max_repeat, nullptr);
    CHECK(std::ranges::all_of(d.tolerance, [](double t) { return t == 0; }));
    CHECK(std::ranges::all_of(d.value, [](double v) { return std::fabs(v) == max_repeat; }));
  }
}

TEST_CASE("rows that a warp reads at once lie in different banks of shared memory") {
  check_banks<Dtype::fp64>();
  check_banks<Dtype::fp32>();
  check_banks<Dtype::fp16>();
  check_banks<Dtype::int8>();
}
