// Keys and characters as the window system told them, handed over frame by frame. ImGui 1.86 reads
// the state of the keys once per frame: a key that goes down and up between two frames, as keys do
// over remote desktops and from programs that type, would not be seen at all.
#pragma once

#include <deque>
#include <vector>

namespace app {

/// What the window system told of the keyboard.
struct KeyEvent {
  enum class Kind { down, up, character };
  Kind kind = Kind::down;
  int key = 0;  ///< of GLFW; nothing for a character
  int scancode = 0;
  int modifiers = 0;           ///< of GLFW
  bool repeated = false;       ///< down: held
  bool is_modifier = false;    ///< Ctrl, Shift, Alt, Super
  unsigned int character = 0;  ///< Unicode
};

/// In the order in which they were told; none is lost.
class KeyQueue {
 public:
  void add(KeyEvent event) { waiting_.push_back(event); }
  /// Those that one frame can tell apart: up to one key that goes down, with the modifiers as they
  /// are then, and the characters that it types.
  std::vector<KeyEvent> take();
  bool empty() const { return waiting_.empty(); }

 private:
  std::deque<KeyEvent> waiting_;
};

}  // namespace app
