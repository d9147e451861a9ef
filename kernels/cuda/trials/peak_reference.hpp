// Where the chains of a peak kernel start, and the operands that they are checked with. Plain C++.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/families/reference.hpp"

namespace kernels::cuda {

/// The operands of a form: b, or a for both.
Operands peak_operands(Op, Dtype, PeakForm);

/// Operands under which a result tells how many ops it went through, up to
/// `countable_peak_repeat`; `arithmetic` is the dtype that every op rounds to.
Operands counting_peak_operands(Op, Dtype arithmetic, PeakForm, std::uint64_t repeat);
std::uint64_t countable_peak_repeat(Op, Dtype arithmetic);

/// The int32 that a chain of int8 ends with: a register starts with four elements, the first
/// lowest, and each op adds to it the products of its four bytes with those of a. It wraps around.
double reference_dp4a(const std::array<double, 4>& start, Operands, std::uint64_t repeat);

/// Where a thread's chain starts in the input, counted in elements; a pair starts there with its
/// first. `lanes` chains share a vector of 16 bytes.
std::uint64_t peak_input_index(std::uint64_t thread, int chain, int chains, int lanes,
                               std::uint64_t input_mask, std::size_t element_bytes);

}  // namespace kernels::cuda
