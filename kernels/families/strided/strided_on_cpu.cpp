// Family `strided`: one launch over all groups of words.
#include <unistd.h>

#include <cstring>

#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/strided/strided.hpp"

namespace kernels::cpu {
namespace {

/// Words between two looks at the stop token: 4 MiB of cache lines, about 1 ms of memory.
constexpr std::uint64_t words_per_piece = std::uint64_t{1} << 16;

/// Byte of a cache line.
double line_bytes() {
  const long told = ::sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  // Not every kernel tells; all x86-64 and most 64-bit Arm processors have lines of 64 byte.
  return told > 0 ? static_cast<double>(told) : 64;
}

/// Byte ahead of its loads that a loop prefetches. Loads of single words fill the queues of a core
/// before enough lines are under way: at stride 1, a core of an Intel Xeon with AVX512-FP16 read 7
/// GB/s without, 12 GB/s with them, and 14 GB/s by registers of four words.
constexpr std::uint64_t prefetch_ahead = 6144;

/// Four words in a register.
using Words [[gnu::vector_size(16)]] = std::uint32_t;

/// The sum of a group of words side by side, modulo 2^32, by registers of four.
std::uint32_t sum_side_by_side(const std::uint32_t* words) {
  constexpr int in_flight = 8, lanes = 4;
  static_assert(strided_group % (in_flight * lanes) == 0);
  Words sum[in_flight] = {};
  for (std::uint64_t done = 0; done < strided_group; done += in_flight * lanes) {
#pragma GCC unroll 8
    for (int i = 0; i < in_flight; ++i) {
      const std::uint32_t* const at = words + done + i * lanes;
      if (i % 4 == 0)  // a line of 64 byte
        __builtin_prefetch(reinterpret_cast<const char*>(at) + prefetch_ahead);
      Words loaded;
      std::memcpy(&loaded, at, sizeof loaded);  // words lie at any multiple of 4 byte
      sum[i] += loaded;
    }
  }
  Words all = {};
  for (const Words& one : sum) all += one;
  return all[0] + all[1] + all[2] + all[3];
}

/// The same of words that lie apart, by loads of one word each, of which every `in_line`-th begins
/// another line of 64 byte.
template <int in_line>
std::uint32_t sum_apart(const std::uint32_t* words, std::uint64_t stride) {
  constexpr int in_flight = 8;
  static_assert(strided_group % in_flight == 0);
  std::uint32_t sum[in_flight] = {};
  for (std::uint64_t done = 0; done < strided_group; done += in_flight) {
#pragma GCC unroll 8
    for (int i = 0; i < in_flight; ++i) {
      const std::uint32_t* const at = words + (done + static_cast<std::uint64_t>(i)) * stride;
      if (i % in_line == 0) __builtin_prefetch(reinterpret_cast<const char*>(at) + prefetch_ahead);
      sum[i] += *at;
      // Opaque: registers that are put together from loads of single words are slower.
      asm volatile("" : "+r"(sum[i]));
    }
  }
  std::uint32_t all = 0;
  for (const std::uint32_t one : sum) all += one;
  return all;
}

std::uint32_t sum_of(const std::uint32_t* words, std::uint64_t stride) {
  if (stride == 1) return sum_side_by_side(words);
  if (stride < 8) return sum_apart<4>(words, stride);
  return stride < 16 ? sum_apart<2>(words, stride) : sum_apart<1>(words, stride);
}

/// sums[g] = the sum of group g of the words; the groups follow each other.
void sum_groups(const std::uint32_t* words, std::uint64_t stride, std::uint64_t groups,
                std::uint32_t* sums) {
  for (std::uint64_t group = 0; group < groups; ++group) {
    const std::uint32_t* const first = words + group * strided_group * stride;
    sums[group] = sum_of(first, stride);
  }
}

class StridedTrial final : public TimedTrial {
 public:
  StridedTrial(Machine& machine, const Case& c, const std::stop_token& stop)
      : TimedTrial(machine, c) {
    granule_ = strided_group;
    take(Slot::first, span_words(c), stop);
    machine.output(Slot::second, sums_bytes(), c);
    values_ = strided_values(c, line_bytes());
  }

 protected:
  void run_once(const std::stop_token& stop) override {
    const auto* const words = reinterpret_cast<const std::uint32_t*>(
                                  data(Slot::first, span_words(case_) * sizeof(float))) +
                              offset_of(case_);
    auto* const sums = reinterpret_cast<std::uint32_t*>(data(Slot::second, sums_bytes()));
    const std::uint64_t stride = stride_of(case_);
    for (std::uint64_t pass = 0; pass < case_.repeat && !stop.stop_requested(); ++pass) {
      on_threads(split(), words_per_piece, stop, [&](int, Range some) {
        sum_groups(words + some.first * stride, stride, some.count / strided_group,
                   sums + some.first / strided_group);
      });
    }
  }

  std::optional<Split> in_parts() const override {
    return case_.repeat == 1 ? std::optional(split()) : std::nullopt;
  }
  Dtype result_dtype() const override { return Dtype::int32; }
  Result result() const override { return {data(Slot::second, sums_bytes()), groups_of(case_)}; }

 private:
  Split split() const {
    return machine_.split(case_.elements, strided_group,
                          machine_.beyond_caches(footprint_of(case_)));
  }
  std::uint64_t sums_bytes() const { return groups_of(case_) * sizeof(std::uint32_t); }
};

}  // namespace

extern const FamilyOnCpu strided_on_cpu{
    .family = Family::strided,
    .note = "registers of words side by side, else a load for each word",
    .prepare = prepare_with<StridedTrial>};

}  // namespace kernels::cpu
