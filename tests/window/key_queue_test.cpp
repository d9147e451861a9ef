// Keys that went down and up between two frames, and what each frame is given of them.
#include "app/key_queue.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using app::KeyEvent;
using Kind = KeyEvent::Kind;

constexpr int control = 'C';

void add(app::KeyQueue& queue, Kind kind, int key) {
  queue.add({kind, key, 0, 0, false, key == control, 0});
}

void add_typed(app::KeyQueue& queue, char letter) {
  add(queue, Kind::down, letter);
  queue.add({Kind::character, 0, 0, 0, false, false, static_cast<unsigned int>(letter)});
  add(queue, Kind::up, letter);
}

/// "+a" went down, "-a" went up, "a" was typed.
std::string taken(app::KeyQueue& queue) {
  std::string text;
  for (const KeyEvent& event : queue.take()) {
    if (!text.empty()) text += ' ';
    if (event.kind == Kind::character) {
      text += static_cast<char>(event.character);
    } else {
      text += event.kind == Kind::down ? '+' : '-';
      text += static_cast<char>(event.key);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("a key that goes down and up at once is down for one frame") {
  app::KeyQueue queue;
  add(queue, Kind::down, 'x');
  add(queue, Kind::up, 'x');
  CHECK(taken(queue) == "+x");
  CHECK_FALSE(queue.empty());
  CHECK(taken(queue) == "-x");
  CHECK(queue.empty());
  CHECK(taken(queue).empty());
}

TEST_CASE("Ctrl is down in the frame of the key that it was held for, and in that alone") {
  app::KeyQueue queue;
  add(queue, Kind::down, control);
  add(queue, Kind::down, 'a');
  add(queue, Kind::up, 'a');
  add(queue, Kind::up, control);
  add_typed(queue, 'b');
  CHECK(taken(queue) == "+C +a");
  CHECK(taken(queue) == "-a -C +b b");
  CHECK(taken(queue) == "-b");
}

TEST_CASE("Ctrl that goes down after a key, or up while the key is down, is not seen with the key") {
  app::KeyQueue queue;
  add(queue, Kind::down, 'a');
  add(queue, Kind::down, control);
  add(queue, Kind::up, control);
  add(queue, Kind::down, 'b');
  CHECK(taken(queue) == "+a");
  CHECK(taken(queue) == "+C");
  CHECK(taken(queue) == "-C +b");
}

TEST_CASE("text that comes at once is typed letter by letter, in order") {
  app::KeyQueue queue;
  for (const char letter : std::string("haa")) add_typed(queue, letter);
  CHECK(taken(queue) == "+h h");
  CHECK(taken(queue) == "-h +a a");
  CHECK(taken(queue) == "-a +a a");
  CHECK(taken(queue) == "-a");
}

TEST_CASE("characters without keys, as input methods send them, come together") {
  app::KeyQueue queue;
  for (const char letter : std::string("ok")) {
    queue.add({Kind::character, 0, 0, 0, false, false, static_cast<unsigned int>(letter)});
  }
  CHECK(taken(queue) == "o k");
}
