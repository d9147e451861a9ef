// Figures without colour, for paper and printers that know only black.
#pragma once

#include "ui/plot/figure.hpp"

namespace plot {

/// The same figure with series that differ in marker, filling or dash wherever they differed in
/// colour. Each keeps its marker as long as there are dashes left for it; series of one name stay
/// alike.
Figure in_black_and_white(Figure);

}  // namespace plot
