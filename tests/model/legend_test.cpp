// The one legend of the window: what it lists, what a click does, and what hidden series mean for a
// sweep.
#include "ui/screen/legend.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>

#include "tests/model/fake_state.hpp"
#include "ui/actions/events.hpp"
#include "ui/actions/intents.hpp"
#include "ui/screen/limits.hpp"

using plot::Key;

namespace {

ui::AppState with_both_fusions() {
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8, 64});
  for (const std::uint64_t repeat : {1, 8, 64})
    ui::apply(state,
              engine::PointMeasured{1, "cpu", fake::point(repeat, kernels::Fusion::unfused)});
  return state;
}

ui::LegendStrip strip_of(const ui::AppState& state) {
  const ui::FigureInputs inputs = ui::figure_inputs(state);
  std::deque<ui::Plotted> shown;
  std::deque<plot::Figure> figures;
  std::vector<ui::ChartOnScreen> charts;
  for (const engine::Chart& chart : ui::measured_charts(state)) {
    shown.push_back(ui::plotted(inputs, chart));
    figures.push_back(ui::fitted_figure(inputs, shown.back()));
    charts.push_back({shown.back(), figures.back()});
  }
  return ui::legend_of(state, charts);
}

std::vector<std::string> texts(const ui::LegendGroup& group) {
  std::vector<std::string> words;
  for (const ui::LegendEntry& entry : group.entries) words.push_back(entry.text);
  return words;
}

bool has(const std::vector<Key>& keys, Key::Sign sign) {
  return std::ranges::find(keys, sign, &Key::sign) != keys.end();
}

}  // namespace

TEST_CASE("a series that four charts show is one entry of its session") {
  const ui::AppState state = with_both_fusions();
  const ui::LegendStrip strip = strip_of(state);
  REQUIRE(strip.groups.size() == 1);
  CHECK(strip.groups[0].title == ui::current_session(state)->device.name);
  CHECK(texts(strip.groups[0]) == std::vector<std::string>{"fp32 fused", "fp32 unfused"});
  CHECK(strip.ids().size() == 2);
}

TEST_CASE(
    "an entry looks like its line: that of a second session is dashed, and named by its file") {
  ui::AppState state = with_both_fusions();
  engine::Session other = *ui::current_session(state);
  other.created = "2026-11-20T10:00:00Z";
  state.documents.opened.push_back({"other.json", other});
  const ui::LegendStrip strip = strip_of(state);
  REQUIRE(strip.groups.size() == 2);
  CHECK(texts(strip.groups[0]) == texts(strip.groups[1]));
  CHECK(strip.groups[0].entries[0].look.dash == plot::Dash::solid);
  CHECK(strip.groups[1].entries[0].look.dash == plot::Dash::dashed);
  CHECK(strip.groups[1].title.ends_with("\u00b7 other.json"));
}

TEST_CASE(
    "a click hides an entry everywhere, a second one leaves it alone, two more bring all back") {
  ui::AppState state = with_both_fusions();
  const ui::LegendStrip strip = strip_of(state);
  const std::set<std::string>& fused = strip.groups[0].entries[0].ids;
  const std::set<std::string>& unfused = strip.groups[0].entries[1].ids;
  const std::set<std::string>& hidden = state.look.view.hidden;
  ui::toggle_series(state, fused);
  CHECK(hidden == fused);
  for (const engine::Chart& chart : ui::measured_charts(state)) {
    const plot::Figure figure = ui::figure_on_screen(state, chart);
    CHECK(std::ranges::count(figure.series, true, &plot::Series::hidden) == 1);
  }
  ui::isolate_series(state, fused, strip.ids());
  CHECK(hidden == unfused);
  ui::toggle_series(state, fused);
  ui::isolate_series(state, fused, strip.ids());
  CHECK(hidden.empty());
}

TEST_CASE("a sweep leaves out what is hidden, but never everything") {
  ui::AppState state = with_both_fusions();
  const ui::LegendStrip strip = strip_of(state);
  const auto asked = [&] { return ui::without_hidden(state, state.spec); };
  REQUIRE(state.spec.fusion == engine::FusionChoice::both);
  CHECK(asked() == state.spec);
  ui::toggle_series(state, strip.groups[0].entries[1].ids);
  CHECK(asked().fusion == engine::FusionChoice::fused);
  // What was never measured is not hidden.
  state.spec.dtypes = {kernels::Dtype::fp32, kernels::Dtype::fp64};
  state.spec.types_chosen = true;
  CHECK(asked().fusion == engine::FusionChoice::both);
  ui::toggle_series(state, strip.groups[0].entries[0].ids);
  CHECK(asked().dtypes == std::vector{kernels::Dtype::fp64});
  state.spec.dtypes = {kernels::Dtype::fp32};
  CHECK(asked() == state.spec);
  ui::run(state);
  const auto* sweep = std::get_if<ui::StartSweep>(&state.commands.back());
  REQUIRE(sweep != nullptr);
  ui::toggle_series(state, strip.groups[0].entries[0].ids);
  ui::run(state);
  sweep = std::get_if<ui::StartSweep>(&state.commands.back());
  REQUIRE(sweep != nullptr);
  CHECK(sweep->spec.fusion == engine::FusionChoice::fused);
}

TEST_CASE("everything drawn that is no series has words in the legend, and nothing else has") {
  plot::Figure figure;
  figure.y = {.low = 1, .high = 100};
  plot::Overlay overlay;
  CHECK(ui::keys_of(figure, overlay).empty());
  figure.series.push_back({.points = plot::Points{{1}, {10}, {9}, {11}}});
  CHECK_FALSE(has(ui::keys_of(figure, overlay), Key::Sign::interval));
  figure.series.push_back({.points = plot::Points{{1}, {10}, {5}, {20}}});
  CHECK(has(ui::keys_of(figure, overlay), Key::Sign::interval));
  figure.series.back().hidden = true;
  CHECK_FALSE(has(ui::keys_of(figure, overlay), Key::Sign::interval));
  figure.roofs.push_back({.thin = true});
  CHECK(has(ui::keys_of(figure, overlay), Key::Sign::guide));
  CHECK_FALSE(has(ui::keys_of(figure, overlay), Key::Sign::ghost));
  figure.roofs.push_back({.ghost = true});
  CHECK(has(ui::keys_of(figure, overlay), Key::Sign::ghost));
  overlay.marks.push_back({1, 1, "", plot::Mark::Kind::probe});
  CHECK(has(ui::keys_of(figure, overlay), Key::Sign::probe));
  CHECK_FALSE(has(ui::keys_of(figure, overlay), Key::Sign::trail));
  overlay.marks.back().faded = true;
  CHECK(has(ui::keys_of(figure, overlay), Key::Sign::trail));
}
