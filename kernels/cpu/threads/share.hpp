// How a launch is cut up: a share for each thread, or pieces from a queue; parts of a launch, each
// timed alone; and pieces of a share between which a stop is noticed. And what each thread writes
// apart from the others.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace kernels::cpu {

/// What one thread writes: a cache line of its own.
template <class Value>
struct alignas(64) Padded {
  Value value{};
};

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

/// A part of a launch: number `index` of `of` parts, which are as even as granules allow.
struct Part {
  std::uint64_t index = 0;
  std::uint64_t of = 1;
};

constexpr Range part_of(Range range, std::uint64_t granule, Part part) {
  if (part.of == 1) return range;
  const std::uint64_t granules = (range.count + granule - 1) / granule;
  const std::uint64_t first = std::min(range.count, granules * part.index / part.of * granule);
  const std::uint64_t last = std::min(range.count, granules * (part.index + 1) / part.of * granule);
  return {range.first + first, last - first};
}

/// Calls body(Range) on pieces of `piece` items until the range is done or `stopped()`.
template <class Stopped, class Body>
void in_pieces(Range range, std::uint64_t piece, Stopped stopped, Body body) {
  for (std::uint64_t done = 0; done < range.count && !stopped(); done += piece) {
    body(Range{range.first + done, std::min(piece, range.count - done)});
  }
}

/// Who gets pieces of a launch.
enum class Schedule : std::uint8_t {
  shares,  ///< each thread an equal share: for cores of equal speed
  queue,   ///< whoever is ready the next piece: slower cores get fewer
};

/// The items of a launch and who gets them.
struct Split {
  std::uint64_t items = 0;
  std::uint64_t granule = 1;
  int threads = 1;
  Schedule schedule = Schedule::shares;

  /// A thread gets a part of the share that it has in the whole launch: its pages lie near it.
  Range share(int thread, Part part) const {
    return part_of(share_of(items, granule, thread, threads), granule, part);
  }
  /// What a queue holds.
  Range queue(Part part) const { return part_of({0, items}, granule, part); }
  /// The items of a part, as a share of all items.
  double fraction(Part part) const {
    std::uint64_t count = schedule == Schedule::queue ? queue(part).count : 0;
    for (int thread = 0; schedule == Schedule::shares && thread < threads; ++thread)
      count += share(thread, part).count;
    return static_cast<double>(count) / static_cast<double>(items);
  }
};

/// The items of one launch, or of a part of it, split among the threads of a pool. One object per
/// launch.
class ParallelLoop {
 public:
  explicit ParallelLoop(const Split& of, Part part = {})
      : split_(of), part_(part), queue_(of.queue(part)) {}

  /// On every thread: calls body(Range) on what it gets, at most `piece` items at once, until
  /// nothing is left or `stopped()`. `piece` is a multiple of the granule.
  template <class Stopped, class Body>
  void run(int thread, std::uint64_t piece, Stopped stopped, Body body) {
    if (split_.schedule == Schedule::shares) {
      return in_pieces(split_.share(thread, part_), piece, stopped, body);
    }
    const std::uint64_t step = std::min(piece, queue_step());
    while (!stopped()) {
      const std::uint64_t done = next_.fetch_add(step, std::memory_order_relaxed);
      if (done >= queue_.count) return;
      body(Range{queue_.first + done, std::min(step, queue_.count - done)});
    }
  }

 private:
  /// All wait for the last piece: of 64 for each thread, a core of half the speed costs 3 % at
  /// most, of a quarter 6 %.
  std::uint64_t queue_step() const {
    constexpr std::uint64_t pieces_per_thread = 64;
    const std::uint64_t pieces = pieces_per_thread * static_cast<std::uint64_t>(split_.threads);
    return (queue_.count / pieces / split_.granule + 1) * split_.granule;
  }

  Split split_;
  Part part_;
  Range queue_;
  alignas(64) std::atomic<std::uint64_t> next_ = 0;
};

}  // namespace kernels::cpu
