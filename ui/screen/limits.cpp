#include "ui/screen/limits.hpp"

#include <utility>
#include <vector>

#include "engine/labs/lab.hpp"
#include "engine/verdict/predict.hpp"
#include "ui/screen/compared.hpp"
#include "ui/screen/exercise.hpp"

namespace ui {

std::vector<Seen> seen_on_screen(const AppState& state) {
  std::vector<Seen> seen;
  auto file = state.documents.opened.begin();
  for (const engine::Session* session : sessions_on_screen(state)) {
    const bool is_file = file != state.documents.opened.end() && &*file->session == session;
    seen.push_back({session, is_file ? file->session.version() : version_of(state, *session)});
    if (is_file) ++file;
  }
  return seen;
}

FigureInputs figure_inputs(const AppState& state) {
  FigureInputs inputs;
  if (!hides_points(state)) inputs.sessions = seen_on_screen(state);
  inputs.view = state.look.view;
  if (inputs.view.cursor) inputs.view.cursor->repeat = 1;
  auto cursor = cursor_case(state);
  const std::vector<std::uint64_t>& repeats = state.spec.repeats;
  if (!lab_on_screen(state).slider.empty() && cursor && !repeats.empty()) {
    cursor->repeat = 1;
    inputs.sweep = {*cursor, repeats.front(), repeats.back()};
  }
  return inputs;
}

namespace {

/// Widens the axes to what the roofs predict at both ends of the sweep; without them x alone.
void widen_to_sweep(plot::Figure& figure, const Plotted& shown, const FigureInputs& inputs) {
  const engine::Metric* along = shown.chart.x_metric();
  if (!inputs.sweep || inputs.sessions.empty() || along == nullptr) return;
  const engine::Session& session = *inputs.sessions.front().session;
  for (const std::uint64_t repeat : {inputs.sweep->first_repeat, inputs.sweep->last_repeat}) {
    engine::Point predicted;
    predicted.what = inputs.sweep->what;
    predicted.what.repeat = repeat;
    predicted.work = kernels::work_of(predicted.what, session.device.kind);
    const engine::Prediction prediction = engine::predict(session, predicted.what, predicted.work);
    predicted.seconds.median = prediction.seconds();
    const engine::Row row{predicted, session, {}};
    widen(figure.x, (*along)(row).value_or(engine::Interval{}).median);
    // Without a roof of its own an element type would be as fast as the memory alone allows.
    if (prediction.complete())
      widen(figure.y, shown.chart.y(row).value_or(engine::Interval{}).median);
  }
}

/// Without those of the lab's other page.
std::vector<engine::Chart> of_page(std::vector<engine::Chart> charts, bool apart) {
  std::erase_if(charts, [&](const engine::Chart& chart) {
    // Quotients stand beside what they are quotients of.
    return apart ? !chart.apart && chart.y != engine::metrics::runtime : chart.apart;
  });
  return charts;
}

}  // namespace

Plotted plotted(const FigureInputs& inputs, const engine::Chart& chart) {
  Sessions sessions;
  for (const Seen& seen : inputs.sessions) sessions.push_back(seen.session);
  return plotted(sessions, chart, inputs.view);
}

plot::Figure fitted_figure(const FigureInputs& inputs, const Plotted& shown) {
  plot::Figure figure = figure_of(shown);
  if (shown.chart.has(engine::Overlay::cursor)) widen_to_sweep(figure, shown, inputs);
  return figure;
}

void set_limits(plot::Figure& figure, const plot::Overlay& overlay, const ZoomState& zoom,
                const engine::Chart& chart) {
  widen_to(figure, overlay);
  apply_zoom(zoom, chart, figure);
}

plot::Figure figure_on_screen(const AppState& state, const engine::Chart& chart) {
  const FigureInputs inputs = figure_inputs(state);
  plot::Figure figure = fitted_figure(inputs, plotted(inputs, chart));
  const plot::Overlay overlay = overlay_of(sessions_on_screen(state), chart, state.look.view);
  set_limits(figure, overlay, state.look.zoom, chart);
  return figure;
}

std::vector<engine::Chart> charts_on_screen(const AppState& state) {
  std::vector<engine::Chart> charts;
  for (const engine::Chart& chart : engine::all_charts())
    if (chart.lab == lab_on_screen(state).name) charts.push_back(chart);
  return of_page(std::move(charts), shows_apart(state));
}

std::vector<engine::Chart> measured_charts(const AppState& state) {
  return of_page(charts_of(lab_on_screen(state), sessions_on_screen(state)), shows_apart(state));
}

std::vector<engine::Chart> charts_to_export(const AppState& state,
                                            const std::optional<std::string>& only) {
  if (const engine::Chart* chart = only ? engine::find_chart(*only) : nullptr)
    return {measured_chart(*chart, sessions_on_screen(state))};
  std::vector<engine::Chart> charts = measured_charts(state);
  if (lab_on_screen(state).lists_roofs)
    charts.insert(charts.begin(), chart_with(engine::Overlay::ridge));
  return charts;
}

plot::Page page_on_screen(const AppState& state, const std::optional<std::string>& only) {
  if (state.look.comparing) return compared_page(state);
  const std::vector<engine::Chart> charts = charts_to_export(state, only);
  const FigureInputs inputs = figure_inputs(state);
  std::vector<plot::Figure> figures;
  for (const engine::Chart& one : charts) {
    const Plotted shown = plotted(inputs, one);
    plot::Figure figure = fitted_figure(inputs, shown);
    set_limits(figure, overlay_of(shown, state.look.view), state.look.zoom, one);
    // The probes, which on screen need no words, are in no picture.
    if (figure.series.empty()) figure.empty_text = why_nothing(shown);
    figures.push_back(for_export(std::move(figure)));
  }
  return page_around(sessions_on_screen(state), charts, state.look.view, std::move(figures));
}

}  // namespace ui
