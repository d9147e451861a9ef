// What keyboard and mouse did, as the window system told it, handed over frame by frame. ImGui 1.86
// reads the state of keys, buttons and pointer once per frame: a key that goes down and up between
// two frames, as keys do over remote desktops and where frames are slow, would not be seen at all,
// and a press would be taken to where the pointer has gone since.
#pragma once

#include <deque>
#include <functional>
#include <vector>

namespace app {

/// One thing that the window system told.
struct InputEvent {
  enum class Kind { key_down, key_up, character, moved, scrolled, button_down, button_up, focus };
  Kind kind = Kind::moved;
  int key = 0;    ///< of GLFW: the key or the mouse button
  int label = 0;  ///< keys: labelled_key()
  int scancode = 0;
  int modifiers = 0;           ///< of GLFW
  bool repeated = false;       ///< a key that is held
  bool is_modifier = false;    ///< Ctrl, Shift, Alt, Super
  bool focused = false;        ///< focus: gained
  unsigned int character = 0;  ///< Unicode
  double x = 0, y = 0;         ///< moved: screen coordinates; scrolled: steps of the wheel
  double time = 0;             ///< s of any clock; button_down alone
};

/// In the order in which they were told. Nothing is lost but places that the pointer only passed,
/// and steps of the wheel at one place are one.
class InputQueue {
 public:
  void add(const InputEvent&);
  /// Those that one frame can tell apart: up to one key that goes down, with the modifiers as they
  /// are then and the characters that it types, or one button or turn of the wheel, with the
  /// pointer where it is then. A button goes up in the frame after that in which the pointer came
  /// there, so that what is dragged follows. Keys that are held do not end a frame.
  std::vector<InputEvent> take();
  bool empty() const { return waiting_.empty(); }
  /// Whether a key or a button that goes down or up still waits.
  bool holds_press() const;

 private:
  std::deque<InputEvent> waiting_;
};

/// GLFW names keys by their place on a US keyboard; shortcuts go by what is written on them. The
/// key that has that label in the US: `name` is what glfwGetKeyName() says of `key`, and `is_label`
/// tells whether that is written on any key. A key whose usual label is on no key stays what it is
/// by place (Greek Q), and so do those without a Latin label, and digits that need Shift.
int labelled_key(int key, const char* name, const std::function<bool(char)>& is_label);

/// A key that is held is one press.
bool is_press(const InputEvent&);

}  // namespace app
