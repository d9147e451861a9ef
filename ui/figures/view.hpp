// What the user looks at, beyond the data.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/charts/chart.hpp"
#include "engine/session/session.hpp"

namespace ui {

/// Of the charts over an axis of the case; `both`: that axis below, and FLOP/byte of the fused
/// series above (of one of them, named, where they differ).
enum class XAxis { repeat, intensity, both };
/// "repeat", "intensity", "both": in settings and on the command line.
std::string_view name_of(XAxis);
std::optional<XAxis> x_axis_named(std::string_view);

/// What of a figure is there where it is shown step by step; its axes always are, and stand still.
struct Reveal {
  bool roofs = false;                             ///< and all else that speaks of no series
  std::optional<std::set<std::string>> series{};  ///< ids; nothing: all
  bool slider = false;                            ///< the overlay

  bool shows(const std::string& id) const { return !series || series->contains(id); }
  bool operator==(const Reveal&) const = default;
};

/// What the user looks at, beyond the data.
struct View {
  XAxis x = XAxis::repeat;
  std::optional<kernels::Case> cursor{};  ///< the slider's case; elements filled in
  bool probes = true;  ///< what was measured where the slider was and is: on screen, in no picture
  std::set<std::string> hidden{};  ///< ids of series toggled off, as series_id() makes them
  bool datasheet_roofs = true;
  /// Roofs of another device from its datasheet, no points: drawn as ghosts, with what they
  /// predict for the series shown.
  std::optional<engine::Session> what_if{};
  std::map<std::string, bool> roofs{};  ///< by name, whether the user wants it drawn; the others as
                                        ///< drawn_by_default() says
  std::optional<Reveal> reveal{};       ///< nothing: all of it is there

  bool operator==(const View&) const = default;
};

/// The chart over the x axis that the view asks for.
engine::Chart as_viewed(engine::Chart, XAxis);

}  // namespace ui
