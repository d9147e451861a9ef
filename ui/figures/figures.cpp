#include "ui/figures/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ui/figures/parts.hpp"

namespace ui {
namespace {

using engine::Chart;
using engine::Overlay;

void add_points(plot::Figure& figure, const Plotted& shown) {
  switch (shown.chart.kind) {
    case engine::Kind::lines:
      return add_lines(figure, shown);
    case engine::Kind::bars:
    case engine::Kind::stacked_bars:
      return add_bars(figure, shown);
    case engine::Kind::lanes:
      return add_lanes(figure, shown);
  }
}

/// What stands still; cursor and trail are of overlay_of().
struct OverlayRow {
  Overlay overlay;
  void (*add)(plot::Figure&, const Plotted&);
};
constexpr std::array overlay_rows{OverlayRow{Overlay::roofs, add_roofs},
                                  OverlayRow{Overlay::ridge, add_ridges},
                                  OverlayRow{Overlay::regions, add_regions},
                                  OverlayRow{Overlay::launch_floor, add_launch_floor},
                                  OverlayRow{Overlay::attainable, add_attainable},
                                  OverlayRow{Overlay::what_if, add_what_if},
                                  OverlayRow{Overlay::best, add_best},
                                  OverlayRow{Overlay::knee, add_knees},
                                  OverlayRow{Overlay::capacities, add_capacities},
                                  OverlayRow{Overlay::even, add_even},
                                  OverlayRow{Overlay::density, add_density}};

plot::Axis axis_of(const engine::Metric& metric, bool integer) {
  const auto& [low, high] = metric.range;
  return {std::string(metric.title), unit_of(metric, integer), low, high, metric.log,
          metric.si_prefix};
}

plot::Regime regime_of(engine::Regime regime) {
  using enum plot::Regime;
  static constexpr std::array regimes{overhead, bandwidth, compute, none};
  return regimes.at(static_cast<std::size_t>(regime));
}

/// From the lower to the upper end of the plot, and beyond.
void add_zones(plot::Figure& figure, const Chart& chart) {
  const double top = chart.y.log ? 1e18 : 10 * chart.y.range.high;
  for (const engine::Zone& zone : chart.zones)
    figure.regions.push_back({std::string(name_of(zone.regime)),
                              regime_of(zone.regime),
                              {std::max(zone.from, 1e-9), std::min(zone.to, 1e18)},
                              {top, top}});
}

/// Lines of the lab that look like those of points, of every session: what has one name has one
/// colour, a session its dashes.
void add_data_curves(plot::Figure& figure, const Plotted& shown) {
  int next_colour = 0;
  for (const plot::Series& series : figure.series)
    if (series.colour < plot::first_regime_colour)
      next_colour = std::max(next_colour, series.colour + 1);
  std::map<std::string, int> colours;
  const Sessions owners = owners_of(shown.groups);
  const std::vector<std::string> names = session_names(owners);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const std::string suffix = names.size() > 1 ? ", " + names[i] : "";
    const engine::Chart chart =
        owners.size() == 1 ? shown.chart : measured_chart(shown.chart, {owners[i]});
    for (const engine::Curve& curve : chart.curves) {
      if (!curve.data) continue;
      const auto [colour, is_new] = colours.emplace(curve.name, next_colour);
      if (is_new) ++next_colour;
      plot::Series line;
      line.name = curve.name + suffix;
      line.id = fmt::format("{}, {}, {}", curve.name, owners[i]->device.name, owners[i]->created);
      line.colour = colour->second;
      line.dash = dash_of(i);
      line.marker = plot::Marker::none;
      line.hidden = shown.view.hidden.contains(line.id);
      line.points = plot::Points{.x = curve.x, .y = curve.y};
      figure.series.push_back(std::move(line));
    }
  }
}

/// The lab's own words and lines.
void add_notes(plot::Figure& figure, const Plotted& shown) {
  const Chart& chart = shown.chart;
  add_zones(figure, chart);
  add_data_curves(figure, shown);
  for (const engine::Curve& curve : chart.curves) {
    if (curve.data) continue;
    figure.roofs.push_back({.label = curve.name,
                            .dash = plot::Dash::dashed,
                            .thin = true,
                            .x = curve.x,
                            .y = curve.y,
                            .id = curve.name});
  }
  for (const engine::Note& note : chart.notes) {
    if (note.at == engine::Note::At::x) figure.guides.push_back({note.x, note.text});
    if (note.at == engine::Note::At::y)
      figure.roofs.push_back({.label = note.text,
                              .thin = true,
                              .x = {1e-9, 1e18},
                              .y = {note.y, note.y},
                              .id = note.text});
    if (note.at == engine::Note::At::spot)
      figure.marks.push_back({note.x, note.y, note.text, plot::Mark::Kind::best});
  }
}

/// What the legend says of visible points that stand for themselves less than others.
void add_keys(plot::Figure& figure) {
  const auto any = [&](auto is) {
    return std::ranges::any_of(
        figure.series, [&](const plot::Series& series) { return !series.hidden && is(series); });
  };
  if (any([](const plot::Series& series) { return series.points.any_flagged(); }))
    figure.keys.push_back({plot::Key::Sign::doubtful, std::string(doubtful_text)});
  if (any([](const plot::Series& series) { return series.faded; }))
    figure.keys.push_back({plot::Key::Sign::faded, "pale: earlier run"});
}

/// Room for a region's line near the lower end of the fitted axis, and for its name beneath.
void make_room_below_regions(plot::Figure& figure) {
  constexpr double share = 0.16;
  constexpr double near = 100;  // a line farther below would press the points together
  plot::Axis& y = figure.y;
  for (const plot::Region& region : figure.regions) {
    const double top = region.y.front();
    if (top > y.low / near) y.low = std::min(y.low, top / 1.01);
    if (top <= y.low || top >= std::pow(y.low, 1 - share) * std::pow(y.high, share)) continue;
    y.low = std::exp((std::log(top) - share * std::log(y.high)) / (1 - share));
  }
}

/// Room for the names of what lies at the ends of the fitted axis.
void make_room(plot::Figure& figure, const Chart& chart) {
  const double range = figure.y.high / figure.y.low;
  if (chart.has(Overlay::launch_floor)) make_room_below_regions(figure);
  // The name of the highest roof finds a place in a small picture, too.
  if (chart.has(Overlay::ridge)) figure.y.high *= std::pow(range, 0.03);
  if (!chart.has(Overlay::capacities)) return;
  // More above, for the shortest plateau, whose name finds no place beside the curve.
  figure.y.low /= std::pow(range, 0.1);
  figure.y.high *= std::pow(range, 0.16);
}

/// Quotients stand over the x axis of their sides, to be read together with charts of those.
plot::Axis axis_of_sides(const Plotted& shown) {
  Chart sides = shown.chart;
  sides.versus.clear();
  sides.overlays.clear();
  sides.y = engine::metrics::runtime;
  Plotted both = shown;
  both.chart = sides;
  both.lines = lines_of(both);
  for (Line& line : both.lines) line.series.hidden = shown.view.hidden.contains(line.series.id);
  plot::Axis axis = figure_of(both).x;
  // Unfused points stand at another; a pair is shown at that of the faster one.
  if (shown.view.x == XAxis::intensity) axis.title += ", fused";
  return axis;
}

/// As if what is to come were toggled off, without the lab's words, which conclude from all of it.
plot::Figure figure_before(Plotted shown, const std::set<std::string>& to_come) {
  shown.view.hidden.insert(to_come.begin(), to_come.end());
  for (Line& line : shown.lines)
    line.series.hidden = line.series.hidden || to_come.contains(line.series.id);
  shown.chart.notes.clear();
  shown.chart.curves.clear();
  shown.chart.lab = {};  // nor of other sessions
  return figure_of(shown);
}

/// A figure as far as the view reveals it: of what is to come only the axes tell.
plot::Figure revealed_figure(const Plotted& shown) {
  const Reveal reveal = *shown.view.reveal;
  Plotted whole = shown;
  whole.view.reveal.reset();
  plot::Figure figure = figure_of(whole);
  std::set<std::string> to_come;
  for (const plot::Series& series : figure.series)
    if (!reveal.shows(series.id)) to_come.insert(series.id);
  // Bars keep the places that they have among all.
  std::erase_if(figure.series, [&](const plot::Series& series) {
    return series.hidden || to_come.contains(series.id);
  });
  plot::Figure around = reveal.roofs && !to_come.empty() ? figure_before(std::move(whole), to_come)
                        : reveal.roofs                   ? figure
                                                         : plot::Figure{};
  figure.roofs = std::move(around.roofs);
  figure.regions = std::move(around.regions);
  figure.marks = std::move(around.marks);
  figure.guides = std::move(around.guides);
  return figure;
}

}  // namespace

void widen(plot::Axis& axis, double value) {
  constexpr double margin = 1.15;
  if (!(value > 0)) return;
  axis.low = std::min(axis.low, value / margin);
  axis.high = std::max(axis.high, value * margin);
}

void widen_to(plot::Figure& figure, const plot::Overlay& overlay) {
  if (overlay.cursor) widen(figure.x, overlay.cursor->x);
  for (const plot::Mark& mark : overlay.marks) {
    widen(figure.x, mark.x);
    widen(figure.y, mark.y);
  }
}

plot::Figure figure_of(const Plotted& shown) {
  if (shown.view.reveal) return revealed_figure(shown);
  plot::Figure figure;
  figure.title = shown.chart.title;
  if (const engine::Metric* x = shown.chart.x_metric()) figure.x = axis_of(*x, shown.integer);
  figure.y = axis_of(shown.chart.y, shown.integer);
  add_points(figure, shown);
  for (const Overlay overlay : shown.chart.overlays) {
    const auto row = std::ranges::find(overlay_rows, overlay, &OverlayRow::overlay);
    if (row != overlay_rows.end()) row->add(figure, shown);
  }
  add_notes(figure, shown);
  add_keys(figure);
  if (figure.series.empty() && probes_of(shown, shown.view).empty())
    figure.empty_text = why_nothing(shown);
  plot::fit(figure);
  make_room(figure, shown.chart);
  if (!shown.chart.versus.empty()) figure.x = axis_of_sides(shown);
  figure.above = intensity_above(shown);
  return figure;
}

plot::Overlay overlay_of(const Plotted& shown, const View& now) {
  plot::Overlay overlay;
  if (shown.sessions.empty()) return overlay;
  if (shown.chart.has(Overlay::trail) && shown.chart.versus.empty()) add_trail(overlay, shown, now);
  if (shown.chart.has(Overlay::cursor)) add_cursor(overlay, shown, now);
  return overlay;
}

plot::Figure figure_of(const Sessions& sessions, const Chart& chart, const View& view) {
  return figure_of(plotted(sessions, chart, view));
}

plot::Overlay overlay_of(const Sessions& sessions, const Chart& chart, const View& view) {
  return overlay_of(plotted(sessions, chart, view), view);
}

}  // namespace ui
