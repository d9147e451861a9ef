// The time that compilers take, which no limit of a measurement counts.
#pragma once

#include <chrono>

namespace kernels {

/// Adds the seconds of its life to a sum, whether what it stands beside succeeds or throws.
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
