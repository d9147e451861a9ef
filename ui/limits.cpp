#include "ui/limits.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/predict.hpp"
#include "ui/hover.hpp"

namespace ui {

namespace {

constexpr double margin = 1.15;  // as much as keeps a marker off the frame

void widen(plot::Axis& axis, double value) {
  if (!(value > 0)) return;
  axis.low = std::min(axis.low, value / margin);
  axis.high = std::max(axis.high, value * margin);
}

}  // namespace

void widen_to_sweep(plot::Figure& figure, Panel panel, const AppState& state) {
  const auto cursor = cursor_case(state);
  const auto shown = sessions_shown(state);
  if (!cursor || shown.empty() || state.spec.repeats.empty()) return;
  for (const std::uint64_t repeat : {state.spec.repeats.front(), state.spec.repeats.back()}) {
    engine::Point predicted;
    predicted.what = *cursor;
    predicted.what.repeat = repeat;
    predicted.work = kernels::work_of(predicted.what);
    predicted.seconds.median =
        engine::predict(*shown.front(), predicted.what, predicted.work).seconds();
    const plot::Vec at = place_of(predicted, panel, state.view.x);
    widen(figure.x, at.x);
    widen(figure.y, at.y);
  }
}

plot::Figure figure_on_screen(const AppState& state, Panel panel) {
  plot::Figure figure = figure_of(sessions_on_screen(state), panel, state.view);
  const bool sweep = state.shown == Shown::sweep && panel != Panel::levels;
  if (sweep) widen_to_sweep(figure, panel, state);
  apply_zoom(state.zoom, panel, figure);
  return figure;
}

std::vector<Panel> panels_on_screen(const AppState& state, std::optional<Panel> only) {
  if (only) return {*only};
  if (state.shown == Shown::roofs) return {Panel::roofline, Panel::levels};
  return panels_of(sessions_on_screen(state));
}

plot::Page page_on_screen(const AppState& state, std::optional<Panel> only) {
  plot::Page page = page_of(sessions_on_screen(state), only, state.view);
  page.figures.clear();
  for (const Panel panel : panels_on_screen(state, only)) {
    plot::Figure figure = for_export(figure_on_screen(state, panel));
    // A place where the slider happened to stand is no result.
    figure.cursor.reset();
    std::erase_if(figure.marks,
                  [](const plot::Mark& mark) { return mark.kind == plot::Mark::Kind::predicted; });
    page.figures.push_back(std::move(figure));
  }
  return page;
}

}  // namespace ui
