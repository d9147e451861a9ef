#include <doctest/doctest.h>

#include <cmath>

#include "ui/plot/draw.hpp"

namespace {

/// Relative luminance and contrast as WCAG 2.1 defines them.
double luminance(plot::Colour c) {
  const auto linear = [](float channel) {
    const double v = static_cast<double>(channel);
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

double contrast(plot::Colour a, plot::Colour b) {
  const double one = luminance(a), other = luminance(b);
  return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

double distance(plot::Colour a, plot::Colour b) {
  return std::hypot(static_cast<double>(a.r - b.r), static_cast<double>(a.g - b.g),
                    static_cast<double>(a.b - b.b));
}

}  // namespace

TEST_CASE("Everything stands out from its background, texts more than lines") {
  for (const plot::Style& style : {plot::dark_style(), plot::light_style()}) {
    CHECK(contrast(style.text, style.background) > 7);
    CHECK(contrast(style.text_dim, style.background) > 4.5);
    CHECK(contrast(style.cursor, style.background) > 4.5);
    CHECK(contrast(style.roof, style.background) > 4.5);
    REQUIRE(style.series_colours.size() == 8);
    for (const plot::Colour& colour : style.series_colours)
      CHECK(contrast(colour, style.background) > 3);
  }
}

TEST_CASE("No two series colours look alike") {
  for (const plot::Style& style : {plot::dark_style(), plot::light_style()}) {
    for (std::size_t i = 0; i < style.series_colours.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        CHECK(distance(style.series_colours[i], style.series_colours[j]) > 0.15);
    }
  }
}
