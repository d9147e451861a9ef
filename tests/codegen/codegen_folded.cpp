// A peak kernel as it must not be: integer multiplications that the compiler may merge, because
// nothing hides them from it. The tests show that the check of generated code notices.
#include "kernels/families/peak/peak_loop.hpp"

namespace kernels::cpu {
namespace {

struct Foldable {
  using Scalar = std::int32_t;
  using Vector [[gnu::vector_size(16)]] = std::uint32_t;
  static constexpr Summing summing = Summing::no;
  static constexpr int registers = 16, lanes = 4, group = 1, accumulators = 12;
  static constexpr bool fma_is_apart = true;
  static Vector set(Scalar value) { return Vector{} + static_cast<std::uint32_t>(value); }
  static Vector load(const Scalar* from) {
    Vector x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  }
  static void store(Scalar* to, Vector x) { __builtin_memcpy(to, &x, sizeof x); }
  static Vector mul(Vector x, Vector a) { return x * a; }
  static Vector add(Vector x, Vector b) { return x + b; }
  static void opaque(Vector&) {}
};

}  // namespace

PeakFunction folded_add() { return peak_function<Foldable, Add>(); }
PeakFunction folded_mul() { return peak_function<Foldable, Mul>(); }

}  // namespace kernels::cpu
