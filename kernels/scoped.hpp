// What lasts as long as a scope, however that ends.
#pragma once

#include <chrono>
#include <utility>

namespace kernels {

/// Puts a value in place; what was there comes back at the end.
template <class T>
class ScopedValue {
 public:
  ScopedValue(T& place, T value) : place_(place), before_(std::exchange(place, std::move(value))) {}
  ~ScopedValue() { place_ = std::move(before_); }
  ScopedValue(const ScopedValue&) = delete;
  ScopedValue& operator=(const ScopedValue&) = delete;

 private:
  T& place_;
  T before_;
};

/// Adds the seconds of its life to a sum: those of compilers, which no limit of a measurement
/// counts.
class CountedTime {
 public:
  explicit CountedTime(double& sum) : sum_(sum) {}
  ~CountedTime() { sum_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  CountedTime(const CountedTime&) = delete;
  CountedTime& operator=(const CountedTime&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  double& sum_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace kernels
