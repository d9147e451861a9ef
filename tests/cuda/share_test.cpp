#include "kernels/cuda/share.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "emulation.hpp"
#include "kernels/cuda/stream_body.hpp"
#include "kernels/random.hpp"

using namespace kernels;
using namespace kernels::cuda;

namespace {

constexpr std::uint32_t few_threads = 32;

std::uint64_t blocks_for(std::uint64_t elements, std::size_t element_bytes, std::uint32_t threads) {
  const std::uint64_t each = vectors_per_thread * threads * sizeof(Vector) / element_bytes;
  return (elements + each - 1) / each;
}

// How often each byte of a tensor is written: every thread stores into a fresh copy.
template <int element_bytes>
std::vector<int> write_counts(std::uint64_t elements, std::uint32_t threads, bool& guard) {
  std::vector<int> counts(elements * element_bytes, 0);
  launch_on_host(blocks_for(elements, element_bytes, threads), threads, [&](Place place) {
    HostTensor tensor(counts.size());
    const Vector data[vectors_per_thread] = {};
    Share<element_bytes>(elements, place).store(tensor.data(), data);
    guard = guard && tensor.guard_is_whole();
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += tensor.byte(i) == 0 ? 1 : 0;
  });
  return counts;
}

template <int element_bytes>
void check_coverage_of_sizes() {
  const std::uint64_t block = vectors_per_thread * few_threads * 16 / element_bytes;
  for (const std::uint64_t elements :
       {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{7}, std::uint64_t{8}, std::uint64_t{9},
        block - 1, block, block + 1, block + block / 2 + 3}) {
    CAPTURE(elements);
    bool guard = true;
    const auto counts = write_counts<element_bytes>(elements, few_threads, guard);
    CHECK(std::ranges::all_of(counts, [](int n) { return n == 1; }));
    CHECK(guard);
  }
}

HostTensor random_tensor(std::uint64_t elements, std::uint64_t seed) {
  HostTensor tensor(elements * sizeof(float));
  for (std::uint64_t i = 0; i < elements; ++i) {
    const auto bits = static_cast<std::uint32_t>(random_bits(Dtype::fp32, seed, i));
    std::memcpy(&tensor.byte(i * 4), &bits, 4);
  }
  return tensor;
}

float element(HostTensor& tensor, std::uint64_t i) {
  float value;
  std::memcpy(&value, &tensor.byte(i * 4), 4);
  return value;
}

constexpr std::uint64_t odd_sizes[] = {1, 5, 4095, 4096, 4097, 12345};

}  // namespace

TEST_CASE(
    "every element of a tensor of any size is stored by exactly one thread, and nothing else") {
  check_coverage_of_sizes<2>();
  check_coverage_of_sizes<4>();
  check_coverage_of_sizes<8>();
}

TEST_CASE("what a thread loads it stores in the same places, for tensors of any size") {
  for (const std::uint64_t elements : odd_sizes) {
    CAPTURE(elements);
    HostTensor in = random_tensor(elements, 3);
    HostTensor out(elements * sizeof(float));
    const StreamArguments args{.a = in.data(), .out = out.data(), .elements = elements};
    launch_on_host(blocks_for(elements, 4, block_threads), block_threads,
                   [&](Place place) { copy_thread(args, place); });
    bool equal = true;
    for (std::uint64_t i = 0; i < elements; ++i) equal = equal && element(in, i) == element(out, i);
    CHECK(equal);
    CHECK(out.guard_is_whole());
  }
}

TEST_CASE("a triad adds the scaled second tensor, and a write fills every element") {
  const std::uint64_t elements = 4099;
  HostTensor a = random_tensor(elements, 4), b = random_tensor(elements, 5);
  HostTensor sum(elements * sizeof(float)), filled(elements * sizeof(float));
  const std::uint32_t word = 0x3fc00000;  // 1.5F
  StreamArguments args{.a = a.data(),
                       .b = b.data(),
                       .out = sum.data(),
                       .elements = elements,
                       .scalar = 0.75F,
                       .pattern = {{word, word, word, word}}};
  const std::uint64_t blocks = blocks_for(elements, 4, block_threads);
  launch_on_host(blocks, block_threads, [&](Place place) { triad_thread(args, place); });
  args.out = filled.data();
  launch_on_host(blocks, block_threads, [&](Place place) { write_thread(args, place); });
  bool sums = true, fills = true;
  for (std::uint64_t i = 0; i < elements; ++i) {
    sums = sums && element(sum, i) == std::fmaf(element(b, i), 0.75F, element(a, i));
    fills = fills && element(filled, i) == 1.5F;
  }
  CHECK(sums);
  CHECK(fills);
  CHECK(sum.guard_is_whole());
  CHECK(filled.guard_is_whole());
}

TEST_CASE("a read sums every word once, whatever the number of blocks") {
  for (const std::uint64_t elements : odd_sizes) {
    HostTensor in = random_tensor(elements, 6);
    std::uint32_t expected = 0;
    for (std::uint64_t i = 0; i < elements; ++i) {
      expected += static_cast<std::uint32_t>(random_bits(Dtype::fp32, 6, i));
    }
    const StreamArguments args{.a = in.data(), .elements = elements};
    for (const std::uint64_t blocks : {1, 2, 3, 7}) {
      CAPTURE(elements);
      CAPTURE(blocks);
      std::uint32_t sum = 0;
      launch_on_host(blocks, block_threads,
                     [&](Place place) { sum += read_thread(args, place, blocks); });
      CHECK(sum == expected);
    }
  }
}

TEST_CASE("a tensor beyond 2^32 elements keeps its last block in place") {
  const std::uint64_t elements = (std::uint64_t{1} << 33) + 5;
  const std::uint64_t block = elements / block_elements(4);
  const Share<4> share(elements, {block, 0, block_threads});
  CHECK(share.first * 4 == block * block_elements(4));
  CHECK(share.whole == elements / 4);
  CHECK(share.tail == 1);
  CHECK_FALSE(share.inside);
}
