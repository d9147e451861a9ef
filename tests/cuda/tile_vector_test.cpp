// The vector tile kernel, lane by lane: all lanes stage A, then each multiplies and stores its
// part.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "emulation.hpp"
#include "kernels/cuda/tile_check.hpp"
#include "kernels/cuda/tile_vector_body.hpp"
#include "kernels/random.hpp"
#include "kernels/reference.hpp"

using namespace kernels;
using namespace kernels::cuda;

namespace {

HostTensor random_tensor(Dtype dtype, std::uint64_t elements, std::uint64_t seed) {
  const std::size_t bytes = size_of(dtype);
  HostTensor tensor(elements * bytes);
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::uint64_t bits = random_bits(dtype, seed, i);
    std::memcpy(&tensor.byte(i * bytes), &bits, bytes);
  }
  return tensor;
}

TileOperands values_of(Dtype dtype, std::uint64_t seed) {
  TileOperands operands{dtype, {}, {}};
  for (std::uint64_t i = 0; i < tile_elements(dtype); ++i) {
    operands.a.push_back(random_element(dtype, seed, i));
  }
  for (std::uint64_t i = 0; i < tile_depth(dtype) * tile_columns; ++i) {
    operands.b.push_back(random_element(dtype, seed + 1, i));
  }
  return operands;
}

// D of one tile through the code of the kernel; `written` counts how many lanes wrote each element.
template <Dtype dtype>
std::vector<double> product_by_lanes(std::uint64_t seed, std::uint64_t repeat) {
  using Tile = VectorTile<dtype>;
  using Word = typename Tile::Word;
  using Sum = typename Tile::Sum;
  HostTensor a = random_tensor(dtype, tile_elements(dtype), seed);
  HostTensor b = random_tensor(dtype, tile_depth(dtype) * tile_columns, seed + 1);
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
  std::vector<double> values;
  for (std::size_t i = 0; i < tile_rows * tile_columns; ++i) {
    Sum value;
    std::memcpy(&value, &d.byte(i * sizeof(Sum)), sizeof(Sum));
    values.push_back(static_cast<double>(value));
  }
  return values;
}

template <Dtype dtype>
void check_product() {
  CAPTURE(name_of(dtype));
  for (const std::uint64_t repeat : {1, 3}) {
    const Check check = tile_agrees(values_of(dtype, 21), repeat, Units::vector,
                                    product_by_lanes<dtype>(21, repeat));
    CHECK_MESSAGE(check.ok, check.why);
  }
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

TEST_CASE("rows that a warp reads at once lie in different banks of shared memory") {
  check_banks<Dtype::fp64>();
  check_banks<Dtype::fp32>();
  check_banks<Dtype::fp16>();
  check_banks<Dtype::int8>();
}
