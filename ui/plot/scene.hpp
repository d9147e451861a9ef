// What the parts of draw() share: measures, pixel positions, and the places already taken.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/plot/boxes.hpp"
#include "ui/plot/draw.hpp"
#include "ui/plot/ticks.hpp"

namespace plot {

/// Data -> shares of an axis (0 at low, 1 at high), without the logarithms of its limits each time.
class Scale {
 public:
  explicit Scale(const Axis& axis);
  /// NaN for what the axis cannot show.
  double operator()(double value) const {
    return share_along(log_ ? (value > 0 ? std::log(value) : NAN) : value);
  }
  /// Of a value's logarithm on a log axis, else of the value.
  double share_along(double along) const { return along * factor_ + offset_; }

 private:
  bool log_;
  double factor_, offset_;
};

struct LegendItem {
  std::size_t series;     ///< beyond the figure's series: of none
  std::string_view text;  ///< of the figure, or Scene::legend_rest
  Rect box;
  const Key* key = nullptr;  ///< what it explains instead of a series
};

/// What is drawn of the points of a series, in shares of the axes.
struct Curve {
  struct Spot {
    Vec at;
    double low = NAN, high = NAN;  ///< ends of the error bar; NaN: none
    bool flagged = false;
    float strength = 1;
  };
  std::size_t series = 0;               ///< which it is of
  std::vector<std::vector<Vec>> lines;  ///< broken where a point cannot be shown, or lies unseen
  std::vector<Spot> spots;
};

/// A figure while it is drawn, and what of it has found its place.
struct Scene {
  Scene(const Figure&, const Rect& where, const Style&, Canvas&);
  /// Of a figure that has been drawn, for its overlay.
  Scene(const Figure&, const Layout&, const Style&, Canvas&);

  const Figure& figure;
  const Style& style;
  Canvas& canvas;
  Axis x, y;
  Scale scale_x, scale_y;
  std::optional<Axis> above;      // the second scale of x; empty where it cannot be drawn
  bool legend_elsewhere = false;  // the page has it
  Layout layout;
  Ticks x_ticks, y_ticks;
  Ticks above_ticks;
  double above_height = 0;    // of the labels and the title of the second scale of x
  bool words_turned = false;  // those of x stand upright where they are longer than wide
  std::vector<Curve> curves;
  std::vector<LegendItem> legend;
  std::string legend_rest;  // "+3 more"

  double em() const { return style.font_size * style.scale; }
  double px(double at_scale_1) const { return at_scale_1 * style.scale; }
  Vec extent(std::string_view text, double size, bool bold = false) {
    return canvas.text_extent(text, size, bold);
  }
  Vec pixel(Vec shares) const;
  Vec pixel_of_data(double data_x, double data_y) const {
    return pixel({scale_x(data_x), scale_y(data_y)});
  }
  /// Of a line in data units.
  std::vector<Vec> pixels_of_data(const std::vector<double>& xs,
                                  const std::vector<double>& ys) const;
  /// Where a vertical at this value of x stands; nothing beyond the ends of the plot.
  std::optional<double> vertical_at(double data_x) const;
  /// Where the vertical through a mark meets the x axis.
  Vec foot_of(const Mark& mark) const {
    return {pixel_of_data(mark.x, mark.y).x, layout.plot.bottom()};
  }
  Colour series_colour(int index) const;
  /// Of text about a series: its hue, but as readable as text must be.
  Colour label_colour(int index, Colour neutral) const;

  void paint_line(Vec from, Vec to, Colour colour, double width, Dash dash = Dash::solid) {
    canvas.path(std::array{from, to}, colour, width, dash, false);
  }

  /// Inside `room` and clear of every text and of the legend box.
  bool is_free(const Box&, const Rect& room) const;
  /// Takes the place if it is free.
  bool place(PlacedText, const Rect& room);
};

/// More points than this in a figure are a crowd.
inline constexpr std::size_t least_crowd = 1000;

/// The series in sight, in their order. Of the points of a line within one column of pixels the
/// first, the lowest, the highest and the last are left; of markers of one series, with their error
/// bars, one in each cell of half a radius. In a crowd all series that look alike share those
/// cells, the front one first, and a piece of a line that runs within a line's width of one like it
/// is left out. Needs the size of the plot.
std::vector<Curve> decimated(const Scene&);

/// Of a point's marker.
double radius_of(const Scene&, const Series&);

/// A dotted vertical from the mark to the x axis, where its value is read.
bool has_drop_line(const Mark&);

Colour faded(Colour, float share);
Colour mixed(Colour, Colour other, float share_of_other);

/// The longest beginning of `text` that fits, with an ellipsis when cut; empty when nothing does.
std::string shortened(Canvas&, std::string_view text, double size, bool bold, double width);
/// Lines of whole words, each as long as fits.
std::vector<std::string> wrapped(Canvas&, const std::string& text, double size, bool bold,
                                 double width);

/// A figure up to where its axes and legend lie; then all labels; then the painting. None does
/// anything where there is no room at all.
void lay_out(Scene&);
void place_labels(Scene&);
void finish(Scene&);

/// Whether the legend has no room for some series that it should name.
bool lacks_in_legend(const Scene&);
/// A figure with the series of all figures, of which a legend names each name once; nothing where
/// one looks otherwise in another figure.
std::optional<Figure> series_of_all(std::span<const Figure>);
/// Draws a legend alone, in rows from the frame's top; its height, or 0 where not all have room.
double draw_legend(Scene&, double most_height);

// The parts, in the order in which those call them.

/// Margins, titles and tick labels; sets layout.plot. Keeps `legend_height` free below the title.
void lay_out_frame(Scene&, double legend_height);
/// Decimates the curves for the plot as it is laid out now, and maps all occupancy of the figure.
void map_occupancy(Scene&);
/// Inside the plot where nothing lies, else in rows above it (which moves the plot down).
void lay_out_legend(Scene&);
void lay_out_labels(Scene&);
/// Of an overlay, around what the scene has.
void lay_out_labels(Scene&, const Overlay&);

void paint_ground(Scene&);
/// Of a cell of such strength.
Colour density_colour(const Scene&, float strength);
void paint_roofs(Scene&);
void paint_guides(Scene&);
void paint_curves(Scene&);
/// Bars and spans, and what their labels and the legend keep off.
void paint_solids(Scene&);
void map_solids(const Scene&, OccupancyMap&);
void place_solid_labels(Scene&);
void paint_swatch(Scene&, const Rect&, Colour);
void paint_marks(Scene&);
void paint_overlay(Scene&, const Overlay&);
void paint_axes(Scene&);
void paint_legend(Scene&);
void paint_texts(Scene&);

/// One point's shape, in a series' style.
void paint_marker(Scene&, const Series&, Vec at, double radius, Colour);
/// The same where the point is doubtful: its outline is dashed.
void paint_doubtful_marker(Scene&, const Series&, Vec at, double radius, Colour);
/// The dot of what was measured at the slider, and a small one of what was measured there before.
void paint_probe(Scene&, Vec at);
void paint_trail(Scene&, Vec at, float strength);
/// An error bar, in pixels.
void paint_interval(Scene&, Vec top, Vec foot, double cap, Colour);

}  // namespace plot
