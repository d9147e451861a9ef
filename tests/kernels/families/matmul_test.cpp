// The family of matrix products, and its kernels of every instruction set that can run here.
#include "kernels/families/matmul/matmul.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul_reference.hpp"
#include "kernels/random.hpp"
#include "tests/kernels/tiles/tile_buffers.hpp"
#include "tests/kernels/tiles/tile_tables.hpp"
#include "tests/text.hpp"

namespace kernels::cpu {
namespace {

constexpr MatmulSize small{65, 130, 7};

Case product(Dtype dtype, MatmulSize size) {
  return matmul_case(dtype, Units::vector, size, Data::random);
}

/// Memory of one product, with a guard behind C.
struct Product {
  Product(const Row& kernel, MatmulSize matrices)
      : row(kernel),
        size(matrices),
        result(matmul_result(kernel.dtype)),
        a(size.m * size.k * size_of(row.dtype)),
        b(size.k * size.n * size_of(row.dtype)),
        c(size.m * size.n * size_of(result) + guard_bytes),
        packed((size.m + matmul_tile - 1) / matmul_tile *
               ((size.k + row.matmul.block_depth - 1) / row.matmul.block_depth) *
               row.matmul.block_bytes),
        room(row.matmul.room_bytes) {}

  void fill(const Values& of_a, const Values& of_b) {
    TileBuffers::fill(row.dtype, a.data(), size.m * size.k, of_a);
    TileBuffers::fill(row.dtype, b.data(), size.k * size.n, of_b);
  }
  /// A bias of integers of both signs, before relu.
  void add_bias() {
    bias.resize(size.n);
    for (std::uint64_t j = 0; j < size.n; ++j)
      bias[j] = random_int8(static_cast<std::uint32_t>(random_bits(Dtype::int32, 5, j)));
    const std::uint64_t whole = (size.n + matmul_tile - 1) / matmul_tile * matmul_tile;
    bias_bytes.assign(whole * size_of(result), 0);
    TileBuffers::fill(result, bias_bytes.data(), size.n, [&](std::uint64_t j) { return bias[j]; });
  }
  /// In so many parts, as so many threads would.
  void run(std::uint64_t parts, bool whole) {
    const auto part = [&](std::uint64_t items, std::uint64_t i) { return items * i / parts; };
    const std::uint64_t rows = (size.m + matmul_tile - 1) / matmul_tile;
    const std::uint64_t tiles = matmul_tiles(size);
    for (std::uint64_t i = 0; i < parts; ++i)
      row.matmul.pack({a.data(), packed.data(), size.m, size.k, part(rows, i),
                       part(rows, i + 1) - part(rows, i), size.a_transposed()});
    for (std::uint64_t i = 0; i < parts; ++i)
      row.matmul.multiply({packed.data(), b.data(), c.data(), room.data(), size.m, size.n, size.k,
                           part(tiles, i), part(tiles, i + 1) - part(tiles, i), whole,
                           size.b_transposed(), bias.empty() ? nullptr : bias_bytes.data()});
  }
  static double value(Dtype dtype, const std::uint8_t* from, std::uint64_t index) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, from + index * size_of(dtype), size_of(dtype));
    return decode(dtype, bits);
  }
  /// Elements that lie further from the sum in double precision than a tolerance, and the guard.
  int wrong(bool exact) {
    int count = 0;
    for (std::uint64_t j = 0; j < size.n; ++j) {
      std::vector<double> column(size.k);
      for (std::uint64_t l = 0; l < size.k; ++l)
        column[l] = value(row.dtype, b.data(), size.at_b(l, j));
      for (std::uint64_t i = 0; i < size.m; ++i) {
        const Expected expected = matmul_reference(
            row.dtype, column,
            [&](std::uint64_t l) { return value(row.dtype, a.data(), size.at_a(i, l)); },
            Units::vector, bias.empty() ? std::nullopt : std::optional(bias[j]));
        const double error = std::fabs(value(result, c.data(), i * size.n + j) - expected.value);
        if (!(error <= (exact ? 0 : expected.error))) ++count;
      }
    }
    for (std::size_t i = 0; i < guard_bytes; ++i)
      if (c.data()[size.m * size.n * size_of(result) + i] != 0xff) ++count;
    return count;
  }

  static constexpr std::size_t guard_bytes = 256;
  const Row& row;
  MatmulSize size;
  Dtype result;
  AlignedBytes a, b, c, packed, room;
  std::vector<double> bias{};
  std::vector<std::uint8_t> bias_bytes{};
};

template <class Body>
void for_each_product_row(Body body) {
  int rows = 0;
  for (const Isa& isa : runnable_tables()) {
    for (std::size_t i = 0; i < isa.count; ++i) {
      const Row& row = isa.rows[i];
      if (row.family != Family::matmul) continue;
      CAPTURE(isa.name);
      CAPTURE(name_of(row.dtype));
      body(row);
      ++rows;
    }
  }
  CHECK(rows >= 10);  // the baseline and the portable one have five each
}

double integer(std::uint64_t seed, std::uint64_t index) {
  return random_int8(static_cast<std::uint32_t>(random_bits(Dtype::int32, seed, index)));
}

}  // namespace

TEST_CASE("a matrix product does 2 m n k FLOP and moves each matrix once, sums in their own type") {
  const MatmulSize size{100, 200, 300};
  CHECK(work_of(product(Dtype::fp32, size)).flops == 2.0 * 100 * 200 * 300);
  CHECK(work_of(product(Dtype::fp32, size)).bytes == 4.0 * (100 * 300 + 300 * 200 + 100 * 200));
  CHECK(work_of(product(Dtype::bf16, size)).bytes == 2.0 * (100 * 300 + 300 * 200) + 4 * 100 * 200);
  CHECK(work_of(product(Dtype::int8, size)).bytes == 1.0 * (100 * 300 + 300 * 200) + 4 * 100 * 200);
  CHECK(work_of(product(Dtype::fp64, size)).bytes == 8.0 * (100 * 300 + 300 * 200 + 100 * 200));
  CHECK(footprint_of(product(Dtype::fp32, size)) == work_of(product(Dtype::fp32, size)).bytes);
  CHECK(describe(product(Dtype::fp32, size)) == "matmul mma fp32 repeat 1 m 100 n 200 k 300");
  MatmulSize batch = size;
  batch.batch = 12;
  batch.transposed = Transposed::b;
  CHECK(work_of(product(Dtype::fp32, batch)).flops ==
        12 * work_of(product(Dtype::fp32, size)).flops);
  CHECK(work_of(product(Dtype::fp32, batch)).bytes ==
        12 * work_of(product(Dtype::fp32, size)).bytes);
  CHECK(matmul_size(product(Dtype::fp32, batch)) == batch);
  CHECK(describe(product(Dtype::fp32, batch)) ==
        "matmul mma fp32 repeat 1 m 100 n 200 k 300 batch 12 transposed 2");
}

TEST_CASE(
    "a matrix product refuses sizes of zero, sizes that overflow, and what it does not know") {
  using tests::contains;
  CHECK(refusal_of(product(Dtype::fp32, small)).empty());
  CHECK(contains(refusal_of(product(Dtype::fp32, {0, 1, 1})), "m 0: a matrix product takes 1 to"));
  CHECK(contains(refusal_of(product(Dtype::fp32, {1, 1, 0})), "k 0"));
  CHECK(contains(refusal_of(product(Dtype::fp32, {1, std::uint64_t{1} << 63, 1})), "n 9223372"));
  MatmulSize many = small;
  many.batch = std::uint64_t{1} << 18;
  CHECK(refusal_of(product(Dtype::fp32, many)).empty());
  many.m = many.n = std::uint64_t{1} << 18;
  CHECK(contains(refusal_of(product(Dtype::fp32, many)), "do not fit any memory"));
  many = small;
  many.batch = std::uint64_t{1} << 63;
  CHECK(contains(refusal_of(product(Dtype::fp32, many)), "batch 9223372"));
  Case twice = product(Dtype::fp32, small);
  twice.repeat = 2;
  CHECK(contains(refusal_of(twice), "runs once"));
  Case shaped = product(Dtype::fp32, small);
  shaped.shape = {{"edges", "round"}};
  CHECK(contains(refusal_of(shaped), "edges that are trimmed or whole"));
  Case generated = product(Dtype::fp32, small);
  generated.by = By::generated;
  CHECK(contains(refusal_of(generated), "no matrix product is generated"));
}

TEST_CASE("a bias and relu add two FLOP per element of C and a row of bytes") {
  const Case plain = product(Dtype::bf16, {100, 200, 300});
  const Case fused = with_epilogue(plain, Epilogue::bias_relu);
  CHECK(work_of(fused).flops == work_of(plain).flops + 2.0 * 100 * 200);
  CHECK(work_of(fused).bytes == work_of(plain).bytes + 4 * 200);
  CHECK(footprint_of(fused) == work_of(fused).bytes);
  CHECK(work_of(fused).launches == 1);
  CHECK(epilogue_of(plain) == Epilogue::none);
  CHECK(epilogue_of(with_size(fused, {1, 2, 3})) == Epilogue::bias_relu);
  CHECK(describe(fused) == "matmul mma bf16 repeat 1 m 100 n 200 k 300 epilogue 1");
  MatmulSize batch{100, 200, 300, 12};
  CHECK(work_of(with_size(fused, batch)).bytes == 12 * work_of(plain).bytes + 4 * 200);
  CHECK(work_of(with_size(fused, batch)).flops == 12 * work_of(fused).flops);
}

TEST_CASE(
    "a bias and relu are refused of integers, of sums that a check does not hold, and unknown "
    "ones") {
  using tests::contains;
  const auto fused = [](Dtype dtype, std::uint64_t k) {
    return with_epilogue(product(dtype, {8, 8, k}), Epilogue::bias_relu);
  };
  CHECK(refusal_of(fused(Dtype::fp32, 1 << 16)).empty());
  CHECK(contains(refusal_of(fused(Dtype::fp32, (1 << 16) + 1)), "k 65537"));
  CHECK(contains(refusal_of(fused(Dtype::int8, 8)), "choose another element type"));
  CHECK(contains(refusal_of(with(product(Dtype::fp32, small), "epilogue", 2)), "epilogue 2"));
}

TEST_CASE("an expected element with a bias is never negative, and a bias is one more product") {
  const std::vector<double> column{1, -2};
  const auto of_row = [](std::uint64_t) { return 3.0; };
  const auto with_bias = [&](double bias) {
    return matmul_reference(Dtype::fp32, column, of_row, Units::vector, bias);
  };
  CHECK(with_bias(5).value == 2);
  CHECK(with_bias(1).value == 0);
  CHECK(with_bias(5).error == matmul_tolerance(Dtype::fp32, 3) * (3 + 6 + 5));
}

TEST_CASE("waves are whole tiles over cores, rounded up") {
  CHECK(matmul_tiles({64, 64, 5}) == 1);
  CHECK(matmul_tiles({65, 64, 5}) == 2);
  CHECK(matmul_tiles({65, 129, 5}) == 6);
  CHECK(matmul_waves({192, 192, 5}, 2) == 5);
  CHECK(matmul_waves({193, 193, 5}, 2) == 8);
  CHECK(matmul_waves({193, 193, 5}, 1) == 16);
  CHECK(matmul_waves({64, 64, 5}, 0) == 1);
}

TEST_CASE("every kernel multiplies integers exactly, at odd sizes and in parts") {
  for_each_product_row([](const Row& row) {
    for (const MatmulSize size : {MatmulSize{1, 1, 1},
                                  {7, 7, 7},
                                  {1, 130, 3},
                                  {63, 65, 64},
                                  {65, 63, 129},
                                  small,
                                  {64, 64, 193},
                                  {66, 31, 800},
                                  {600, 70, 5}}) {
      for (const bool whole : {false, true}) {
        CAPTURE(size.m);
        CAPTURE(size.n);
        CAPTURE(size.k);
        CAPTURE(whole);
        Product one(row, size);
        one.fill([](std::uint64_t i) { return integer(1, i); },
                 [](std::uint64_t i) { return integer(2, i); });
        one.run(whole ? 1 : 3, whole);
        CHECK(one.wrong(true) == 0);
      }
    }
  });
}

TEST_CASE(
    "every kernel of floating point adds a bias and takes relu once, at odd sizes and in parts") {
  for_each_product_row([](const Row& row) {
    if (info_of(row.dtype).integer) return;
    for (const MatmulSize size : {MatmulSize{1, 1, 1},
                                  {63, 65, 64},
                                  {65, 63, 129},
                                  {66, 31, 800},  // several blocks of k
                                  {600, 70, 5}}) {
      for (const bool whole : {false, true}) {
        CAPTURE(size.m);
        CAPTURE(whole);
        Product one(row, size);
        one.fill([](std::uint64_t i) { return integer(1, i); },
                 [](std::uint64_t i) { return integer(2, i); });
        one.add_bias();
        one.run(whole ? 1 : 3, whole);
        CHECK(one.wrong(true) == 0);
      }
    }
  });
}

TEST_CASE("every kernel multiplies matrices that lie transposed in memory") {
  for_each_product_row([](const Row& row) {
    for (const Transposed transposed : {Transposed::a, Transposed::b, Transposed::both}) {
      for (MatmulSize size : {MatmulSize{1, 1, 1}, {7, 130, 3}, {65, 63, 129}, {66, 31, 800}}) {
        size.transposed = transposed;
        CAPTURE(static_cast<int>(transposed));
        CAPTURE(size.m);
        Product one(row, size);
        one.fill([](std::uint64_t i) { return integer(1, i); },
                 [](std::uint64_t i) { return integer(2, i); });
        one.run(3, false);
        CHECK(one.wrong(true) == 0);
      }
    }
  });
}

TEST_CASE("every kernel stays within the rounding of its sums on random data") {
  for_each_product_row([](const Row& row) {
    Product one(row, {70, 97, 411});
    one.fill([&](std::uint64_t i) { return decode(row.dtype, random_bits(row.dtype, 3, i)); },
             [&](std::uint64_t i) { return decode(row.dtype, random_bits(row.dtype, 4, i)); });
    one.run(2, false);
    CHECK(one.wrong(false) == 0);
  });
}

TEST_CASE("the check of integers finds any one wrong element, and says where") {
  constexpr MatmulSize size{3, 70, 40};
  const IntegerProduct expected(size, 11, 12);
  std::vector<double> inner(size.k);
  for (std::uint64_t l = 0; l < size.k; ++l) inner[l] = expected.inner(l);
  std::vector<float> row(size.n);
  for (std::uint64_t j = 0; j < size.n; ++j) {
    double sum = 0;
    const auto at = [](std::uint64_t seed, std::uint64_t i) { return integer(seed, i); };
    for (std::uint64_t l = 0; l < size.k; ++l)
      sum += at(11, 2 * size.k + l) * at(12, l * size.n + j);
    row[j] = static_cast<float>(sum);
  }
  const double right = expected.outer(2, inner);
  CHECK(expected.times_vector(Dtype::fp32, row.data()) == right);
  for (std::uint64_t j = 0; j < size.n; ++j) {
    row[j] += 1;
    CHECK(expected.times_vector(Dtype::fp32, row.data()) != right);
    row[j] -= 1;
  }
  row[17] = NAN;
  CHECK_FALSE(expected.times_vector(Dtype::fp32, row.data()) == right);
  CHECK(tests::contains(expected.wrong_element(2, Dtype::fp32, row.data()).why,
                        "row 2, column 17 of the product"));
}

TEST_CASE("the integers of a check have a bias that makes every sum positive, or negative") {
  const MatmulSize size{3, 40, 100};
  const IntegerProduct product(size, 11, 12);
  for (const bool positive : {true, false}) {
    const std::vector<double> bias = product.bias(positive);
    REQUIRE(bias.size() == size.n);
    double lowest = bias[0], highest = bias[0];
    for (const double one : bias) {
      lowest = std::min(lowest, one);
      highest = std::max(highest, one);
    }
    CHECK(lowest < highest);  // a bias of another column is noticed
    CHECK((positive ? lowest > 64.0 * 100 : highest < -64.0 * 100));
    CHECK(std::max(std::fabs(lowest), highest) < 64.0 * 100 + 20);
  }
  // Up to k = 2^16 fp32 holds the sums.
  CHECK(2 * 64.0 * (1 << 16) + 20 < (1 << 24));
}

}  // namespace kernels::cpu
