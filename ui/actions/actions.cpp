#include "ui/actions/actions.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "ui/actions/actions_parts.hpp"
#include "ui/screen/results.hpp"

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

namespace {

bool holds_all_words(const std::string& title, const std::string& typed) {
  std::istringstream words(typed);
  for (std::string word; words >> word;) {
    if (title.find(word) == std::string::npos) return false;
  }
  return true;
}

}  // namespace

void show_palette(AppState& state) { state.dialogs.palette = Palette{}; }

void type_in_palette(AppState& state, std::string typed) {
  state.dialogs.palette = Palette{std::move(typed), 0};
}

void move_in_palette(AppState& state, int steps) {
  if (!state.dialogs.palette) return;
  const auto last = static_cast<std::ptrdiff_t>(palette_rows(state).size()) - 1;
  const auto wanted = static_cast<std::ptrdiff_t>(state.dialogs.palette->selected) + steps;
  state.dialogs.palette->selected = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(wanted, 0, std::max<std::ptrdiff_t>(last, 0)));
}

void run_from_palette(AppState& state, double now) {
  if (!state.dialogs.palette) return;
  const std::vector<Action> rows = palette_rows(state);
  if (state.dialogs.palette->selected >= rows.size()) return;
  const Action& chosen = rows[state.dialogs.palette->selected];
  if (!chosen.why_not.empty()) return;
  state.dialogs.palette.reset();
  chosen.act(state, now);
}

std::vector<Action> palette_rows(const AppState& state) {
  std::vector<Action> rows = actions_of(state);
  const std::string typed =
      state.dialogs.palette ? lower(state.dialogs.palette->typed) : std::string();
  std::erase_if(rows, [&](const Action& action) {
    return action.name == "palette" || !holds_all_words(lower(action.title), typed);
  });
  std::ranges::stable_partition(
      rows, [&](const Action& action) { return lower(action.title).starts_with(typed); });
  return rows;
}

}  // namespace ui
