// What draw() has made of the series of a figure, kept for the next frame: a series whose points,
// axes and look stay as they are is not reduced, mapped or painted again, whatever moves over it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ui/plot/scene.hpp"

namespace plot {

class CurveCache {
 public:
  /// The curves of the scene's series that are not hidden.
  std::vector<DrawnCurve> curves(const Scene&);
  /// The ink of the scene's curves, where its plot lies now.
  const InkMap& ink_of_curves(const Scene&);
  /// A number that stands for one of those curves as the scene paints it: whenever it is the same,
  /// so are the strokes.
  std::uint64_t look_of(const Scene&, const DrawnCurve&);

 private:
  /// What decides how points become a curve.
  struct Frame {
    Axis x, y;
    double width = 0, height = 0;  // of the plot
    double pixel = 0, marker = 0;  // sizes
    bool operator==(const Frame&) const = default;
  };
  /// What decides how a curve is painted, beside the points.
  struct Look {
    Rect plot;
    Style style;
    int colour = 0;
    Marker marker = Marker::none;
    bool filled = false;
    Core core = Core::none;
    bool faded = false;
    Dash dash = Dash::solid;
    bool operator==(const Look&) const = default;
  };
  struct Mapped {
    Rect plot;
    double pixel = 0, radius = 0;  // sizes: of a pixel at scale 1, of a marker
    InkMap ink;
  };
  struct Entry {
    SharedPoints points;
    bool line = true;
    std::shared_ptr<const Curve> curve;
    std::optional<Look> look;
    std::uint64_t number = 0;  // of that look
    std::vector<Mapped> maps;
  };

  struct MappedTogether {
    Rect plot;
    double pixel = 0;
    std::vector<std::pair<std::shared_ptr<const Curve>, double>> curves;  // with their radii
    InkMap ink;
  };

  std::optional<Entry> take(const Series&);
  const InkMap& ink_of(const Scene&, const DrawnCurve&);
  Entry& entry_of(const DrawnCurve&);

  Frame frame_;
  std::vector<MappedTogether> together_;
  std::vector<Entry> entries_;  // in the order of the figure's series, without the hidden ones
  std::uint64_t last_number_ = 0;
};

}  // namespace plot
