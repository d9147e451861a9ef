// How a launch is cut up: a share for each thread, and pieces of it between which a stop is
// noticed.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kernels::cpu {

/// A range of items.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// The share of one thread: whole granules, as even as they can be; the last thread takes what is
/// left.
constexpr Range share_of(std::uint64_t items, std::uint64_t granule, int thread, int threads) {
  const std::uint64_t granules = (items + granule - 1) / granule;
  const auto t = static_cast<std::uint64_t>(thread), of = static_cast<std::uint64_t>(threads);
  const std::uint64_t base = granules / of, extra = granules % of;
  const std::uint64_t first = base * t + std::min(t, extra);
  const std::uint64_t last = first + base + (t < extra ? 1 : 0);
  const std::uint64_t begin = std::min(items, first * granule);
  return {begin, std::min(items, last * granule) - begin};
}

/// Calls body(Range) on pieces of `piece` items until the range is done or `stopped()`.
template <class Stopped, class Body>
void in_pieces(Range range, std::uint64_t piece, Stopped stopped, Body body) {
  for (std::uint64_t done = 0; done < range.count && !stopped(); done += piece) {
    body(Range{range.first + done, std::min(piece, range.count - done)});
  }
}

}  // namespace kernels::cpu
