// Writes tensors in parallel: random input, and the poison that shows what a kernel did not write;
// and looks for it.
#include <array>
#include <cstring>
#include <utility>

#include "kernels/cpu/machine/machine.hpp"
#include "kernels/cpu/threads/share.hpp"
#include "kernels/device.hpp"
#include "kernels/random.hpp"

namespace kernels::cpu {
namespace {

/// Elements between two looks at the stop token: below 10 ms for the slowest type.
constexpr std::uint64_t piece = element_granule * 1024;

/// body(range, thread) on every thread's share, in pieces.
template <class Body>
void on_all(Machine& machine, std::uint64_t elements, std::stop_token stop, Body body) {
  Pool& pool = machine.pool();
  ParallelLoop all(machine.split(elements, element_granule, true));
  auto share = [&](int thread) {
    all.run(
        thread, piece, [&] { return stop.stop_requested(); },
        [&](Range range) { body(range, static_cast<std::size_t>(thread)); });
  };
  {
    const Pool::PinnedCaller pinned(pool);
    pool.launch(share);
  }
  if (stop.stop_requested()) throw Cancelled();
}

template <class Bits, class Random>
void fill_piece(Bits* data, Range range, std::uint64_t seed, Random random) {
  while (range.count > 0) {
    // All elements with the same upper half of their index share a key; the compiler vectorizes the
    // rest.
    const auto low = static_cast<std::uint32_t>(range.first);
    const std::uint64_t count =
        std::min<std::uint64_t>(range.count, (std::uint64_t{1} << 32) - low);
    const std::uint32_t key = random_key(seed, static_cast<std::uint32_t>(range.first >> 32));
    Bits* out = data + range.first;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) {
      out[i] = static_cast<Bits>(random(random_word(key, low + i)));
    }
    range = {range.first + count, range.count - count};
  }
}

template <class Bits, class Random>
void fill(Machine& machine, void* data, std::uint64_t elements, std::uint64_t seed,
          std::stop_token stop, Random random) {
  on_all(machine, elements, stop, [=](Range range, std::size_t) {
    fill_piece(static_cast<Bits*>(data), range, seed, random);
  });
}

constexpr std::size_t most_reported = 8;  // per thread

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

/// use(a word as large as an element)
template <class Use>
void with_word(Dtype dtype, Use use) {
  const std::size_t bytes = size_of(dtype);
  if (bytes == 8) return use(std::uint64_t{});
  if (bytes == 4) return use(std::uint32_t{});
  if (bytes == 2) return use(std::uint16_t{});
  use(std::uint8_t{});
}

}  // namespace

void fill_random(Machine& machine, Dtype dtype, void* data, std::uint64_t elements,
                 std::uint64_t seed, std::stop_token stop) {
  const auto with = [&]<class Bits>(Bits, auto random) {
    fill<Bits>(machine, data, elements, seed, stop, random);
  };
  switch (dtype) {
    case Dtype::fp64:
      return with(std::uint64_t{}, [](std::uint32_t w) { return random_fp64(w); });
    case Dtype::fp32:
      return with(std::uint32_t{}, [](std::uint32_t w) { return random_fp32(w); });
    case Dtype::tf32:
      return with(std::uint32_t{}, [](std::uint32_t w) { return random_tf32(w); });
    case Dtype::fp16:
      return with(std::uint16_t{}, [](std::uint32_t w) { return random_fp16(w); });
    case Dtype::bf16:
      return with(std::uint16_t{}, [](std::uint32_t w) { return random_bf16(w); });
    case Dtype::fp8:
      return with(std::uint8_t{}, [](std::uint32_t w) { return random_fp8(w); });
    case Dtype::int32:
      return with(std::uint32_t{}, [](std::uint32_t w) { return w; });
    case Dtype::int8:
      return with(std::int8_t{}, [](std::uint32_t w) { return random_int8(w); });
  }
}

void fill_integers(Machine& machine, Dtype dtype, void* data, std::uint64_t elements,
                   std::uint64_t seed, std::stop_token stop) {
  std::array<std::uint64_t, 16> bits{};
  for (int i = 0; i < 16; ++i) bits[static_cast<std::size_t>(i)] = encode(dtype, i - 8);
  const auto random = [bits](std::uint32_t word) { return bits[word >> 28]; };
  with_word(dtype,
            [&]<class Bits>(Bits) { fill<Bits>(machine, data, elements, seed, stop, random); });
}

void fill_data(Machine& machine, const Case& c, void* data, std::uint64_t elements,
               std::uint64_t seed, std::stop_token stop) {
  if (c.data == Data::zeros) {
    return fill_bytes(machine, data, elements, size_of(c.dtype), 0, std::move(stop));
  }
  fill_random(machine, c.dtype, data, elements, seed, std::move(stop));
}

void fill_bytes(Machine& machine, void* data, std::uint64_t elements, std::uint64_t element_bytes,
                int value, std::stop_token stop) {
  on_all(machine, elements, stop, [=](Range range, std::size_t) {
    std::memset(static_cast<char*>(data) + range.first * element_bytes, value,
                range.count * element_bytes);
  });
}

std::vector<std::uint64_t> poisoned_elements(Machine& machine, Dtype dtype, const void* data,
                                             std::uint64_t elements, std::stop_token stop) {
  std::vector<std::vector<std::uint64_t>> found(static_cast<std::size_t>(machine.threads()));
  with_word(dtype, [&]<class Bits>(Bits) {
    on_all(machine, elements, stop, [&](Range range, std::size_t thread) {
      find_poison<Bits>(data, range, poison_of(dtype), found[thread]);
    });
  });
  std::vector<std::uint64_t> all;
  for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace kernels::cpu
