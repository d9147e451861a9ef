#include "app/input_queue.hpp"

#include <algorithm>

namespace app {

using Kind = InputEvent::Kind;

namespace {

/// After this nothing but its characters belongs to the same frame.
bool ends_frame(const InputEvent& event) {
  const bool key = event.kind == Kind::key_down && !event.is_modifier;
  return key || event.kind == Kind::button_down || event.kind == Kind::button_up;
}

bool went_down(const std::vector<InputEvent>& taken, int key) {
  return std::any_of(taken.begin(), taken.end(), [&](const InputEvent& earlier) {
    return earlier.kind == Kind::key_down && earlier.key == key;
  });
}

bool moved(const std::vector<InputEvent>& taken) {
  return std::any_of(taken.begin(), taken.end(),
                     [](const InputEvent& earlier) { return earlier.kind == Kind::moved; });
}

}  // namespace

void InputQueue::add(const InputEvent& event) {
  const bool moves_on =
      event.kind == Kind::moved && !waiting_.empty() && waiting_.back().kind == Kind::moved;
  if (moves_on) waiting_.pop_back();
  waiting_.push_back(event);
}

std::vector<InputEvent> InputQueue::take() {
  std::vector<InputEvent> taken;
  bool ended = false;
  while (!waiting_.empty()) {
    const InputEvent& next = waiting_.front();
    if (ended && next.kind != Kind::character) break;
    if (next.kind == Kind::key_up && went_down(taken, next.key)) break;
    // What is dragged follows to where it is let go.
    if (next.kind == Kind::button_up && moved(taken)) break;
    ended = ended || ends_frame(next);
    taken.push_back(next);
    waiting_.pop_front();
  }
  return taken;
}

}  // namespace app
