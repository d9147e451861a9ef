#include "kernels/cpu/trials/check_elements.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/machine/pinned_caller.hpp"
#include "kernels/cpu/machine/share.hpp"
#include "kernels/device.hpp"
#include "kernels/random.hpp"

namespace kernels::cpu {
namespace {

constexpr std::size_t most_reported = 8;  // per thread
constexpr std::uint64_t piece = element_granule * 256;
constexpr std::uint64_t random_samples = 2048;
constexpr std::uint64_t edge = 8;

template <class Bits>
void find_poison(const void* data, Range range, int poison, std::vector<std::uint64_t>& found) {
  const Bits* values = static_cast<const Bits*>(data) + range.first;
  Bits poisoned;
  std::memset(&poisoned, poison, sizeof poisoned);
  std::uint64_t hits = 0;  // counted first: this loop vectorizes
  for (std::uint64_t i = 0; i < range.count; ++i) hits += values[i] == poisoned;
  for (std::uint64_t i = 0; hits > 0 && i < range.count && found.size() < most_reported; ++i) {
    if (values[i] == poisoned) found.push_back(range.first + i);
  }
}

void find_poison(const void* data, std::uint64_t element_bytes, Range range, int poison,
                 std::vector<std::uint64_t>& found) {
  switch (element_bytes) {
    case 8:
      return find_poison<std::uint64_t>(data, range, poison, found);
    case 4:
      return find_poison<std::uint32_t>(data, range, poison, found);
    case 2:
      return find_poison<std::uint16_t>(data, range, poison, found);
    default:
      return find_poison<std::uint8_t>(data, range, poison, found);
  }
}

}  // namespace

std::vector<std::uint64_t> poisoned_elements(Machine& machine, const void* data,
                                             std::uint64_t elements, std::uint64_t element_bytes,
                                             int poison, std::stop_token stop) {
  Pool& pool = machine.pool();
  std::vector<std::vector<std::uint64_t>> found(static_cast<std::size_t>(pool.threads()));
  Division all_elements(machine.deal(elements, element_granule, true));
  auto look = [&](int thread) {
    all_elements.deal(
        thread, piece, [&] { return stop.stop_requested(); },
        [&](Range range) {
          find_poison(data, element_bytes, range, poison, found[static_cast<std::size_t>(thread)]);
        });
  };
  {
    const Pool::PinnedCaller pinned(pool);
    pool.launch(look);
  }
  if (stop.stop_requested()) throw Cancelled();
  std::vector<std::uint64_t> all;
  for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::vector<std::uint64_t> sampled_elements(std::uint64_t elements, std::uint64_t granule,
                                            int threads, std::uint64_t seed) {
  std::vector<std::uint64_t> samples;
  const auto around = [&](std::uint64_t border) {
    const std::uint64_t first = border < edge ? 0 : border - edge;
    for (std::uint64_t i = first; i < std::min(elements, border + edge); ++i) samples.push_back(i);
  };
  for (int thread = 0; thread < threads; ++thread) {
    around(share_of(elements, granule, thread, threads).first);
  }
  around(elements);
  for (std::uint64_t i = 0; i < random_samples && elements > 0; ++i) {
    samples.push_back(random_bits(Dtype::fp64, seed, i) % elements);
  }
  std::ranges::sort(samples);
  samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
  return samples;
}

std::uint64_t bits_at(const void* data, std::uint64_t index, std::uint64_t element_bytes) {
  std::uint64_t bits = 0;  // little endian: the low bytes
  std::memcpy(&bits, static_cast<const char*>(data) + index * element_bytes, element_bytes);
  return bits;
}

}  // namespace kernels::cpu
