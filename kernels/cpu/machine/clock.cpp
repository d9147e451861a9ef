#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <numeric>

#include "kernels/cpu/machine/processor.hpp"

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

/// `count` x 64 additions of which eight at a time wait for none of the others.
std::uint64_t independent_adds(std::uint64_t count, std::uint64_t addend) {
  std::array<std::uint64_t, 8> sums;
  sums.fill(addend);
  for (; count != 0; --count) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
#pragma GCC unroll 8
      for (std::uint64_t& sum : sums) {
        sum += addend;
        __asm__ volatile("" : "+r"(sum));
      }
    }
  }
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

/// `count` x 16 multiplications of which none waits for another of the same round. What they come
/// to stays finite for as long as anybody waits.
double independent_products(std::uint64_t count, double factor) {
  std::array<double, 16> products;  // all different, or the compiler makes one of them
  std::iota(products.begin(), products.end(), factor);
  for (; count != 0; --count) {
    for (double& product : products) product *= factor;
  }
  return std::accumulate(products.begin(), products.end(), 0.0);
}

using Clock = std::chrono::steady_clock;

double per_second(double count, Clock::duration took) {
  return count / std::max(std::chrono::duration<double>(took).count(), 1e-9);
}

}  // namespace

OpsPerClock ops_per_clock() {
  // Short tries, the fastest of three: what interrupts one of them does not count.
  constexpr std::uint64_t waiting = 200, adding = 300, multiplying = 1400;  // 1.4 to 1.7 us each
  volatile std::uint64_t addend = 1;
  volatile double factor = 1;
  double clock = 0;
  OpsPerClock most;
  for (int i = 0; i < 3; ++i) {
    const auto start = Clock::now();
    addend = dependent_adds(waiting, addend) | 1;
    const auto waited = Clock::now();
    addend = independent_adds(adding, addend) | 1;
    const auto added = Clock::now();
    factor = independent_products(multiplying, factor) > 0 ? 1.0 : 0.5;
    const auto multiplied = Clock::now();
    clock = std::max(clock, per_second(32 * waiting, waited - start));
    most.adds = std::max(most.adds, per_second(64 * adding, added - waited));
    most.products = std::max(most.products, per_second(16 * multiplying, multiplied - added));
  }
  return {most.adds / clock, most.products / clock};
}

double measure_clock(double seconds) {
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
