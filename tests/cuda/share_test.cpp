#include "kernels/cuda/trials/share.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "kernels/random.hpp"
#include "tests/cuda/fakes/emulation.hpp"

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

}  // namespace

TEST_CASE(
    "every element of a tensor of any size is stored by exactly one thread, and nothing else") {
  check_coverage_of_sizes<2>();
  check_coverage_of_sizes<4>();
  check_coverage_of_sizes<8>();
}

TEST_CASE("what a thread loads it stores in the same places, for tensors of any size") {
  for (const std::uint64_t elements : {1, 5, 4095, 4096, 4097, 12345}) {
    CAPTURE(elements);
    HostTensor in(elements * sizeof(float));
    HostTensor out(elements * sizeof(float));
    for (std::size_t i = 0; i < elements * sizeof(float); ++i) {
      in.byte(i) = static_cast<std::uint8_t>(random_bits(Dtype::int32, 3, i));
    }
    launch_on_host(blocks_for(elements, 4, block_threads), block_threads, [&](Place place) {
      const Share<4> share(elements, place);
      Vector data[vectors_per_thread];
      share.load(in.data(), data);
      share.store(out.data(), data);
    });
    CHECK(std::equal(&in.byte(0), &in.byte(0) + elements * sizeof(float), &out.byte(0)));
    CHECK(out.guard_is_whole());
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
