#include "ui/limits.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/predict.hpp"
#include "ui/hover.hpp"

namespace ui {

FigureInputs figure_inputs(const AppState& state) {
  FigureInputs inputs;
  for (const engine::Session* session : sessions_on_screen(state)) {
    inputs.sessions.push_back({session, version_of(state, *session)});
  }
  inputs.view = state.view;
  inputs.zoom = state.zoom;
  const auto cursor = cursor_case(state);
  const std::vector<std::uint64_t>& repeats = state.spec.repeats;
  if (state.shown != Shown::roofs && cursor && !repeats.empty()) {
    inputs.sweep = {*cursor, repeats.front(), repeats.back()};
  }
  return inputs;
}

void widen_to_sweep(plot::Figure& figure, Panel panel, const FigureInputs& inputs) {
  if (!inputs.sweep || inputs.sessions.empty()) return;
  for (const std::uint64_t repeat : {inputs.sweep->first_repeat, inputs.sweep->last_repeat}) {
    engine::Point predicted;
    predicted.what = inputs.sweep->what;
    predicted.what.repeat = repeat;
    predicted.work = kernels::work_of(predicted.what);
    const engine::Prediction prediction =
        engine::predict(*inputs.sessions.front().session, predicted.what, predicted.work);
    predicted.seconds.median = prediction.seconds();
    const bool shares_x = panel == Panel::speedup;  // with the runtime
    const plot::Vec at = place_of(predicted, shares_x ? Panel::runtime : panel, inputs.view.x);
    widen(figure.x, at.x);
    // Without a roof of its own an element type would be as fast as the memory alone allows.
    if (!shares_x && prediction.complete()) widen(figure.y, at.y);
  }
}

plot::Figure figure_on_screen(const FigureInputs& inputs, Panel panel, SeriesCache& cache) {
  plot::Figure figure = figure_of(inputs.sessions, panel, inputs.view, cache);
  if (panel != Panel::levels) widen_to_sweep(figure, panel, inputs);
  apply_zoom(inputs.zoom, panel, figure);
  return figure;
}

std::vector<Panel> panels_on_screen(const AppState& state) {
  if (state.shown == Shown::roofs) return {Panel::levels};
  if (state.shown == Shown::speedup) return {Panel::runtime, Panel::speedup};
  return {sweep_panels.begin(), sweep_panels.end()};
}

std::vector<Panel> panels_to_export(const AppState& state, std::optional<Panel> only) {
  if (only) return {*only};
  if (state.shown == Shown::roofs) return {Panel::roofline, Panel::levels};
  if (state.shown == Shown::speedup) return panels_on_screen(state);
  return panels_of(sessions_on_screen(state));
}

plot::Page page_on_screen(const AppState& state, std::optional<Panel> only) {
  plot::Page page = page_of(sessions_on_screen(state), only, state.view);
  page.figures.clear();
  const FigureInputs inputs = figure_inputs(state);
  FigureInputs exported = inputs;
  exported.view.probes = false;
  SeriesCache series;
  for (const Panel panel : panels_to_export(state, only)) {
    plot::Figure figure = for_export(figure_on_screen(exported, panel, series));
    const plot::Figure seen = figure_on_screen(inputs, panel, series);
    figure.x.low = seen.x.low;
    figure.x.high = seen.x.high;
    figure.y.low = seen.y.low;
    figure.y.high = seen.y.high;
    figure.cursor.reset();
    std::erase_if(figure.marks,
                  [](const plot::Mark& mark) { return mark.kind == plot::Mark::Kind::predicted; });
    page.figures.push_back(std::move(figure));
  }
  return page;
}

}  // namespace ui
