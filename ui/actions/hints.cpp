#include <fmt/format.h>

#include "ui/actions/intents.hpp"
#include "ui/model/availability.hpp"

namespace ui {

std::string_view name_of(Hint hint) {
  switch (hint) {
    case Hint::drag:
      return "drag";
    case Hint::toggle:
      return "toggle";
    case Hint::click:
      break;
  }
  return "click";
}

std::string words_of(const AppState& state, Hint hint) {
  switch (hint) {
    case Hint::drag:
      return "Drag the upright line, or the Intensity slider";
    case Hint::toggle: {
      const engine::Place* device = current_device(state);
      const bool both =
          device != nullptr && why_not_units(*device, engine::UnitsChoice::matrix).empty();
      return both ? fmt::format("Toggle fusion, element types, {}", matrix_units_name(device))
                  : "Toggle fusion and element types";
    }
    case Hint::click:
      break;
  }
  return "Click a point; F1 lists all keys";
}

void followed(AppState& state, Hint hint) { state.dialogs.hints.erase(hint); }

void close_hints(AppState& state) { state.dialogs.hints.clear(); }

}  // namespace ui
