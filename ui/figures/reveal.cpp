// A figure as far as it is revealed: what is still to come leaves no trace in it but its axes.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "ui/figures/parts.hpp"

namespace ui {
namespace {

/// As if what is to come were toggled off: what speaks of it goes, too, and so do the lab's words,
/// which conclude from all of it.
plot::Figure figure_before(Plotted shown, const std::set<std::string>& to_come) {
  shown.view.hidden.insert(to_come.begin(), to_come.end());
  for (Line& line : shown.lines)
    line.series.hidden = line.series.hidden || to_come.contains(line.series.id);
  shown.chart.notes.clear();
  shown.chart.curves.clear();
  shown.chart.lab = {};  // nor of other sessions
  return figure_of(shown);
}

}  // namespace

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

}  // namespace ui
