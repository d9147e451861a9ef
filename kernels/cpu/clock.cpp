#include <algorithm>
#include <chrono>
#include <cstdint>

#include "kernels/cpu/processor.hpp"

namespace kernels::cpu {
namespace {

/// `count` x 32 additions, each waiting for the one before. Register to register: newer processors
/// do additions of small constants without an execution unit, at no clock at all.
std::uint64_t dependent_adds(std::uint64_t count, std::uint64_t addend) {
  std::uint64_t sum = addend;
  for (; count != 0; --count) {
#pragma GCC unroll 32
    for (int i = 0; i < 32; ++i) {
      sum += addend;
      __asm__ volatile("" : "+r"(sum));
    }
  }
  return sum;
}

}  // namespace

double measure_clock(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t rounds = 10'000;  // about 0.1 ms: an interruption spoils few of the tries
  volatile std::uint64_t addend = 1;
  double fastest = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    const auto start = Clock::now();
    addend = dependent_adds(rounds, addend) | 1;
    const std::chrono::duration<double> took = Clock::now() - start;
    fastest = std::max(fastest, 32.0 * rounds / took.count());
  } while (Clock::now() < end);
  return fastest;
}

}  // namespace kernels::cpu
