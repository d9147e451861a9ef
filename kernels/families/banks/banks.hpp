// Words of shared memory that lie a stride apart: each bank gives one word at a time. Constants
// alone: included by files that are compiled for one GPU.
#pragma once

#include <cstdint>

#include "kernels/case.hpp"

namespace kernels {

/// Banks of 4 byte each: CUDA C++ Programming Guide, "Compute Capabilities", 5.x and later.
inline constexpr std::uint64_t shared_banks = 32;
inline constexpr std::uint64_t most_bank_stride = 64;  ///< words of 4 byte
/// Words that a thread reads, and those that a warp of 32 threads reads, of which one sum is
/// stored; elements come in multiples of these.
inline constexpr std::uint64_t bank_reads = 1024, bank_group = 32 * bank_reads;
/// Words of shared memory: thread t begins at word t * stride, and reads `bank_reads` from there.
inline constexpr std::uint64_t bank_table = 31 * most_bank_stride + bank_reads;
/// Group g begins so many words later than the group before it; behind the last of its words a
/// thread goes on with its first.
inline constexpr std::uint64_t bank_skew = 16;
/// What a thread multiplies its sum by before it adds the next word: so the order counts, and
/// groups that begin elsewhere have other sums.
inline constexpr std::uint32_t bank_factor = 3;

/// A case that reads `words` of 4 byte: the 32 threads of a warp those that lie `stride` apart.
Case banks_case(std::uint64_t stride, std::uint64_t words);
std::uint64_t bank_stride_of(const Case&);
/// Threads of a warp whose words lie in one bank: 1 (no conflict) to 32.
std::uint64_t conflict_ways(const Case&);

}  // namespace kernels
