// Looks at a result in memory: which elements no kernel has written, and which to compare with the
// reference.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "kernels/cpu/machine/machine.hpp"

namespace kernels::cpu {

/// The byte that outputs of this dtype are filled with beforehand: of a floating-point number it
/// makes a NaN, of an integer one that is no small sum.
constexpr int poison_of(Dtype dtype) { return info_of(dtype).integer ? 0x80 : 0xff; }

/// Elements (at most a few per thread) that still are poison; an integer may be so by right. Throws
/// Cancelled.
std::vector<std::uint64_t> poisoned_elements(Machine&, const void* data, std::uint64_t elements,
                                             std::uint64_t element_bytes, int poison,
                                             std::stop_token);

/// A few thousand indices: both ends, both sides of every border between threads' shares of
/// `granule`, and random ones.
std::vector<std::uint64_t> sampled_elements(std::uint64_t elements, std::uint64_t granule,
                                            int threads, std::uint64_t seed);

/// The bit pattern of element `index`.
std::uint64_t bits_at(const void* data, std::uint64_t index, std::uint64_t element_bytes);

}  // namespace kernels::cpu
