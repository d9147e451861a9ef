// Which items (of 16 or 32 bytes) of a tensor a block of a bandwidth kernel touches, and in which
// order. Plain C++, so that tests run it on the host.
#pragma once

#include <cstdint>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/arithmetic.hpp"

namespace kernels::cuda {

/// A block's way through the items that a tensor of fp32 fills: chunks that begin at begin, begin +
/// step...; a chunk ends at `end` at the latest. The words behind the last item are those of thread
/// 0 of block 0.
struct Walk {
  std::uint64_t begin, end, step;      ///< items
  std::uint64_t tail_begin, tail_end;  ///< words of this thread

  RIDGEPOINT_BOTH Walk(std::uint64_t elements, int width, std::uint64_t chunk, bool contiguous,
                       Place place, std::uint64_t blocks) {
    const auto item_words = static_cast<std::uint64_t>(width) / sizeof(float);
    const std::uint64_t all = elements / item_words;
    // Parts begin at whole cache lines.
    const auto line = static_cast<std::uint64_t>(128 / width);
    const std::uint64_t part = ((all + blocks - 1) / blocks + line - 1) / line * line;
    begin = contiguous ? place.block * part : place.block * chunk;
    step = contiguous ? chunk : blocks * chunk;
    end = contiguous && begin + part < all ? begin + part : all;
    tail_begin = all * item_words;
    tail_end = place.block == 0 && place.thread == 0 ? elements : tail_begin;
  }
};

}  // namespace kernels::cuda
