// Everything that the user can ask for by name: the one list behind the keyboard, F1 and the
// command palette. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/model/app_state.hpp"

namespace ui {

/// The keys that mean something outside of text fields, whatever window system they come from.
/// Those that print are Key{'S'}, as GLFW and ASCII number them; plus is Key{'='}.
enum class Key : std::uint8_t {
  enter,
  escape,
  tab,
  left,
  right,
  up,
  down,
  home,
  end,
  page_up,
  page_down,
  f1,
  f11
};

/// A key that went down (or repeats) since the last frame, even if it is up again by now.
struct KeyPress {
  Key key;
  bool ctrl = false;
  bool shift = false;
  friend bool operator==(const KeyPress&, const KeyPress&) = default;
};

/// As on a keyboard: "Space", "Ctrl+O".
std::string name_of(KeyPress);

/// Under which heading F1 lists an action that has a key.
enum class Topic : std::uint8_t { measure, look, keep };

struct Action {
  std::string name;   ///< unique: "run", "dtype.fp64"
  std::string title;  ///< what it does now
  Topic topic = Topic::measure;
  std::vector<KeyPress> keys{};
  std::string why_not{};  ///< not empty: it cannot be done now, with this reason
  bool chosen = false;    ///< the choice that it makes is made already
  std::function<void(AppState&, double now)> act{};
};

/// What can be done now, and what cannot, with the reason. While charts are presented nothing else
/// than presenting can be done.
std::vector<Action> actions_of(const AppState&);

/// Those that choose a value of one knob: "family", "op", "dtype", "fusion", "units" or "data".
/// Their names are that and the value: "fusion.both".
std::vector<Action> choices_of(const AppState&, std::string_view kind);

/// "Ctrl+Q, Ctrl+W".
std::string keys_of(const Action&);

/// Does what the key stands for; says why when it cannot be done. Other keys do nothing.
void press(AppState&, KeyPress, double now);

/// The palette: opens, takes what is typed, moves its selection, and runs the selected action
/// unless that cannot be done.
void show_palette(AppState&);
void type_in_palette(AppState&, std::string);
void move_in_palette(AppState&, int steps);
void run_from_palette(AppState&, double now);
/// The actions whose titles hold every word typed; those that begin with it first.
std::vector<Action> palette_rows(const AppState&);

}  // namespace ui
