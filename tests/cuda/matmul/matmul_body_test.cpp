// The bodies of matrix products, block by block, against a direct product: every element type and
// instruction, sizes around tiles, slices and pieces, and what lies beyond the edges.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/cuda/bodies/sparse.hpp"
#include "kernels/cuda/matmul/factor.hpp"
#include "kernels/cuda/matmul/matmul_rows.hpp"
#include "tests/cuda/architectures.hpp"
#include "tests/cuda/fakes/emulated_product.hpp"
#include "tests/cuda/fakes/emulation.hpp"

using namespace kernels;
using namespace kernels::cuda;

namespace {

struct Size {
  std::uint32_t m, n, k;
};
struct Layouts {
  Layout a = Layout::lines, b = Layout::lines;
  std::uint32_t batch = 1;
};

// Small integers, exact in every type; the padding of B is zero, that of A is not.
struct Lines {
  Lines(const Factor& is, std::uint64_t seed, bool padding_is_zero)
      : factor(is), tensor(is.elements() * size_of(is.dtype)) {
    for (std::uint64_t i = 0; i < factor.elements(); ++i)
      set(i, sparse_bits(factor.dtype, seed, i, 2, 1 << 15));
    if (!padding_is_zero) return;
    for (std::uint64_t line = 0; line < factor.batch * factor.lines; ++line) {
      for (std::uint64_t l = factor.k; l < factor.depth(); ++l)
        set(factor.at(line / factor.lines, line % factor.lines, l), 0);
    }
  }
  double at(std::uint64_t product, std::uint64_t line, std::uint64_t l) {
    const std::size_t bytes = size_of(factor.dtype);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &tensor.byte(factor.at(product, line, l) * bytes), bytes);
    return decode(factor.dtype, bits);
  }
  std::uint64_t vectors(std::uint64_t elements) const {
    return elements * size_of(factor.dtype) / sizeof(Vector);
  }

  Factor factor;
  HostTensor tensor;

 private:
  void set(std::uint64_t element, std::uint64_t bits) {
    const std::size_t bytes = size_of(factor.dtype);
    std::memcpy(&tensor.byte(element * bytes), &bits, bytes);
  }
};

using Run = void (*)(const MatmulArguments&, std::uint64_t);

template <class Sum>
void check_product(Dtype dtype, Size size, Run run, bool with_bias = false, Layouts layouts = {}) {
  CAPTURE(with_bias);
  CAPTURE(name_of(dtype));
  CAPTURE(size.m);
  CAPTURE(size.n);
  CAPTURE(size.k);
  CAPTURE(static_cast<int>(layouts.a));
  CAPTURE(static_cast<int>(layouts.b));
  const std::uint32_t batch = layouts.batch;
  Lines a({dtype, size.m, size.k, layouts.a, batch}, 3, false);
  Lines b({dtype, size.n, size.k, layouts.b, batch}, 4, true);
  HostTensor c(std::size_t{batch} * size.m * size.n * sizeof(Sum));
  std::vector<Sum> bias(size.n);  // of exactly as many numbers: reading more is an error
  for (std::uint32_t j = 0; j < size.n; ++j) bias[j] = static_cast<Sum>(int(j % 9) - 4);
  MatmulArguments args{.a = a.tensor.data(),
                       .b = b.tensor.data(),
                       .c = c.data(),
                       .first = 0,
                       .m = size.m,
                       .n = size.n,
                       .pieces = static_cast<std::uint32_t>(a.vectors(a.factor.depth())),
                       .bias = with_bias ? bias.data() : nullptr,
                       .a_step = a.vectors(a.factor.step()),
                       .b_step = b.vectors(b.factor.step()),
                       .a_pitch = static_cast<std::uint32_t>(a.vectors(a.factor.pitch())),
                       .b_pitch = static_cast<std::uint32_t>(b.vectors(b.factor.pitch()))};
  // As a launch that was cut: the first tile, then the others.
  const std::uint64_t tiles = std::uint64_t{batch} * tiles_along(size.m) * tiles_along(size.n);
  run(args, 1);
  args.first = 1;
  run(args, tiles - 1);
  int wrong = 0;
  for (std::uint32_t row = 0; row < batch * size.m; ++row) {
    const std::uint32_t product = row / size.m, i = row % size.m;
    for (std::uint32_t j = 0; j < size.n; ++j) {
      double expected = 0;
      for (std::uint32_t l = 0; l < size.k; ++l)
        expected += a.at(product, i, l) * b.at(product, j, l);
      if (with_bias) expected = std::max(expected + static_cast<double>(bias[j]), 0.0);
      Sum got;
      std::memcpy(&got, &c.byte((std::size_t{row} * size.n + j) * sizeof(Sum)), sizeof(Sum));
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
    check_product<typename MmaTypes<dtype>::Sum>(dtype, {129, 131, 70},
                                                 matrix_product_on_host<dtype, architecture>, true);
  }
}

/// Batches, in every layout that there is, with edges.
template <Dtype dtype>
void check_layouts() {
  constexpr Size with_edges[] = {{129, 70, 35}, {3, 5, 1}};
  visit_layouts<dtype>([&]<Layout a, Layout b>() {
    for (const Size size : with_edges) {
      check_product<typename VectorProduct<dtype>::Sum>(
          dtype, size, vector_product_on_host<dtype, a, b>, !info_of(dtype).integer, {a, b, 3});
    }
  });
}
template <Dtype dtype, int architecture>
void check_matrix_layouts() {
  visit_layouts<dtype>([&]<Layout a, Layout b>() {
    check_product<typename MmaTypes<dtype>::Sum>(
        dtype, {129, 70, 35}, matrix_product_on_host<dtype, architecture, a, b>, false, {a, b, 3});
  });
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

TEST_CASE("products in batches are right, also where lines of A or of B lie side by side") {
  check_layouts<Dtype::fp64>();
  check_layouts<Dtype::fp32>();
  check_layouts<Dtype::fp16>();
  check_layouts<Dtype::bf16>();
  check_layouts<Dtype::int8>();
  check_matrix_layouts<Dtype::fp64, 800>();
  check_matrix_layouts<Dtype::fp64, 900>();
  check_matrix_layouts<Dtype::tf32, 800>();
  check_matrix_layouts<Dtype::fp16, 750>();
  check_matrix_layouts<Dtype::fp8, 890>();
}

TEST_CASE("blocks take every tile of C once") {
  for (const auto& [m, n] : {std::pair{1U, 1U}, {129U, 1000U}, {1100U, 257U}, {3000U, 3000U}}) {
    MatmulArguments args{};
    args.m = m;
    args.n = n;
    constexpr std::uint32_t batch = 2;
    const std::uint64_t tiles = batch * std::uint64_t{tiles_along(m)} * tiles_along(n);
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
    for (std::uint64_t t = 0; t < tiles; ++t) {
      const ProductTile tile = product_tile_at(args, t);
      CHECK(tile.row < m);
      CHECK(tile.column < n);
      CHECK(tile.product < batch);
      CHECK(tile.row % product_tile == 0);
      CHECK(tile.column % product_tile == 0);
      seen.insert({tile.product, tile.row, tile.column});
    }
    CHECK(seen.size() == tiles);
  }
}

namespace {

/// The threads of a block write every place of a slice, and so many of them at once to different
/// banks.
template <class Share>
void check_places(int together) {
  Vector lines[product_tile * slice_pieces];
  const auto* const begin = reinterpret_cast<const unsigned char*>(lines);
  constexpr std::size_t size = sizeof(typename Share::Moved);
  std::set<std::ptrdiff_t> places;
  for (int part = 0; part < Share::parts; ++part) {
    for (int first = 0; first < product_threads; first += together) {
      std::set<std::ptrdiff_t> banks;
      for (int thread = first; thread < first + together; ++thread) {
        const auto* const to = static_cast<const unsigned char*>(Share::to(lines, thread, part));
        const std::ptrdiff_t place = to - begin;
        places.insert(place);
        banks.insert(place % 128 / static_cast<std::ptrdiff_t>(size));
      }
      CHECK(banks.size() == static_cast<std::size_t>(together));
    }
  }
  CHECK(places.size() == sizeof(lines) / size);
}

}  // namespace

TEST_CASE("threads copy every part of a slice once, to different banks") {
  // Accesses of 16 and 8 bytes go eight and sixteen at a time.
  check_places<LineShare<Dtype::fp16, Layout::lines>>(8);
  check_places<LineShare<Dtype::fp64, Layout::across>>(16);
  check_places<LineShare<Dtype::fp32, Layout::across>>(32);
}

TEST_CASE("a warp reads whole sectors of lines that lie side by side") {
  const std::vector<Vector> data(1024);
  const auto check = [&]<Dtype dtype>() {
    using Share = LineShare<dtype, Layout::across>;
    std::set<std::ptrdiff_t> sectors;
    for (int thread = 0; thread < 32; ++thread) {
      const Share share({data.data(), 0, 128, 4, 32}, thread);
      REQUIRE(share.is_inside(0, 0));
      sectors.insert((static_cast<const unsigned char*>(share.from(0, 0)) -
                      reinterpret_cast<const unsigned char*>(data.data())) /
                     32);
    }
    CHECK(sectors.size() == 32 * size_of(dtype) / 32);
  };
  check.operator()<Dtype::fp32>();
  check.operator()<Dtype::fp64>();
}

TEST_CASE("eight lines of a slice lie in different banks") {
  for (int piece = 0; piece < slice_pieces; ++piece) {
    for (int line = 0; line < product_tile; line += 8) {
      std::set<int> banks;  // groups of four
      for (int i = 0; i < 8; ++i) banks.insert(piece_place(line + i, piece) % 8);
      CHECK(banks.size() == 8);
    }
  }
}

TEST_CASE("every architecture has a row of products per dtype, units and maker, or a reason") {
  for (const int architecture : tests::architectures) {
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
