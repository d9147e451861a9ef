// Which operators a case of `pointwise` applies.
#pragma once

#include "kernels/case.hpp"

namespace kernels {

/// Of the axis "length".
inline constexpr std::uint64_t most_operators = 16;

/// How many operators are applied to every element: those of the axis "length", or each op once
/// where it is 0; `repeat` times.
std::uint64_t operators_of(const Case&);
/// The one at an index below that. The ops are repeated up to the length.
Op operator_at(const Case&, std::uint64_t index);

}  // namespace kernels
