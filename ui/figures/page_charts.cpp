// Which charts a page shows.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "ui/figures/figures.hpp"

namespace ui {

const engine::Chart& chart_with(engine::Overlay overlay) {
  const auto& all = engine::all_charts();
  return *std::ranges::find_if(all, [&](const auto& chart) { return chart.has(overlay); });
}

namespace {

bool is_measured(const Sessions& sessions, const engine::Lab& lab) {
  return std::ranges::any_of(sessions, [&](const engine::Session* session) {
    return std::ranges::find(session->points, lab.name, &engine::Point::lab) !=
           session->points.end();
  });
}

void add_charts(std::vector<engine::Chart>& charts, const engine::Lab& lab,
                const Sessions& sessions) {
  for (engine::Chart& chart : charts_of(lab, sessions)) {
    const bool shown = !lab.lists_roofs || std::ranges::any_of(sessions, [&](const auto* session) {
      return has_points(*session, chart);
    });
    if (shown && !chart.apart) charts.push_back(std::move(chart));
  }
}

}  // namespace

std::vector<engine::Chart> charts_of(const engine::Lab& lab, const Sessions& sessions) {
  const engine::Session none;
  const engine::Session* measured = &none;
  for (const engine::Session* session : sessions) {
    if (measured == &none && is_measured({session}, lab)) measured = session;
  }
  return engine::charts_of(lab, engine::results_of(lab.name, *measured));
}

engine::Chart measured_chart(const engine::Chart& chart, const Sessions& sessions) {
  const engine::Lab* lab = engine::find_lab(chart.lab);
  if (lab == nullptr) return chart;
  for (engine::Chart& measured : charts_of(*lab, sessions))
    if (measured.id == chart.id) return measured;
  return chart;
}

std::vector<engine::Chart> charts_of(const Sessions& sessions) {
  std::vector<engine::Chart> charts, levels;
  for (const engine::Lab* lab : engine::labs()) {
    if (is_measured(sessions, *lab)) add_charts(lab->lists_roofs ? levels : charts, *lab, sessions);
  }
  if (charts.empty() && levels.empty()) add_charts(charts, *engine::labs().front(), sessions);
  if (charts.empty()) charts.push_back(chart_with(engine::Overlay::ridge));
  std::ranges::move(levels, std::back_inserter(charts));
  return charts;
}

}  // namespace ui
