// Bytes that are moved between the memory of a host and that of a GPU, or within a host.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/case.hpp"

namespace kernels {

/// What is moved from where, and what memory the host has for it. Pageable: as malloc gives it.
/// Pinned: page-locked, so that the GPU moves it by itself. Mapped: page-locked, read or written by
/// a kernel.
enum class Transfer : std::uint8_t {
  to_pageable = 1,  ///< host to GPU
  to_pinned,
  to_mapped,
  from_pageable,  ///< GPU to host
  from_pinned,
  from_mapped,
  both_pinned,  ///< both at once
  copy,         ///< CPU: memcpy by one thread
  again,        ///< CPU: memset of pages that were written before, by one thread
  fresh,        ///< CPU: pages of 4 KiB got from the system, written and given back
  fresh_huge,   ///< CPU: the same in huge pages
  to_peer,      ///< GPU to another GPU
  remote_copy,  ///< CPU: memcpy by one thread from memory of another memory node
};

Transfer transfer_of(const Case&);
Case transfer_case(Transfer, std::uint64_t bytes);
/// "pinned to GPU", "memcpy".
std::string_view words_of(Transfer);
/// Whether it is one of a GPU.
bool is_of_gpu(Transfer);

/// Sizes are multiples of this many bytes: kernels move 16 at a time.
inline constexpr std::uint64_t transfer_granule = 64;

/// The value of a transfer of fresh pages that tells their size, byte.
inline constexpr std::string_view page_value = "page size";

/// Fills memory with bytes that differ from place to place.
void fill_transfer(void* data, std::uint64_t bytes, std::uint64_t seed);

}  // namespace kernels
