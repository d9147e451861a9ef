// The text of a kernel for exactly one chain of pointwise operators, forward or forward and
// backward, on any device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/case.hpp"

namespace kernels {

/// The function in it.
inline constexpr const char* chain_symbol = "ridgepoint_chain";

/// Operators that are generated into one kernel at most.
inline constexpr std::uint64_t most_generated = 64;

/// A word between @ in the frame, such as "@scalar@", and what takes its place.
struct Mark {
  std::string_view mark;
  std::string text;
};

/// `frame` with its marks replaced: first @functions@ (a function for each operator, from the same
/// list as the kernels that are built in) and @steps@ (their calls on every @one@, in loops that
/// begin with @for@), then those given. Throws Unsupported where there are too many operators.
std::string chain_text(std::string_view frame, const Case&, std::span<const Mark>);

/// For a forward and a backward pass, what takes the place of the marks of a frame: @operators@
/// (their number), @derivatives@ (a function for each operator), @forward@ and @backward@.
/// @forward@ are calls that make x[i + 1][j] of x[i][j] for the first `results` operators;
/// @backward@ are calls that multiply g[j] with the derivative at x[i][j], the last operator first.
/// Both stand in loops over j that begin with @each@, which the caller replaces next. Throws
/// Unsupported where an operator has no derivative.
std::vector<Mark> gradient_marks(const Case&);

/// A name in C++: gelu_tanh.
std::string identifier_of(Op);

/// "2 operators of cos in fp32".
std::string chain_title(const Case&);

}  // namespace kernels
