// The bodies of matrix products, block by block, against a direct product: every element type and
// instruction, sizes around tiles, slices and pieces, and what lies beyond the edges.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/cuda/bodies/sparse.hpp"
#include "kernels/cuda/matmul/matmul_rows.hpp"
#include "tests/cuda/fakes/emulated_product.hpp"
#include "tests/cuda/fakes/emulation.hpp"

using namespace kernels;
using namespace kernels::cuda;

namespace {

struct Size {
  std::uint32_t m, n, k;
};

// Small integers, exact in every type; the padding of B is zero, that of A is not.
struct Lines {
  Lines(Dtype dtype, std::uint32_t lines, std::uint32_t k, std::uint64_t seed, bool padding_is_zero)
      : dtype_(dtype), depth(k), tensor(0) {
    const auto piece = static_cast<std::uint32_t>(sizeof(Vector) / size_of(dtype));
    depth = (k + piece - 1) / piece * piece;
    tensor = HostTensor(std::size_t{lines} * depth * size_of(dtype));
    for (std::uint64_t i = 0; i < std::uint64_t{lines} * depth; ++i) {
      std::uint64_t bits = sparse_bits(dtype, seed, i, 2, 1 << 15);
      if (padding_is_zero && i % depth >= k) bits = 0;
      std::memcpy(&tensor.byte(i * size_of(dtype)), &bits, size_of(dtype));
    }
  }
  double at(std::uint64_t line, std::uint64_t l) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &tensor.byte((line * depth + l) * size_of(dtype_)), size_of(dtype_));
    return decode(dtype_, bits);
  }

  Dtype dtype_;
  std::uint32_t depth;
  HostTensor tensor;
};

using Run = void (*)(const MatmulArguments&, std::uint64_t);

template <class Sum>
void check_product(Dtype dtype, Size size, Run run, bool with_bias = false) {
  CAPTURE(with_bias);
  CAPTURE(name_of(dtype));
  CAPTURE(size.m);
  CAPTURE(size.n);
  CAPTURE(size.k);
  Lines a(dtype, size.m, size.k, 3, false), b(dtype, size.n, size.k, 4, true);
  HostTensor c(std::size_t{size.m} * size.n * sizeof(Sum));
  std::vector<Sum> bias(size.n);  // of exactly as many numbers: reading more is an error
  for (std::uint32_t j = 0; j < size.n; ++j) bias[j] = static_cast<Sum>(int(j % 9) - 4);
  MatmulArguments args{.a = a.tensor.data(),
                       .b = b.tensor.data(),
                       .c = c.data(),
                       .first = 0,
                       .m = size.m,
                       .n = size.n,
                       .pieces = a.depth * static_cast<std::uint32_t>(size_of(dtype)) / 16,
                       .bias = with_bias ? bias.data() : nullptr};
  // As a launch that was cut: the first tile, then the others.
  const std::uint64_t tiles = std::uint64_t{tiles_along(size.m)} * tiles_along(size.n);
  run(args, 1);
  args.first = 1;
  run(args, tiles - 1);
  int wrong = 0;
  for (std::uint32_t i = 0; i < size.m; ++i) {
    for (std::uint32_t j = 0; j < size.n; ++j) {
      double expected = 0;
      for (std::uint32_t l = 0; l < size.k; ++l) expected += a.at(i, l) * b.at(j, l);
      if (with_bias) expected = std::max(expected + static_cast<double>(bias[j]), 0.0);
      Sum got;
      std::memcpy(&got, &c.byte((std::size_t{i} * size.n + j) * sizeof(Sum)), sizeof(Sum));
      wrong += static_cast<double>(got) == expected ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(c.guard_is_whole());
}

constexpr Size sizes[] = {{1, 1, 1}, {129, 131, 70}, {200, 66, 33}};

template <Dtype dtype>
void check_vector() {
  for (const bool with_bias : {false, true}) {
    if (with_bias && info_of(dtype).integer) continue;
    for (const Size size : sizes)
      check_product<typename VectorProduct<dtype>::Sum>(dtype, size, vector_product_on_host<dtype>,
                                                        with_bias);
  }
}

template <Dtype dtype, int architecture>
void check_matrix() {
  if constexpr (mma_shape(dtype, architecture).native()) {
    CAPTURE(architecture);
    for (const Size size : sizes) {
      check_product<typename MmaTypes<dtype>::Sum>(dtype, size,
                                                   matrix_product_on_host<dtype, architecture>);
    }
    if (info_of(dtype).integer) return;
    check_product<typename MmaTypes<dtype>::Sum>(
        dtype, {129, 131, 70}, matrix_product_on_host<dtype, architecture>, true);
  }
}

template <int architecture>
void check_architecture() {
  check_matrix<Dtype::fp64, architecture>();
  check_matrix<Dtype::tf32, architecture>();
  check_matrix<Dtype::fp16, architecture>();
  check_matrix<Dtype::bf16, architecture>();
  check_matrix<Dtype::fp8, architecture>();
  check_matrix<Dtype::int8, architecture>();
}

}  // namespace

TEST_CASE("a matrix product on vector units is right at every edge, in every element type") {
  check_vector<Dtype::fp64>();
  check_vector<Dtype::fp32>();
  check_vector<Dtype::fp16>();
  check_vector<Dtype::bf16>();
  check_vector<Dtype::int8>();
}

TEST_CASE("a matrix product on matrix units is right for every mma that an architecture has") {
  check_architecture<750>();
  check_architecture<800>();
  check_architecture<890>();
  check_architecture<900>();
}

TEST_CASE("blocks take every tile of C once") {
  for (const auto& [m, n] : {std::pair{1U, 1U}, {129U, 1000U}, {1100U, 257U}, {3000U, 3000U}}) {
    MatmulArguments args{};
    args.m = m;
    args.n = n;
    const std::uint64_t tiles = std::uint64_t{tiles_along(m)} * tiles_along(n);
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::uint64_t t = 0; t < tiles; ++t) {
      const ProductTile tile = product_tile_at(args, t);
      CHECK(tile.row < m);
      CHECK(tile.column < n);
      CHECK(tile.row % product_tile == 0);
      CHECK(tile.column % product_tile == 0);
      seen.insert({tile.row, tile.column});
    }
    CHECK(seen.size() == tiles);
  }
}

TEST_CASE("threads copy every piece of a slice once, and eight lines lie in different banks") {
  Slice slice;
  std::set<const Vector*> pieces;
  for (int thread = 0; thread < product_threads; ++thread) {
    for (int part = 0; part < SliceShare::pieces; ++part)
      pieces.insert(&SliceShare::to(slice, thread, part));
  }
  CHECK(pieces.size() == 2 * product_tile * slice_pieces);
  for (int piece = 0; piece < slice_pieces; ++piece) {
    for (int line = 0; line < product_tile; line += 8) {
      std::set<int> banks;  // groups of four
      for (int i = 0; i < 8; ++i) banks.insert(piece_place(line + i, piece) % 8);
      CHECK(banks.size() == 8);
    }
  }
}

TEST_CASE("every architecture has a row of products per dtype, units and maker, or a reason") {
  for (const int architecture : {750, 800, 860, 890, 900, 1000, 1200}) {
    std::set<std::tuple<Dtype, Units, By>> seen;
    int library = 0;
    for (const Kernel& row : matmul_rows(architecture, "", "cuBLASLt")) {
      CHECK(seen.insert({row.dtype, row.units, row.by}).second);
      CHECK(row.runs == row.why_not.empty());
      library += row.by == By::library && row.runs ? 1 : 0;
    }
    CHECK(seen.size() == 2 * 2 * dtypes.size());
    // All but int32; before 8.0 without bf16 and tf32, before 8.9 without fp8.
    CHECK(library == (architecture < 800 ? 4 : architecture < 890 ? 6 : 7));
  }
}
