// The layouts of mma.sync, proved without a GPU: an mma in software that follows the tables of the
// PTX ISA ("Matrix fragments for mma.*") multiplies what the kernels' lanes hold.
#include "kernels/cuda/bodies/mma_layout.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <set>
#include <vector>

#include "kernels/families/tile/tile.hpp"
#include "kernels/families/tile/tile_matrix_body.hpp"
#include "tests/cuda/architectures.hpp"
#include "tests/cuda/fakes/emulation.hpp"

using namespace kernels;
using namespace kernels::cuda;

namespace {

struct Place2 {
  int row, column;
};

// Where element i of a lane's operand lies in the instruction's matrices, by the tables of the PTX
// ISA.
struct PtxTable {
  int m, k;
  int a_elements, b_elements, c_elements;  // per lane
  Place2 (*a)(int lane, int i);
  Place2 (*b)(int lane, int i);
  Place2 (*c)(int lane, int i);
};

Place2 c_of_m16(int lane, int i) {
  return {i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1)};
}
Place2 c_of_m8(int lane, int i) { return {lane / 4, lane % 4 * 2 + (i & 1)}; }

// m16n8k16, .f16 and .bf16
const PtxTable m16n8k16{
    16,
    16,
    8,
    4,
    4,
    [](int lane, int i) {
      const bool upper = (0 <= i && i < 2) || (4 <= i && i < 6);
      return Place2{upper ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1) + (i < 4 ? 0 : 8)};
    },
    [](int lane, int i) {
      return Place2{lane % 4 * 2 + (i & 1) + (i < 2 ? 0 : 8), lane / 4};
    },
    c_of_m16};
// m16n8k8, .f16
const PtxTable m16n8k8_f16{16,
                           8,
                           4,
                           2,
                           4,
                           [](int lane, int i) {
                             return Place2{i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1)};
                           },
                           [](int lane, int i) {
                             return Place2{lane % 4 * 2 + i, lane / 4};
                           },
                           c_of_m16};
// m16n8k8, .tf32 and .f64
const PtxTable m16n8k8{
    16,
    8,
    4,
    2,
    4,
    [](int lane, int i) {
      return Place2{i == 0 || i == 2 ? lane / 4 : lane / 4 + 8, i < 2 ? lane % 4 : lane % 4 + 4};
    },
    [](int lane, int i) {
      return Place2{i == 0 ? lane % 4 : lane % 4 + 4, lane / 4};
    },
    c_of_m16};
// m16n8k32, .s8 and .e4m3
const PtxTable m16n8k32{
    16,
    32,
    16,
    8,
    4,
    [](int lane, int i) {
      const bool upper = (0 <= i && i < 4) || (8 <= i && i < 12);
      return Place2{upper ? lane / 4 : lane / 4 + 8, lane % 4 * 4 + (i & 3) + (i < 8 ? 0 : 16)};
    },
    [](int lane, int i) {
      return Place2{lane % 4 * 4 + (i & 3) + (i < 4 ? 0 : 16), lane / 4};
    },
    c_of_m16};
// m8n8k16, .s8
const PtxTable m8n8k16{8,
                       16,
                       4,
                       4,
                       2,
                       [](int lane, int i) {
                         return Place2{lane / 4, lane % 4 * 4 + (i & 3)};
                       },
                       [](int lane, int i) {
                         return Place2{lane % 4 * 4 + (i & 3), lane / 4};
                       },
                       c_of_m8};
// m8n8k4, .f64
const PtxTable m8n8k4{8,
                      4,
                      1,
                      1,
                      2,
                      [](int lane, int) {
                        return Place2{lane / 4, lane % 4};
                      },
                      [](int lane, int) {
                        return Place2{lane % 4, lane / 4};
                      },
                      c_of_m8};

const PtxTable& table_of(Dtype dtype, MmaShape shape) {
  switch (dtype) {
    case Dtype::fp16:
    case Dtype::bf16:
      return shape.depth == 2 ? m16n8k16 : m16n8k8_f16;
    case Dtype::tf32:
      return m16n8k8;
    case Dtype::fp64:
      return shape.rows == 16 ? m16n8k8 : m8n8k4;
    default:
      return shape.rows == 16 ? m16n8k32 : m8n8k16;
  }
}

using Matrix = std::vector<std::vector<double>>;

Matrix zeros(int rows, int columns) {
  return Matrix(static_cast<std::size_t>(rows),
                std::vector<double>(static_cast<std::size_t>(columns), 0.0));
}

// d += a b on the operands of 32 lanes: [lane][element].
void software_mma(const PtxTable& ptx, Matrix& d, const Matrix& a, const Matrix& b) {
  Matrix left = zeros(ptx.m, ptx.k), right = zeros(ptx.k, 8);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < ptx.a_elements; ++i) {
      left[ptx.a(lane, i).row][ptx.a(lane, i).column] = a[lane][i];
    }
    for (int i = 0; i < ptx.b_elements; ++i) {
      right[ptx.b(lane, i).row][ptx.b(lane, i).column] = b[lane][i];
    }
  }
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < ptx.c_elements; ++i) {
      for (int k = 0; k < ptx.k; ++k) {
        d[lane][i] += left[ptx.c(lane, i).row][k] * right[k][ptx.c(lane, i).column];
      }
    }
  }
}

Matrix direct_product(const Matrix& a, const Matrix& b) {
  Matrix d = zeros(16, 32);
  for (int r = 0; r < 16; ++r) {
    for (int c = 0; c < 32; ++c) {
      for (std::size_t k = 0; k < b.size(); ++k) d[r][c] += a[r][k] * b[k][c];
    }
  }
  return d;
}

// What a lane's registers hold, as numbers: element e of an operand register.
template <Dtype dtype, class Word>
double element_of(const Word& word, int e) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &word, sizeof(word));
  return decode(dtype, (bits >> (8 * size_of(dtype) * static_cast<std::size_t>(e))) &
                           (~std::uint64_t{0} >> (64 - 8 * size_of(dtype))));
}

template <Dtype dtype>
HostTensor tensor_of(const Matrix& matrix) {
  const std::size_t columns = matrix[0].size();
  HostTensor tensor(matrix.size() * columns * size_of(dtype));
  for (std::size_t i = 0; i < matrix.size() * columns; ++i) {
    const std::uint64_t bits = encode(dtype, matrix[i / columns][i % columns]);
    std::memcpy(&tensor.byte(i * size_of(dtype)), &bits, size_of(dtype));
  }
  return tensor;
}

// Whole numbers that every dtype holds, fp8 too.
Matrix small_numbers(int rows, int columns, int step) {
  Matrix matrix = zeros(rows, columns);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) matrix[r][c] = (r * columns + c) * step % 17 - 8;
  }
  return matrix;
}

// One tile through the code of the kernels: their loads, the mma in software, their stores.
template <Dtype dtype, int architecture>
Matrix product_by_lanes(const Matrix& a, const Matrix& b, bool accumulate) {
  using Tile = MatrixTile<dtype, architecture>;
  using Sum = typename Tile::Sum;
  const PtxTable& ptx = table_of(dtype, Tile::shape);
  HostTensor a_memory = tensor_of<dtype>(a), b_memory = tensor_of<dtype>(b);
  HostTensor d_memory(16 * 32 * sizeof(Sum));
  for (std::size_t i = 0; i < 16 * 32; ++i) {
    const auto start = static_cast<Sum>(i);
    std::memcpy(&d_memory.byte(i * sizeof(Sum)), &start, sizeof(Sum));
  }
  auto* const d_pairs = reinterpret_cast<typename Tile::Pair*>(d_memory.data());
  std::vector<typename Tile::A> as;
  std::vector<typename Tile::B> bs;
  std::vector<typename Tile::D> ds(32);
  for (int lane = 0; lane < 32; ++lane) {
    as.emplace_back(a_memory.data(), lane, 0U);
    bs.emplace_back(b_memory.data(), lane);
    ds[lane].clear();
    if (accumulate) ds[lane].load(d_pairs, lane);
  }
  constexpr int words = Tile::elements_per_word;
  for (int s = 0; s < Tile::shape.steps(); ++s) {
    for (int f = 0; f < mma_fragments; ++f) {
      for (int part = 0; part < Tile::shape.parts(); ++part) {
        Matrix left = zeros(32, ptx.a_elements), right = zeros(32, ptx.b_elements);
        Matrix sums = zeros(32, ptx.c_elements);
        for (int lane = 0; lane < 32; ++lane) {
          typename Tile::Word operands[mma_a_operands(Tile::shape)];
          Tile::a_operands(operands, as[lane], s, part);
          for (int i = 0; i < ptx.a_elements; ++i) {
            left[lane][i] = element_of<dtype>(operands[i / words], i % words);
          }
          const auto* const column = bs[lane].word[f] + s * Tile::shape.depth;
          for (int i = 0; i < ptx.b_elements; ++i) {
            right[lane][i] = element_of<dtype>(column[i / words], i % words);
          }
        }
        software_mma(ptx, sums, left, right);
        for (int lane = 0; lane < 32; ++lane) {
          for (int i = 0; i < ptx.c_elements; ++i) {
            ds[lane].sum[f][2 * part + i] += static_cast<Sum>(sums[lane][i]);
          }
        }
      }
    }
  }
  for (int lane = 0; lane < 32; ++lane) ds[lane].store(d_pairs, lane);
  CHECK(d_memory.guard_is_whole());
  Matrix d = zeros(16, 32);
  for (std::size_t i = 0; i < 16 * 32; ++i) {
    Sum value;
    std::memcpy(&value, &d_memory.byte(i * sizeof(Sum)), sizeof(Sum));
    d[i / 32][i % 32] = static_cast<double>(value);
  }
  return d;
}

template <Dtype dtype, int architecture>
int check_product() {
  if constexpr (!mma_shape(dtype, architecture).native()) {
    return 0;
  } else {
    CAPTURE(architecture);
    CAPTURE(name_of(dtype));
    const auto depth = static_cast<int>(tile_depth(dtype));
    const Matrix a = small_numbers(16, depth, 7), b = small_numbers(depth, 32, 11);
    Matrix expected = direct_product(a, b);
    CHECK(product_by_lanes<dtype, architecture>(a, b, false) == expected);
    for (int i = 0; i < 16 * 32; ++i) expected[i / 32][i % 32] += i;
    CHECK(product_by_lanes<dtype, architecture>(a, b, true) == expected);
    return 1;
  }
}

template <int architecture>
int check_products() {
  return check_product<Dtype::fp64, architecture>() + check_product<Dtype::tf32, architecture>() +
         check_product<Dtype::fp16, architecture>() + check_product<Dtype::bf16, architecture>() +
         check_product<Dtype::fp8, architecture>() + check_product<Dtype::int8, architecture>();
}

}  // namespace

TEST_CASE(
    "the product of a tile is right for every dtype and architecture that has an mma for it") {
  CHECK(check_products<750>() == 2);
  CHECK(check_products<800>() == 5);
  CHECK(check_products<890>() == 6);
  CHECK(check_products<900>() == 5);
  CHECK(check_products<1000>() == 5);
  CHECK(check_products<1200>() == 6);
}

TEST_CASE("the lanes of a warp hold every element of A and D exactly once") {
  for (const MmaShape shape : {MmaShape{16, 2}, MmaShape{16, 1}, MmaShape{8, 1, 8}}) {
    std::set<std::pair<int, int>> words, results;
    for (int lane = 0; lane < 32; ++lane) {
      for (int half = 0; half < 2; ++half) {
        for (int w = 0; w < shape.lane_words(); ++w) {
          words.insert({mma_row(lane, half), mma_word(lane, w, shape)});
        }
        for (int f = 0; f < mma_fragments; ++f) {
          for (int i = 0; i < 2; ++i)
            results.insert({mma_row(lane, half), mma_d_column(lane, f, i)});
        }
      }
    }
    CHECK(words.size() == 16 * 4 * static_cast<std::size_t>(shape.lane_words()));
    CHECK(results.size() == 16 * 32);
  }
}

TEST_CASE("the instructions of a tile do exactly its FLOP") {
  for (const int architecture : tests::architectures) {
    for (const DtypeInfo& info : dtypes) {
      const MmaShape shape = mma_shape(info.dtype, architecture);
      if (!shape.native()) continue;
      const int k = 4 * shape.depth * shape.word_bytes / static_cast<int>(size_of(info.dtype));
      CHECK(mma_instructions(shape) * shape.rows * 8 * k ==
            static_cast<int>(tile_rows * tile_columns * tile_depth(info.dtype)));
    }
  }
}
