// The chance behind the monkey test: the same with every standard library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>

namespace monkey {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}

  /// A whole number below `count`.
  std::size_t below(std::size_t count) { return engine_() % std::max<std::size_t>(count, 1); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  template <class Range>
  const auto& any_of(const Range& range) {
    return *std::next(std::begin(range), static_cast<std::ptrdiff_t>(below(std::size(range))));
  }

 private:
  std::mt19937 engine_;
};

}  // namespace monkey
