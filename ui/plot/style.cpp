#include <cstdint>

#include "ui/plot/draw.hpp"

namespace plot {
namespace {

Colour rgb(std::uint32_t hex, float alpha = 1) {
  const auto channel = [hex](int shift) {
    return static_cast<float>((hex >> shift) & 0xff) / 255.0F;
  };
  return {channel(16), channel(8), channel(0), alpha};
}

}  // namespace

// The colours of regimes lie at least 25 from every series colour and from the cursor in CIE Lab,
// and from each other for colour-blind eyes, too (Machado, Oliveira and Fernandes 2009).

// Both palettes are Okabe and Ito's eight (2008) in the order blue, vermillion, green, purple,
// orange, sky, yellow, neutral; each hue is lightened or darkened until it stands at least 3:1
// against its background (WCAG 2.1, 1.4.11).

Style dark_style() {
  return {.background = rgb(0x14171c),
          .frame = rgb(0x6f7885),
          .grid = rgb(0xffffff, 0.13F),
          .grid_minor = rgb(0xffffff, 0.07F),
          .text = rgb(0xe6e9ee),
          .text_dim = rgb(0x9aa3b0),
          .roof = rgb(0xc3cad4),
          .roof_dim = rgb(0x8b94a1),
          .cursor = rgb(0xffd166),
          .accent = rgb(0xffd166),
          .series_colours = {rgb(0x4ba3e3), rgb(0xf0743e), rgb(0x2fc397), rgb(0xdf8fbd),
                             rgb(0xe69f00), rgb(0x8ad0f5), rgb(0xf0e442), rgb(0xb9bfc9)},
          .regime_colours = {rgb(0xff4477), rgb(0x8877ff), rgb(0x99ee66)}};
}

Style light_style() {
  return {.background = rgb(0xffffff),
          .frame = rgb(0x4a4f57),
          .grid = rgb(0x000000, 0.13F),
          .grid_minor = rgb(0x000000, 0.06F),
          .text = rgb(0x1b1e23),
          .text_dim = rgb(0x5f6670),
          .roof = rgb(0x33383f),
          .roof_dim = rgb(0x757c86),
          .cursor = rgb(0xb0203c),
          .accent = rgb(0xb0203c),
          .series_colours = {rgb(0x0072b2), rgb(0xd55e00), rgb(0x008a64), rgb(0xb3588c),
                             rgb(0xb87800), rgb(0x2f8fca), rgb(0x8a7f00), rgb(0x555b64)},
          .regime_colours = {rgb(0xd00080), rgb(0x5522dd), rgb(0x2f6b00)}};
}

Style bw_style() {
  Style style = light_style();
  style.text = rgb(0x000000);
  style.text_dim = rgb(0x4d4d4d);
  style.frame = rgb(0x404040);
  style.roof = rgb(0x404040);
  style.roof_dim = rgb(0x6e6e6e);
  style.cursor = style.accent = rgb(0x000000);
  style.regime_colours = {rgb(0x4d4d4d), rgb(0x4d4d4d), rgb(0x4d4d4d)};  // their names tell
  style.series_colours = {rgb(0x000000)};
  style.monochrome = true;
  return style;
}

}  // namespace plot
