// Figures as wild as anything a user could measure, the same ones in every run.
#pragma once

#include "ui/plot/figure.hpp"

namespace test {

struct Size {
  double w = 0, h = 0;
};

/// Number `seed` of the random figures, fitted to its data or zoomed somewhere into it.
plot::Figure random_figure(unsigned seed);
/// A size to draw it in, from a thumbnail to a whole screen.
Size random_size(unsigned seed);

}  // namespace test
