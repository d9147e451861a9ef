// What fills the window in place of the lab's charts, and the way back: a comparison, or the charts
// presented step by step.
#include <algorithm>
#include <utility>

#include "ui/actions/intents.hpp"
#include "ui/screen/compared.hpp"
#include "ui/screen/presentation.hpp"

namespace ui {

void show_comparison(AppState& state) {
  // They speak of a lab's charts, and so do their keys.
  leave_exercise(state);
  leave_guide(state);
  state.look.hovered.reset();
  state.look.inspected.reset();
  if (!state.look.comparing) state.look.comparing = usual_comparison(state);
}

void hide_comparison(AppState& state) { state.look.comparing.reset(); }

void step_back(AppState& state) {
  if (state.look.comparing) {
    state.look.comparing.reset();
  } else if (state.look.inspected) {
    state.look.inspected.reset();
  } else {
    state.look.maximised.reset();
  }
}

namespace {

/// Shows the step, or the nearest that there is by now.
void show_step(AppState& state, std::size_t step) {
  Presenting& presenting = *state.look.presenting;
  presenting.steps = reveal_steps(state);
  presenting.step = std::min(step, presenting.steps.size() - 1);
  state.look.view.reveal = revealed_by(presenting.steps, presenting.step);
}

void leave(AppState& state) {
  state.look.presenting.reset();
  state.look.view.reveal.reset();
  // A first sweep and the labs of a tour have waited.
  if (std::exchange(state.worker.run_when_ready, state.worker.looking) && !state.worker.looking)
    run(state);
  else if (!state.worker.running.sweep)
    run_next_lab(state);
}

}  // namespace

void present(AppState& state) {
  if (state.look.presenting) return leave(state);
  state.worker.probe_due.reset();
  state.look.hovered.reset();
  state.look.inspected.reset();
  state.look.tip.reset();
  state.look.presenting.emplace();
  show_step(state, 0);
}

void step_presentation(AppState& state, int steps) {
  if (!state.look.presenting) return;
  const auto here = static_cast<std::ptrdiff_t>(state.look.presenting->step);
  state.look.presenting->keys_told = false;
  show_step(state, static_cast<std::size_t>(std::max<std::ptrdiff_t>(here + steps, 0)));
}

}  // namespace ui
