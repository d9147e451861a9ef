// Figure -> strokes: one code path for the screen and every file format.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ui/plot/boxes.hpp"
#include "ui/plot/figure.hpp"

namespace plot {

/// Colours and sizes. Sizes are pixels at scale 1.
struct Style {
  Colour background, frame, grid, grid_minor, text, text_dim, roof, roof_dim, cursor, accent;
  std::vector<Colour>
      series_colours;  ///< colour-blind safe (Okabe and Ito 2008), in contrast with background
  /// Of overhead, bandwidth and compute. No series, mark or control comes near them.
  std::array<Colour, 3> regime_colours{};
  double font_size = 13;
  double title_size = 15;
  double line_width = 2;
  double marker_size = 4;
  double scale = 1;
  bool grows = true;         ///< texts and lines of a page grow with its figures
  bool monochrome = false;   ///< series are told apart by dash and marker, not by colour
  bool transparent = false;  ///< nothing is painted behind a page and its texts

  /// Dim text for none.
  Colour colour_of(Regime regime) const {
    return regime == Regime::none ? text_dim : regime_colours[static_cast<std::size_t>(regime) - 1];
  }

  bool operator==(const Style&) const = default;
};
Style dark_style();
Style light_style();  ///< paper
Style bw_style();     ///< paper, in black and shades of grey

/// A text that has found its place.
struct PlacedText {
  std::string text;
  Box turned;
  double size = 0;
  Colour colour;
  bool bold = false;
  bool halo = false;            ///< background behind it, so that grid lines do not cross it
  std::optional<Vec> spot{};    ///< what it speaks of: a thin line leads there
  Align align = Align::centre;  ///< the end that stays where it is in a font of another width
  Rect box{};                   ///< axis-aligned bounds, after rotation
};

/// Where things came to lie; what the window needs for hovering, panning and the legend.
struct Layout {
  Rect frame;  ///< whole figure
  Rect plot;   ///< inside the axes
  struct LegendEntry {
    Rect box;
    std::size_t series;
  };
  std::vector<LegendEntry> legend;
  std::vector<PlacedText> texts;   ///< every text drawn
  std::optional<Rect> legend_box;  ///< of a legend inside the plot
  OccupancyMap occupancy;          ///< of lines and markers
};

/// Data <-> pixels of one drawn figure.
struct Transform {
  Axis x, y;
  Rect plot;
  Vec to_pixel(double data_x, double data_y) const;
  double to_data_x(double pixel_x) const;
  double to_data_y(double pixel_y) const;
  bool operator==(const Transform&) const = default;
};
Transform transform_of(const Figure&, const Layout&);

/// Who lists the series of a figure.
enum class Legend { own, elsewhere };
/// Draws the figure into `where` and returns what came to lie where.
Layout draw(const Figure&, const Rect& where, const Style&, Canvas&, Legend = Legend::own);

/// What charts show of a series or a sign, in a box this wide and a line high beside its name.
double sample_width(const Style&);
void draw_sample(const Series&, const Rect& where, const Style&, Canvas&);
void draw_sample(const Key&, const Rect& where, const Style&, Canvas&);

/// Draws the overlay over the laid out figure; returns its labels, which keep off what lies there.
std::vector<PlacedText> draw_overlay(const Overlay&, const Figure&, const Layout&, const Style&,
                                     Canvas&);

/// Several figures on one page, with a heading and a caption below.
struct Page {
  std::string title;
  std::vector<Figure> figures;
  std::vector<std::string> caption{};             ///< lines
  std::vector<std::string> brief_caption{};       ///< takes its place where room is short
  std::vector<std::vector<std::string>> table{};  ///< below the charts of a page of HTML, with head
};
/// Draws a page: figures in a grid near the page's aspect (1: whole page, 4: 2 x 2). Texts grow
/// with the figures, so that a picture twice as large is not a picture with texts half as large.
/// Returns one layout for each figure, then one for the page's own texts.
std::vector<Layout> draw_page(const Page&, const Rect& where, const Style&, Canvas&);

}  // namespace plot
