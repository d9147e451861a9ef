// Counts the ops that a chain kernel executes, by a Simd policy that keeps the count.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/families/chain/chain_loop.hpp"

namespace kernels::cpu {
namespace {

std::uint64_t executed = 0;  // ops on one element

/// Registers of 16 floats that the compiler need not know.
struct Counting {
  using Scalar = float;
  using Element = float;
  using Vector = std::array<float, 16>;
  static constexpr int lanes = 16, accumulators = 12;
  static constexpr bool fma_is_apart = false;
  static Vector set(float value) {
    Vector x{};
    x.fill(value);
    return x;
  }
  static Vector load(const float* from) {
    Vector x{};
    std::copy_n(from, lanes, x.begin());
    return x;
  }
  static void store(float* to, const Vector& x) { std::copy_n(x.begin(), lanes, to); }
  static void stream(float* to, const Vector& x) { store(to, x); }
  static Vector fma(Vector x, const Vector& a, const Vector& b) {
    for (int i = 0; i < lanes; ++i) x[i] = x[i] * a[i] + b[i];
    executed += lanes;
    return x;
  }
  static void opaque(const Vector&) {}
  static void fence() {}
};

/// The same, where ops can leave out lanes.
struct CountingMasked : Counting {
  static int first_lanes(int count) { return count; }
  static Vector select(int count, const Vector& x, Vector otherwise) {
    std::copy_n(x.begin(), count, otherwise.begin());
    executed -= lanes - count;
    return otherwise;
  }
};

/// Ops that a chain of this many elements executes; its results are checked.
template <class Simd>
std::uint64_t executed_ops(std::uint64_t elements, std::uint64_t repeat, bool streaming) {
  constexpr float guard = -7;
  std::vector<float> in(elements), out(elements + 1, guard);
  for (std::size_t i = 0; i < elements; ++i) in[i] = static_cast<float>(i % 5);
  executed = 0;
  chain_slice<Simd, Fma>({in.data(), out.data(), elements, repeat, 1, 2, streaming});
  for (std::size_t i = 0; i < elements; ++i) {
    CHECK(out[i] == in[i] + 2 * static_cast<float>(repeat));
  }
  CHECK(out[elements] == guard);
  return executed;
}

TEST_CASE("a chain executes as many ops as it claims where lanes can be left out") {
  for (const std::uint64_t elements : {1, 2, 15, 16, 17, 63, 64, 65, 191, 192, 193, 300, 1000}) {
    for (const std::uint64_t repeat : {1, 7, 64}) {
      CAPTURE(elements);
      CAPTURE(repeat);
      CHECK(executed_ops<CountingMasked>(elements, repeat, false) == elements * repeat);
      CHECK(executed_ops<CountingMasked>(elements, repeat, true) == elements * repeat);
    }
  }
}

TEST_CASE("elsewhere a chain executes whole registers, and no more of them than it needs") {
  for (const std::uint64_t elements : {1, 2, 15, 16, 17, 63, 64, 65, 191, 192, 193, 300, 1000}) {
    CAPTURE(elements);
    const std::uint64_t registers = (elements + Counting::lanes - 1) / Counting::lanes;
    CHECK(executed_ops<Counting>(elements, 64, false) == registers * Counting::lanes * 64);
  }
}

}  // namespace
}  // namespace kernels::cpu
