#include "app/window/input_queue.hpp"

#include <algorithm>

namespace app {

using Kind = InputEvent::Kind;

namespace {

/// After this nothing but its characters belongs to the same frame.
bool ends_frame(const InputEvent& event) {
  if (event.kind == Kind::key_down) return !event.is_modifier && !event.repeated;
  return event.kind == Kind::button_down || event.kind == Kind::button_up ||
         event.kind == Kind::scrolled;
}

bool contains(const std::vector<InputEvent>& taken, Kind kind, int key) {
  return std::ranges::any_of(
      taken, [&](const InputEvent& earlier) { return earlier.kind == kind && earlier.key == key; });
}

/// Whether a frame that has seen `taken` would not see this.
bool hides(const std::vector<InputEvent>& taken, const InputEvent& next) {
  if (next.kind == Kind::key_down) return !next.repeated && contains(taken, Kind::key_up, next.key);
  if (next.kind == Kind::key_up) return contains(taken, Kind::key_down, next.key);
  return next.kind == Kind::button_up && contains(taken, Kind::moved, 0);
}

}  // namespace

// GLFW numbers printable keys by the ASCII code of what a US keyboard has there.
int labelled_key(int key, const char* name, const std::function<bool(char)>& is_label) {
  constexpr int unknown = -1, last_printable = 126;
  const bool has_label =
      name != nullptr && name[0] > ' ' && name[0] <= last_printable && name[1] == 0;
  if (!has_label || key <= ' ' || key > last_printable) return key;
  const char label = name[0];
  const bool is_digit = key >= '0' && key <= '9';
  if (label >= 'a' && label <= 'z') return label - 'a' + 'A';
  if ((label >= 'A' && label <= 'Z') || (label >= '0' && label <= '9')) return label;
  if (label == '-' || label == '=') return label;
  if (label == '+' && !is_digit) return '=';
  // Another sign. A digit is there with Shift; a letter or sign may have moved to another key.
  const bool is_letter = key >= 'A' && key <= 'Z';
  const auto usual = static_cast<char>(is_letter ? key - 'A' + 'a' : key);
  return !is_digit && is_label(usual) ? unknown : key;
}

bool is_press(const InputEvent& event) {
  const bool key = event.kind == Kind::key_down || event.kind == Kind::key_up;
  const bool button = event.kind == Kind::button_down || event.kind == Kind::button_up;
  return (key || button) && !event.repeated;
}

void InputQueue::add(const InputEvent& event) {
  const bool merges = event.kind == Kind::moved || event.kind == Kind::scrolled;
  if (!merges || waiting_.empty() || waiting_.back().kind != event.kind) {
    waiting_.push_back(event);
    return;
  }
  InputEvent& last = waiting_.back();
  const bool sums = event.kind == Kind::scrolled;
  last.x = event.x + (sums ? last.x : 0);
  last.y = event.y + (sums ? last.y : 0);
}

std::vector<InputEvent> InputQueue::take() {
  std::vector<InputEvent> taken;
  bool ended = false;
  while (!waiting_.empty()) {
    const InputEvent& next = waiting_.front();
    if ((ended && next.kind != Kind::character) || hides(taken, next)) break;
    ended = ended || ends_frame(next);
    taken.push_back(next);
    waiting_.pop_front();
  }
  return taken;
}

bool InputQueue::holds_press() const { return std::ranges::any_of(waiting_, is_press); }

}  // namespace app
