// Words that lie a stride apart: all are read, and what lies between them is moved with them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/case.hpp"

namespace kernels {

struct Value;  // kernels/device.hpp, which kernels of a device do not need

inline constexpr std::uint64_t most_stride = 64, most_offset = 63;  ///< words of 4 byte
/// Words of which one sum is stored; elements come in multiples of this.
inline constexpr std::uint64_t strided_group = 1024;

/// A case that reads `words` fp32, each `stride` words behind the one before, from word `offset`
/// on.
Case strided_case(std::uint64_t stride, std::uint64_t offset, std::uint64_t words);
std::uint64_t stride_of(const Case&);
std::uint64_t offset_of(const Case&);
/// Words from the first to the last one that are read, and those before the first.
std::uint64_t span_words(const Case&);
/// Sums that a run stores.
std::uint64_t groups_of(const Case&);

/// Byte that memory has to give to one run where it gives no less than `sector` byte at a time.
double moved_bytes(const Case&, double sector);

/// What a run says beside its time: the byte that were moved, and those of a sector.
inline constexpr std::string_view moved_value = "moved", sector_value = "sector";
std::vector<Value> strided_values(const Case&, double sector);

}  // namespace kernels
