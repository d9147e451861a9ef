#include "ui/actions/actions.hpp"

#include <algorithm>
#include <array>

#include "ui/actions/actions_parts.hpp"

namespace ui {

std::string name_of(KeyPress press) {
  constexpr std::array names{"Enter", "Escape", "Tab",     "Left",      "Right", "Up", "Down",
                             "Home",  "End",    "Page up", "Page down", "F1",    "F11"};
  const auto key = static_cast<std::size_t>(press.key);
  const std::string name = key < names.size() ? names[key]
                           : key == ' '       ? "Space"
                           : key == '='       ? "plus"
                           : key == '-'       ? "minus"
                                              : std::string(1, static_cast<char>(key));
  return (press.ctrl ? "Ctrl+" : "") + ((press.shift ? "Shift+" : "") + name);
}

std::vector<Action> actions_of(const AppState& state) {
  std::vector<Action> all;
  if (state.look.presenting) {
    add_presenting(all, state);
    return all;
  }
  add_measuring(all, state);
  add_looks(all, state);
  add_files(all, state);
  return all;
}

std::string keys_of(const Action& action) {
  std::string names;
  for (const KeyPress& key : action.keys) names += (names.empty() ? "" : ", ") + name_of(key);
  return names;
}

void press(AppState& state, KeyPress key, double now) {
  // On many keyboards these need Shift.
  if (key.key == Key{'='} || key.key == Key{'-'} || key.key == Key{'0'}) key.shift = false;
  for (const Action& action : actions_of(state)) {
    if (std::ranges::find(action.keys, key) == action.keys.end()) continue;
    if (action.why_not.empty()) {
      action.act(state, now);
    } else {
      notify(state, action.why_not, false);
    }
    return;
  }
}

}  // namespace ui
