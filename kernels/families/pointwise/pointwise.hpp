// Which operators a case of `pointwise` applies.
#pragma once

#include "kernels/case.hpp"

namespace kernels {

/// Of the axis "length".
inline constexpr std::uint64_t most_operators = 16;

/// The axis "activations": the forward pass alone, or forward and backward, where the input of
/// every operator is kept by the forward pass or computed again by the backward pass.
enum class Activations : std::uint8_t { none, kept, recomputed };
Activations activations_of(const Case&);
Case with_activations(Case, Activations);
/// Elements come in multiples of this where there is a backward pass: whole registers.
inline constexpr std::uint64_t backward_granule = 64;

/// How many operators are applied to every element: those of the axis "length", or each op once
/// where it is 0; `repeat` times.
std::uint64_t operators_of(const Case&);
/// The one at an index below that. The ops are repeated up to the length.
Op operator_at(const Case&, std::uint64_t index);
/// The case of that operator alone.
Case alone_at(const Case&, std::uint64_t index);
/// Tensors that a case with a backward pass writes: the results of all operators, or of the last
/// one where activations are recomputed; then the gradient of the input.
std::uint64_t tensors_written(const Case&);

}  // namespace kernels
