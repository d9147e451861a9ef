// Runs the per-thread bodies of kernels on the host, thread by thread, and stands in for packed
// pairs.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/arithmetic.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/dtypes.hpp"

namespace kernels::cuda {

/// Calls body(Place) for every thread of a launch.
template <class Body>
void launch_on_host(std::uint64_t blocks, std::uint32_t threads, Body body) {
  for (std::uint64_t block = 0; block < blocks; ++block) {
    for (std::uint32_t thread = 0; thread < threads; ++thread) body(Place{block, thread, threads});
  }
}

/// Two 16-bit elements in one register, as the packed instructions of a GPU compute: one rounding
/// per op. Products of numbers of at most 11 bits, and sums with one, are exact in double.
template <Dtype dtype>
struct HostPair {
  std::array<std::uint16_t, 2> bits;

  template <class Function>
  friend HostPair each(const HostPair& x, const HostPair& a, const HostPair& b, Function function) {
    HostPair result{};
    for (std::size_t i = 0; i < 2; ++i) {
      std::uint32_t& known = results_with<Function>(a.bits[i], b.bits[i])[x.bits[i]];
      if (known == unknown) {
        const double value =
            function(decode(dtype, x.bits[i]), decode(dtype, a.bits[i]), decode(dtype, b.bits[i]));
        known = static_cast<std::uint16_t>(encode(dtype, value));
      }
      result.bits[i] = static_cast<std::uint16_t>(known);
    }
    return result;
  }
  friend HostPair multiply(const HostPair& x, const HostPair& a) {
    return each(x, a, a, [](double v, double m, double) { return v * m; });
  }
  friend HostPair plus(const HostPair& x, const HostPair& b) {
    return each(x, b, b, [](double v, double s, double) { return v + s; });
  }
  friend HostPair multiply_add(const HostPair& x, const HostPair& a, const HostPair& b) {
    return each(x, a, b, [](double v, double m, double s) { return v * m + s; });
  }
  friend HostPair multiply_then_add(const HostPair& x, const HostPair& a, const HostPair& b) {
    return plus(multiply(x, a), b);
  }

 private:
  static constexpr std::uint32_t unknown = 0x10000;

  /// What a function without state gives for each value with these operands: chains repeat it
  /// thousands of times, and rounding is slow here.
  template <class Function>
  static std::vector<std::uint32_t>& results_with(std::uint16_t a, std::uint16_t b) {
    constexpr std::size_t most_operands = 64;
    static std::map<std::uint32_t, std::vector<std::uint32_t>> known;
    static std::uint32_t last = 0;
    static std::vector<std::uint32_t>* results = nullptr;
    const std::uint32_t operands = std::uint32_t{a} << 16 | b;
    if (results != nullptr && operands == last) return *results;
    if (known.size() > most_operands) known.clear();
    results = &known.try_emplace(operands, 0x10000, unknown).first->second;
    last = operands;
    return *results;
  }
};

/// Device memory on the host: 16-byte aligned, with poison behind the elements.
class HostTensor {
 public:
  static constexpr std::uint8_t poison = 0xc5;

  explicit HostTensor(std::size_t bytes)
      : bytes_(bytes), vectors_(bytes / sizeof(Vector) + 2, filled()) {}

  Vector* data() { return vectors_.data(); }
  const Vector* data() const { return vectors_.data(); }
  std::uint8_t& byte(std::size_t i) { return reinterpret_cast<std::uint8_t*>(vectors_.data())[i]; }
  /// True when nothing behind the tensor's bytes was written.
  bool guard_is_whole() {
    for (std::size_t i = bytes_; i < vectors_.size() * sizeof(Vector); ++i) {
      if (byte(i) != poison) return false;
    }
    return true;
  }

 private:
  static Vector filled() {
    constexpr std::uint32_t word = 0x01010101U * poison;
    return {{word, word, word, word}};
  }

  std::size_t bytes_;
  std::vector<Vector> vectors_;
};

}  // namespace kernels::cuda
