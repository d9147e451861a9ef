// Uniform numbers that are the same with every standard library, unlike its distributions'.
#pragma once

#include <cmath>
#include <random>

namespace test {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  double log_between(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }
  int upto(int most) { return static_cast<int>(between(0, most + 0.999)); }
  bool chance(double share) { return between(0, 1) < share; }

 private:
  std::mt19937 engine_;
};

}  // namespace test
