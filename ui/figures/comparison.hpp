// A comparison -> figures: ratios of B over A, and each side on the same axes. Pure.
#pragma once

#include <array>

#include "engine/compare/compare.hpp"
#include "ui/figures/figures.hpp"

namespace ui {

/// What the figures of a comparison show, in their order on a page.
enum class ComparedPanel : std::uint8_t { time, share, side_a, side_b };
inline constexpr std::array compared_panels{ComparedPanel::time, ComparedPanel::share,
                                            ComparedPanel::side_a, ComparedPanel::side_b};

/// Over the axis in which the pairs differ most, else over their names: the duration of B over that
/// of A, the same of their shares of the roof, and the durations of one side. Both sides have the
/// same axes. A ring marks what is undecided or doubtful.
plot::Figure figure_of(const engine::Comparison&, ComparedPanel);

/// The page of all these figures: named after the sides, with the summary first in its caption.
plot::Page page_of(const Sessions& a_and_b, const engine::Comparison&);

}  // namespace ui
