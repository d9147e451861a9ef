#include "ui/screen/presentation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/labs/lab.hpp"
#include "kernels/units.hpp"
#include "ui/screen/exercise.hpp"
#include "ui/screen/verdict_target.hpp"

namespace ui {

namespace {

/// Series of one name, in whatever chart.
struct NamedSeries {
  std::string name;
  std::set<std::string> ids;
  bool unfused = false;
};

bool is_unfused(const Plotted& shown, const std::string& id) {
  const auto group = std::ranges::find(shown.groups, id, &Group::id);
  return group != shown.groups.end() && group->what.fusion == kernels::Fusion::unfused;
}

/// In the order of the charts, but unfused ones first: they are what fusion is compared with.
std::vector<NamedSeries> series_presented(const std::vector<Plotted>& charts) {
  std::vector<NamedSeries> all;
  for (const Plotted& shown : charts) {
    for (const plot::Series& series : figure_of(shown).series) {
      if (series.hidden) continue;
      auto known = std::ranges::find(all, series.name, &NamedSeries::name);
      if (known == all.end()) known = all.insert(known, {series.name, {}, false});
      known->ids.insert(series.id);
      known->unfused = known->unfused || is_unfused(shown, series.id);
    }
  }
  std::ranges::stable_partition(all, &NamedSeries::unfused);
  return all;
}

/// Whether roofs, or what else speaks of no series, make a step of their own.
bool has_roofs(std::vector<Plotted> charts) {
  return std::ranges::any_of(charts, [](Plotted& shown) {
    shown.view.reveal = Reveal{.roofs = true, .series = std::set<std::string>{}};
    const plot::Figure figure = figure_of(shown);
    return !figure.roofs.empty() || !figure.regions.empty() || !figure.marks.empty() ||
           !figure.guides.empty();
  });
}

bool has_slider(const AppState& state) {
  return !lab_on_screen(state).slider.empty() && cursor_case(state).has_value();
}

void say_of_slider(const AppState& state, Headline& headline) {
  const VerdictText verdict = verdict_text(state);
  headline.about += verdict.caption.empty() ? "" : " \u00b7 " + verdict.caption;
  // Nothing can be pressed here to measure it.
  if (!verdict.measured && verdict.regime.empty()) {
    headline.verdict = "Not measured.";
    return;
  }
  headline.limit = units::capitalised(verdict.regime);
  headline.verdict = verdict.headline;
}

void say_of_lab(const AppState& state, Headline& headline) {
  const engine::LabVerdict verdict = lab_verdict(state);
  headline.verdict = verdict.says == engine::Says::not_yet
                         ? "Not measured."
                         : fmt::format("{} {}", words_of(verdict.says), verdict.headline);
}

}  // namespace

std::vector<engine::Chart> charts_presented(const AppState& state) {
  std::vector<engine::Chart> charts = charts_to_export(state, {});
  const auto only = std::ranges::find_if(
      charts, [&](const engine::Chart& chart) { return state.look.maximised == chart.id; });
  return only != charts.end() ? std::vector{*only} : charts;
}

std::vector<RevealStep> reveal_steps(const AppState& state) {
  constexpr std::size_t most_series = 8;  // the rest comes with the last of them
  FigureInputs inputs = figure_inputs(state);
  inputs.view.reveal.reset();
  std::vector<Plotted> charts;
  for (const engine::Chart& chart : charts_presented(state))
    charts.push_back(plotted(inputs, chart));
  std::vector<RevealStep> steps{{Revealed::axes}};
  if (has_roofs(charts)) steps.push_back({Revealed::roofs});
  std::size_t series = 0;
  for (NamedSeries& one : series_presented(charts)) {
    if (series++ < most_series) steps.push_back({Revealed::series});
    steps.back().series.merge(one.ids);
  }
  // An exercise that is not answered keeps its answer.
  if (!hides_points(state) && (has_slider(state) || lab_on_screen(state).verdict != nullptr))
    steps.push_back({Revealed::verdict});
  return steps;
}

Reveal revealed_by(const std::vector<RevealStep>& steps, std::size_t step) {
  Reveal reveal;
  reveal.series.emplace();
  for (std::size_t i = 0; i < std::min(step + 1, steps.size()); ++i) {
    reveal.roofs = reveal.roofs || steps[i].what != Revealed::axes;
    reveal.series->insert(steps[i].series.begin(), steps[i].series.end());
    reveal.slider = reveal.slider || steps[i].what == Revealed::verdict;
  }
  // What is measured meanwhile is in no step.
  if (step + 1 >= steps.size()) reveal.series.reset();
  return reveal;
}

Headline headline_of(const AppState& state) {
  const engine::Lab& lab = lab_on_screen(state);
  Headline headline;
  headline.title = state.look.title.empty() ? std::string(lab.question) : state.look.title;
  headline.about = heading_of(sessions_on_screen(state), charts_presented(state));
  const bool told =
      state.look.presenting && state.look.presenting->step < state.look.presenting->steps.size() &&
      state.look.presenting->steps[state.look.presenting->step].what == Revealed::verdict;
  if (!told) return headline;
  if (has_slider(state)) {
    say_of_slider(state, headline);
  } else {
    say_of_lab(state, headline);
  }
  return headline;
}

}  // namespace ui
