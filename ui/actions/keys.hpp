// The keys that mean something outside of text fields, whatever window system they come from.
#pragma once

#include <cstdint>
#include <string>

namespace ui {

enum class Key : std::uint8_t {
  space,
  enter,
  escape,
  tab,
  left,
  right,
  up,
  down,
  home,
  end,
  one,
  two,
  three,
  four,
  b,
  c,
  e,
  f,
  j,
  k,
  l,
  o,
  p,
  q,
  s,
  w,
  z,
  f1,
  plus,
  minus,
  zero
};

/// A key that went down (or repeats) since the last frame. ImGui 1.86 itself misses one that is up
/// again by then.
struct KeyPress {
  Key key;
  bool ctrl = false;
  bool shift = false;
  friend bool operator==(const KeyPress&, const KeyPress&) = default;
};

/// As on a keyboard: "Space", "Ctrl+O".
std::string name_of(KeyPress);

}  // namespace ui
