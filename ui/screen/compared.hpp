// The comparison that the window shows: which sessions there are to choose from, and what is said,
// drawn and listed of the two sides. Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/compare/compare.hpp"
#include "ui/figures/comparison.hpp"
#include "ui/model/app_state.hpp"
#include "ui/screen/limits.hpp"

namespace ui {

/// Those that have points to compare: the opened files, then what was measured here.
std::vector<SessionChoice> compared_sessions(const AppState&);

/// The first session against the last one; of a single session, the first two words that tell its
/// points apart.
Comparing usual_comparison(const AppState&);
/// Why there is nothing to compare, in a sentence; empty where there is.
std::string why_no_comparison(const AppState&);

/// All that the comparison on screen is made of: equal keys make equal views.
struct ComparedKey {
  std::vector<Seen> sessions;
  Comparing comparing;
  bool operator==(const ComparedKey&) const = default;
};
ComparedKey compared_key(const AppState&);

/// What the comparison on screen shows.
struct ComparedView {
  engine::Comparison comparison;
  std::string summary;                          ///< one sentence: what was found, or why nothing is
  std::string notes;                            ///< what tells the sides apart
  std::vector<plot::Figure> figures;            ///< of compared_panels, in their order
  std::vector<std::vector<std::string>> table;  ///< the head first; empty without pairs
  std::vector<std::string> words_a, words_b;    ///< the words to choose from
};
ComparedView compared_view(const AppState&);

/// The page of the comparison for export.
plot::Page compared_page(const AppState&);

}  // namespace ui
