// What is presented: the charts, what each step adds to them, and the words around them. Pure.
#pragma once

#include <string>
#include <vector>

#include "ui/model/app_state.hpp"
#include "ui/screen/limits.hpp"

namespace ui {

/// The charts that are presented: one alone, where one fills the plots, else all of the lab's page.
std::vector<engine::Chart> charts_presented(const AppState&);

/// Axes, roofs, then one series after the other (unfused ones before fused ones), then the verdict
/// with the slider's point. Without what the lab does not have.
std::vector<RevealStep> reveal_steps(const AppState&);
/// What is there once that step was made.
Reveal revealed_by(const std::vector<RevealStep>&, std::size_t step);

/// The words around the charts.
struct Headline {
  std::string title;
  std::string limit;    ///< "Bandwidth-bound"; empty where none is clear
  std::string verdict;  ///< one sentence
  std::string about;    ///< devices, and which point the verdict is of
};
Headline headline_of(const AppState&);

}  // namespace ui
