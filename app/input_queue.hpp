// What keyboard and mouse did, as the window system told it, handed over frame by frame. ImGui 1.86
// reads the state of keys, buttons and pointer once per frame: a key that goes down and up between
// two frames, as keys do over remote desktops and where frames are slow, would not be seen at all,
// and a press would be taken to where the pointer has gone since.
#pragma once

#include <deque>
#include <vector>

namespace app {

/// One thing that the window system told.
struct InputEvent {
  enum class Kind { key_down, key_up, character, moved, button_down, button_up };
  Kind kind = Kind::moved;
  int key = 0;  ///< of GLFW: the key or the mouse button
  int scancode = 0;
  int modifiers = 0;           ///< of GLFW
  bool repeated = false;       ///< a key that is held
  bool is_modifier = false;    ///< Ctrl, Shift, Alt, Super
  unsigned int character = 0;  ///< Unicode
  double x = 0, y = 0;         ///< of the pointer, screen coordinates; moved alone
};

/// In the order in which they were told. Nothing is lost but places that the pointer only passed.
class InputQueue {
 public:
  void add(const InputEvent&);
  /// Those that one frame can tell apart: up to one key that goes down, with the modifiers as they
  /// are then and the characters that it types, or one button, with the pointer where it is then.
  std::vector<InputEvent> take();
  bool empty() const { return waiting_.empty(); }

 private:
  std::deque<InputEvent> waiting_;
};

}  // namespace app
