// What the tour says: what to do in its step, whether that was done, and what happened on this
// machine. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ui/model/app_state.hpp"

namespace ui {

enum class GuideOutcome : std::uint8_t { not_yet, done, cannot_tell };
std::string_view name_of(GuideOutcome);  ///< "not yet", "done", "cannot tell"

/// How a step was judged, and one sentence with what was measured: what happened, what is missing,
/// or why nothing can be concluded. Empty while the user has done nothing.
struct GuideResult {
  GuideOutcome outcome = GuideOutcome::not_yet;
  std::string sentence{};
};

struct GuideText {
  std::string title;  ///< "Tour, step 1 of 5: add ops"
  std::string task;   ///< what to do
  GuideResult result;
};
/// Requires that the tour is on. Speaks of the points of the chosen device's session alone.
GuideText guide_text(const AppState&);

}  // namespace ui
