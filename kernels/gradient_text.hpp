// The text of a forward and a backward pass of exactly one chain of pointwise operators, on any
// device.
#pragma once

#include <vector>

#include "kernels/case.hpp"
#include "kernels/chain_text.hpp"

namespace kernels {

/// What takes the place of the marks of a frame: @operators@ (their number), @derivatives@ (a
/// function for each operator), @forward@ and @backward@. @forward@ are calls that make x[i + 1][j]
/// of x[i][j] for the first `results` operators; @backward@ are calls that multiply g[j] with the
/// derivative at x[i][j], the last operator first. Both stand in loops over j that begin with
/// @each@, which the caller replaces next. Throws Unsupported where an operator has no derivative.
std::vector<Mark> gradient_marks(const Case&);

}  // namespace kernels
