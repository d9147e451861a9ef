// Zooming and panning of log axes as plain numbers. Pure.
#pragma once

#include <array>
#include <optional>

#include "ui/figures.hpp"

namespace ui {

inline constexpr std::size_t panel_count = 6;
constexpr std::size_t index_of(Panel panel) { return static_cast<std::size_t>(panel); }

/// Limits of one axis in data units.
struct Range {
  double low = 1, high = 10;

  bool operator==(const Range&) const = default;
};

/// What the user has zoomed; absent = fitted to the data. The panels over repeat or
/// FLOP/byte share their x axis.
struct ZoomState {
  std::optional<Range> roofline_x;
  std::optional<Range> shared_x;
  std::optional<Range> levels_x;
  std::array<std::optional<Range>, panel_count> y;

  std::optional<Range>& x_of(Panel);
  const std::optional<Range>& x_of(Panel) const;
  bool operator==(const ZoomState&) const = default;
};

/// The range after zooming by `factor` (< 1 = closer) around `at`, which keeps its place on a log
/// axis.
Range zoomed(Range, double at, double factor);
/// The range after moving by `share` of its logarithmic length.
Range panned(Range, double share);

/// Whether the user has set both axes of a panel, or any axis of any.
bool is_locked(const ZoomState&, Panel);
bool is_zoomed(const ZoomState&);

/// Puts the user's limits on a figure that was fitted to its data.
void apply_zoom(const ZoomState&, Panel, plot::Figure&);
/// Forgets the limits of one panel.
void fit_panel(ZoomState&, Panel);

}  // namespace ui
