#include <algorithm>

#include "engine/labs/lab.hpp"
#include "ui/actions/intents.hpp"

namespace ui {

namespace {

void begin_step(AppState& state, GuideStep step) {
  state.dialogs.guide = Guide{step, state.spec, state.cursor_repeat};
}

}  // namespace

void start_guide(AppState& state) {
  leave_exercise(state);
  hide_comparison(state);
  const auto has_slider = [](const engine::Lab* lab) { return !lab->slider.empty(); };
  const auto lab = std::ranges::find_if(engine::labs(), has_slider);
  if (lab != engine::labs().end()) show_lab(state, **lab);
  begin_step(state, guide_steps.front());
}

void next_guide_step(AppState& state) {
  if (!state.dialogs.guide) return;
  const auto now = std::ranges::find(guide_steps, state.dialogs.guide->step);
  if (now + 1 == guide_steps.end()) return leave_guide(state);
  begin_step(state, now[1]);
}

void leave_guide(AppState& state) { state.dialogs.guide.reset(); }

}  // namespace ui
