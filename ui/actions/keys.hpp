// The keys that mean something outside of text fields, whatever window system they come from.
#pragma once

#include <cstdint>
#include <string>

namespace ui {

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

}  // namespace ui
