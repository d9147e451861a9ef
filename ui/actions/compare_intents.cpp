// The comparison that fills the middle of the window, and the way back from it.
#include <utility>

#include "ui/actions/intents.hpp"
#include "ui/screen/compared.hpp"

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

void compare_session(AppState& state, ComparedSide Comparing::*side, std::size_t number) {
  if (state.look.comparing) (*state.look.comparing).*side = {number, {}};
}

void compare_words(AppState& state, ComparedSide Comparing::*side, std::string words) {
  if (state.look.comparing) ((*state.look.comparing).*side).words = std::move(words);
}

void swap_sides(AppState& state) {
  if (state.look.comparing) std::swap(state.look.comparing->a, state.look.comparing->b);
}

void step_back(AppState& state) {
  if (state.look.comparing) {
    state.look.comparing.reset();
  } else if (state.look.inspected) {
    state.look.inspected.reset();
  } else {
    state.look.maximised.reset();
  }
}

}  // namespace ui
