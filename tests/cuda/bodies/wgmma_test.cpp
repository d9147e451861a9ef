// The layouts of wgmma, proved without a GPU: a wgmma in software reads shared memory as the PTX
// ISA says ("Asynchronous Warpgroup Level Matrix Shared Memory Layout", "Matrix Descriptor Format")
// and multiplies what the kernels stage.
#include <doctest/doctest.h>

#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "kernels/cuda/bodies/pattern.hpp"
#include "kernels/cuda/bodies/wgmma_body.hpp"
#include "kernels/families/tile/tile.hpp"
#include "tests/cuda/fakes/emulation.hpp"

using namespace kernels;
using namespace kernels::cuda;

namespace {

constexpr int row_bytes = static_cast<int>(tile_row_bytes);

std::uint64_t field(std::uint64_t descriptor, int first, int bits) {
  return descriptor >> first & ((std::uint64_t{1} << bits) - 1);
}

// The address of a byte of a K-major matrix: `row` of M or N, byte `k` along k. Core matrices are 8
// rows of 16 bytes. Without a swizzle they lie whole, the next one along k a leading offset
// further; with that of 64 bytes, rows of 64 bytes follow one another, and address bits 4 and 5 are
// exchanged by bits 7 and 8.
std::uint64_t address_of(std::uint64_t descriptor, int row, int k) {
  const std::uint64_t start = field(descriptor, 0, 14) * 16;
  const std::uint64_t leading = field(descriptor, 16, 14) * 16;
  const std::uint64_t stride = field(descriptor, 32, 14) * 16;
  const std::uint64_t swizzle = field(descriptor, 62, 2);
  const auto r = static_cast<std::uint64_t>(row), b = static_cast<std::uint64_t>(k);
  if (swizzle == 0) return start + r / 8 * stride + b / 16 * leading + r % 8 * 16 + b % 16;
  const std::uint64_t linear = start + r / 8 * stride + r % 8 * 64 + b;
  return linear ^ (linear >> 7 & 3) << 4;
}

struct Shared {
  alignas(1024) unsigned char bytes[(64 + 256) * 64];
};

double element_at(Dtype dtype, const unsigned char* bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, size_of(dtype));
  return decode(dtype, bits);
}

HostTensor tensor_of(Dtype dtype, std::uint64_t elements, std::uint64_t seed) {
  HostTensor tensor(elements * size_of(dtype));
  for (std::uint64_t i = 0; i < elements; ++i) {
    const std::uint64_t bits = pattern_bits(Pattern::random, dtype, seed, i);
    std::memcpy(&tensor.byte(i * size_of(dtype)), &bits, size_of(dtype));
  }
  return tensor;
}

struct Product {
  HostTensor a, b;
  Shared shared;
};

// What the kernel stages: 64 rows of A at 0, `n` columns of B behind them.
template <Dtype dtype>
Product staged(int n, WgmmaLayout layout) {
  const auto tiles = static_cast<std::uint64_t>(n) / tile_columns;
  Product p{tensor_of(dtype, 4 * tile_elements(dtype), 31),
            tensor_of(dtype, tiles * tile_depth(dtype) * tile_columns, 32),
            {}};
  for (int thread = 0; thread < wgmma_threads; ++thread) {
    wgmma_stage_a(p.shared.bytes, p.a.data(), layout, thread);
    wgmma_stage_b<dtype>(p.shared.bytes + 64 * 64, p.b.data(), n, layout, thread);
  }
  return p;
}

// One element of D through the descriptors, as wgmma sees it.
template <Dtype dtype>
double by_descriptors(const Shared& shared, WgmmaLayout layout, int row, int column) {
  constexpr int size = static_cast<int>(size_of(dtype));
  double sum = 0;
  for (int step = 0; step < wgmma_steps; ++step) {
    const auto advance = static_cast<std::uint64_t>(step) * wgmma_step(layout);
    const std::uint64_t a = (wgmma_descriptor(layout) | wgmma_address(0)) + advance;
    const std::uint64_t b = (wgmma_descriptor(layout) | wgmma_address(64 * 64)) + advance;
    for (int k = 0; k < wgmma_step_bytes; k += size) {
      sum += element_at(dtype, shared.bytes + address_of(a, row, k)) *
             element_at(dtype, shared.bytes + address_of(b, column, k));
    }
  }
  return sum;
}

// The same from the tensors.
template <Dtype dtype>
double direct(Product& p, int row, int column) {
  constexpr auto depth = static_cast<int>(tile_depth(dtype)),
                 size = static_cast<int>(size_of(dtype));
  double sum = 0;
  for (int k = 0; k < depth; ++k) {
    const int in_b = column / 32 * depth * 32 + k * 32 + column % 32;
    sum += element_at(dtype, &p.a.byte(static_cast<std::size_t>((row * depth + k) * size))) *
           element_at(dtype, &p.b.byte(static_cast<std::size_t>(in_b * size)));
  }
  return sum;
}

template <Dtype dtype>
void check_dtype() {
  CAPTURE(name_of(dtype));
  for (const WgmmaLayout layout : {WgmmaLayout::swizzled, WgmmaLayout::plain}) {
    for (const int n : {32, 256}) {
      Product p = staged<dtype>(n, layout);
      int wrong = 0;
      for (int row = 0; row < wgmma_rows; ++row) {
        for (int column = 0; column < n; ++column) {
          const double got = by_descriptors<dtype>(p.shared, layout, row, column);
          if (got != direct<dtype>(p, row, column)) ++wrong;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace

TEST_CASE("what the kernel stages for wgmma is the product, for every dtype and layout") {
  check_dtype<Dtype::tf32>();
  check_dtype<Dtype::fp16>();
  check_dtype<Dtype::bf16>();
  check_dtype<Dtype::fp8>();
  check_dtype<Dtype::int8>();
}

TEST_CASE("descriptors name the swizzle of 64 bytes or none, and no base offset") {
  const auto swizzle = [](WgmmaLayout layout) { return field(wgmma_descriptor(layout), 62, 2); };
  CHECK(swizzle(WgmmaLayout::plain) == 0);
  CHECK(swizzle(WgmmaLayout::swizzled) == 2);
  CHECK(field(wgmma_descriptor(WgmmaLayout::swizzled), 49, 3) == 0);
}

TEST_CASE("the address of a descriptor is that of shared memory in units of 16 bytes") {
  CHECK(wgmma_address(0x1230) == 0x123);
  CHECK(field(wgmma_descriptor(WgmmaLayout::swizzled) | wgmma_address(0x5000), 0, 14) == 0x500);
}

// PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16", matrix A: for a register pair of 16
// bits, row = 16 warp + lane / 4 (+ 8 for odd registers), column = 2 (lane % 4) (+ 8 from register
// 2 on); 4-byte words of other types lie alike.
TEST_CASE("a thread's registers of A hold the words that wgmma takes from it") {
  HostTensor a(64 * 64);
  for (std::size_t i = 0; i < 64 * 16; ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    std::memcpy(&a.byte(i * 4), &number, 4);
  }
  std::set<std::uint32_t> seen;
  for (int thread = 0; thread < wgmma_threads; ++thread) {
    std::uint32_t words[wgmma_steps][wgmma_a_operands];
    wgmma_load_a(words, a.data(), thread);
    for (int step = 0; step < wgmma_steps; ++step) {
      for (int i = 0; i < wgmma_a_operands; ++i) {
        const int row = 16 * (thread / 32) + thread % 32 / 4 + (i % 2 == 1 ? 8 : 0);
        const int k16 = 2 * (thread % 4) + (i >= 2 ? 8 : 0);  // in elements of 16 bits
        CHECK(words[step][i] ==
              static_cast<std::uint32_t>(row * (row_bytes / 4) + step * 8 + k16 / 2));
        seen.insert(words[step][i]);
      }
    }
  }
  CHECK(seen.size() == 64 * 16);
}

// PTX ISA, the same place, matrix D: row = 16 warp + lane / 4 + 8 ((i / 2) % 2), column = 8 (i / 4)
// + 2 (lane % 4) + i % 2.
TEST_CASE("the accumulators of a warpgroup are D, each element once") {
  for (const int n : {32, 64, 128, 256}) {
    std::set<std::pair<int, int>> seen;
    for (int thread = 0; thread < wgmma_threads; ++thread) {
      for (int i = 0; i < wgmma_accumulators(n); ++i) {
        seen.insert({wgmma_d_row(thread, i), wgmma_d_column(thread, i)});
      }
    }
    CHECK(seen.size() == static_cast<std::size_t>(64 * n));
    CHECK(seen.rbegin()->first == 63);
  }
  CHECK(wgmma_d_row(37, 6) == 16 + 1 + 8);
  CHECK(wgmma_d_column(37, 6) == 8 + 2);
}

TEST_CASE("eight neighbouring rows of a piece lie in different banks of shared memory") {
  for (const WgmmaLayout layout : {WgmmaLayout::swizzled, WgmmaLayout::plain}) {
    for (int piece = 0; piece < wgmma_pieces; ++piece) {
      std::set<int> banks;
      for (int row = 0; row < 8; ++row) banks.insert(wgmma_offset(layout, row, piece) / 16 % 8);
      CHECK(banks.size() == 8);
    }
  }
}
