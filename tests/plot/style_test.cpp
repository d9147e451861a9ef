#include <doctest/doctest.h>

#include <algorithm>
#include <array>
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

using Light = std::array<double, 3>;  // linear red, green and blue

Light light_of(plot::Colour c) {
  const auto linear = [](float channel) {
    const double v = static_cast<double>(channel);
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return {linear(c.r), linear(c.g), linear(c.b)};
}

using Matrix = std::array<Light, 3>;
Light times(const Matrix& matrix, const Light& v) {
  Light result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) result[i] += matrix[i][j] * v[j];
  return result;
}

/// CIE 1976 L*a*b* under D65.
Light lab_of(const Light& light) {
  constexpr Matrix to_xyz{{{0.4124564, 0.3575761, 0.1804375},
                           {0.2126729, 0.7151522, 0.0721750},
                           {0.0193339, 0.1191920, 0.9503041}}};
  constexpr Light white{0.95047, 1, 1.08883};
  Light f = times(to_xyz, light);
  for (std::size_t i = 0; i < 3; ++i) {
    const double v = std::max(f[i], 0.0) / white[i];
    f[i] = v > 0.008856 ? std::cbrt(v) : 7.787 * v + 16.0 / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

/// As different as eyes take two colours for; those without red, green or blue cones see them as
/// Machado, Oliveira and Fernandes (2009) say.
constexpr Matrix all_cones{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr std::array<Matrix, 4> eyes{{all_cones,
                                      {{{0.152286, 1.052583, -0.204868},
                                        {0.114503, 0.786281, 0.099216},
                                        {-0.003882, -0.048116, 1.051998}}},
                                      {{{0.367322, 0.860646, -0.227968},
                                        {0.280085, 0.672501, 0.047413},
                                        {-0.011820, 0.042940, 0.968881}}},
                                      {{{1.255528, -0.076749, -0.178779},
                                        {-0.078411, 0.930809, 0.147602},
                                        {0.004733, 0.691367, 0.303900}}}}};
double seen_distance(plot::Colour a, plot::Colour b, const Matrix& eye = all_cones) {
  const Light one = lab_of(times(eye, light_of(a))), other = lab_of(times(eye, light_of(b)));
  return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

}  // namespace

TEST_CASE("The colours of regimes are theirs alone: no series, cursor or text comes near") {
  for (const plot::Style& style : {plot::dark_style(), plot::light_style()}) {
    for (const plot::Colour& regime : style.regime_colours) {
      CHECK(contrast(regime, style.background) > 4.5);
      for (const plot::Colour& series : style.series_colours)
        CHECK(seen_distance(regime, series) > 30);
      for (const plot::Colour& other :
           {style.cursor, style.accent, style.text, style.text_dim, style.roof})
        CHECK(seen_distance(regime, other) > 30);
    }
  }
}

TEST_CASE("The colours of regimes differ for colour-blind eyes, too") {
  for (const plot::Style& style : {plot::dark_style(), plot::light_style()}) {
    for (std::size_t i = 0; i < style.regime_colours.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        for (const Matrix& eye : eyes)
          CHECK(seen_distance(style.regime_colours[i], style.regime_colours[j], eye) > 30);
    }
  }
}

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
