#include "app/key_queue.hpp"

#include <algorithm>

namespace app {

std::vector<KeyEvent> KeyQueue::take() {
  std::vector<KeyEvent> taken;
  bool typed = false;  // a key went down: the frame is to see the modifiers that it has now
  const auto went_down = [&](const KeyEvent& event) {
    return std::any_of(taken.begin(), taken.end(), [&](const KeyEvent& earlier) {
      return earlier.kind == KeyEvent::Kind::down && earlier.key == event.key;
    });
  };
  while (!waiting_.empty()) {
    const KeyEvent& next = waiting_.front();
    if (typed && next.kind != KeyEvent::Kind::character) break;
    if (next.kind == KeyEvent::Kind::up && went_down(next)) break;
    typed = typed || (next.kind == KeyEvent::Kind::down && !next.is_modifier);
    taken.push_back(next);
    waiting_.pop_front();
  }
  return taken;
}

}  // namespace app
