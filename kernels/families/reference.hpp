// The arithmetic that every backend must reproduce: operands, random input, the double-precision
// reference, and the comparison. Host code without any device.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/case.hpp"
#include "kernels/device.hpp"

namespace kernels {

/// Run-time operands of a chain: x <- x * a, x + b, x * a + b; sqrt |x| has none. Opaque to the
/// compiler; values stay finite for `max_repeat` ops and more.
struct Operands {
  double a = 1;
  double b = 0;
};
Operands operands_of(Op op, Dtype dtype);

/// How a backend computes: the dtype that each op rounds to. `fp32` for an fp16 kernel = fp16 is
/// storage only.
struct Arithmetic {
  Dtype dtype;
  bool fused_multiply_add = true;  ///< fma rounds once; false: multiply and add round separately
};

/// Operands for checks of `c`: under them a result tells how often its op was applied, up to
/// `countable_repeat`. Those of operands_of() keep values alive for any number of ops, so that many
/// a number of ops ends at the same value.
Operands counting_operands(const Case& c, Arithmetic);

/// The most ops that a result can tell: sums of 16 bits and square roots stand still after that.
std::uint64_t countable_repeat(const Case&, Arithmetic);

/// Random input: element i of a tensor for this seed, representable in dtype, magnitude in [0.5,
/// 2), random sign (integers: all values of int32; int8 -8..7). Counter-based, so that any element
/// can be had alone, anywhere.
double random_element(Dtype dtype, std::uint64_t seed, std::uint64_t index);
/// The bits of element `index` of a tensor in memory.
std::uint64_t bits_at(const void* memory, std::uint64_t index, std::size_t element_bytes);

/// An integer from -8 to 7 (random_int8): sums of products of these are exact.
double random_integer(std::uint64_t seed, std::uint64_t index);

/// One element through a chain of `repeat` ops, rounded after every op as `arithmetic` says, and to
/// `storage` at the end (fused) or after every op (unfused). Only an equal result is right.
double reference_chain(const Case&, Arithmetic arithmetic, double x);
double reference_chain(const Case&, Arithmetic arithmetic, Operands, double x);

/// The same ops in double precision throughout. Integers wrap as they do.
double exact_chain(const Case&, Operands operands, double x);

/// A result in double precision, and the most by which a right kernel can differ from it.
struct Expected {
  double value = 0;
  double error = 0;

  /// Whether it tells right from wrong: the value did not leave the range of the type, and errors
  /// of the last place did not grow to a part of it that shows nothing.
  bool tells() const;
  bool agrees(double got) const { return std::fabs(value - got) <= error; }
};

/// How far results lie from double precision.
class Deviation {
 public:
  void add(double exact, double got);
  /// The largest difference, as a share of the largest result.
  double share() const { return largest_ > 0 ? difference_ / largest_ : 0; }

 private:
  double difference_ = 0, largest_ = 0;
};

/// Of the checked elements of a chain every so many are compared with double precision, too: that
/// takes as long as the reference.
inline constexpr std::uint64_t exact_every = 8;

}  // namespace kernels
