// What happened to keys and buttons between two frames, and what each frame is given of it.
#include "app/input_queue.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using app::InputEvent;
using Kind = InputEvent::Kind;

constexpr int control = 'C';

void add(app::InputQueue& queue, Kind kind, int key) {
  InputEvent event{kind};
  event.key = key;
  event.is_modifier = key == control;
  queue.add(event);
}

void add_character(app::InputQueue& queue, char letter) {
  InputEvent event{Kind::character};
  event.character = static_cast<unsigned int>(letter);
  queue.add(event);
}

void move_to(app::InputQueue& queue, double x) {
  InputEvent event{Kind::moved};
  event.x = x;
  queue.add(event);
}

void add_typed(app::InputQueue& queue, char letter) {
  add(queue, Kind::key_down, letter);
  add_character(queue, letter);
  add(queue, Kind::key_up, letter);
}

/// "+a" went down, "-a" went up, "a" was typed; "[" a button went down, "]" up; "12" the pointer.
std::string taken(app::InputQueue& queue) {
  std::string text;
  for (const InputEvent& event : queue.take()) {
    if (!text.empty()) text += ' ';
    switch (event.kind) {
      case Kind::key_down:
      case Kind::key_up:
        text += event.kind == Kind::key_down ? '+' : '-';
        text += static_cast<char>(event.key);
        break;
      case Kind::character:
        text += static_cast<char>(event.character);
        break;
      case Kind::moved:
        text += std::to_string(static_cast<int>(event.x));
        break;
      case Kind::button_down:
      case Kind::button_up:
        text += event.kind == Kind::button_down ? '[' : ']';
        break;
    }
  }
  return text;
}

}  // namespace

TEST_CASE("a key that goes down and up at once is down for one frame") {
  app::InputQueue queue;
  add(queue, Kind::key_down, 'x');
  add(queue, Kind::key_up, 'x');
  CHECK(taken(queue) == "+x");
  CHECK_FALSE(queue.empty());
  CHECK(taken(queue) == "-x");
  CHECK(queue.empty());
  CHECK(taken(queue).empty());
}

TEST_CASE("Ctrl is down in the frame of the key that it was held for, and in that alone") {
  app::InputQueue queue;
  add(queue, Kind::key_down, control);
  add(queue, Kind::key_down, 'a');
  add(queue, Kind::key_up, 'a');
  add(queue, Kind::key_up, control);
  add_typed(queue, 'b');
  CHECK(taken(queue) == "+C +a");
  CHECK(taken(queue) == "-a -C +b b");
  CHECK(taken(queue) == "-b");
}

TEST_CASE(
    "Ctrl that goes down after a key, or up while the key is down, is not seen with the key") {
  app::InputQueue queue;
  add(queue, Kind::key_down, 'a');
  add(queue, Kind::key_down, control);
  add(queue, Kind::key_up, control);
  add(queue, Kind::key_down, 'b');
  CHECK(taken(queue) == "+a");
  CHECK(taken(queue) == "+C");
  CHECK(taken(queue) == "-C +b");
}

TEST_CASE("text that comes at once is typed letter by letter, in order") {
  app::InputQueue queue;
  for (const char letter : std::string("haa")) add_typed(queue, letter);
  CHECK(taken(queue) == "+h h");
  CHECK(taken(queue) == "-h +a a");
  CHECK(taken(queue) == "-a +a a");
  CHECK(taken(queue) == "-a");
}

TEST_CASE("characters without keys, as input methods send them, come together") {
  app::InputQueue queue;
  for (const char letter : std::string("ok")) {
    add_character(queue, letter);
  }
  CHECK(taken(queue) == "o k");
}

TEST_CASE("a button goes down where the pointer was then, and up once it is where it has come to") {
  app::InputQueue queue;
  move_to(queue, 10);
  add(queue, Kind::button_down, 0);
  move_to(queue, 20);
  move_to(queue, 30);
  add(queue, Kind::button_up, 0);
  move_to(queue, 40);
  CHECK(taken(queue) == "10 [");
  CHECK(taken(queue) == "30");
  CHECK(taken(queue) == "]");
  CHECK(taken(queue) == "40");
}

TEST_CASE("two clicks at once are two clicks") {
  app::InputQueue queue;
  for (int i = 0; i < 2; ++i) {
    add(queue, Kind::button_down, 0);
    add(queue, Kind::button_up, 0);
  }
  for (int i = 0; i < 2; ++i) {
    CHECK(taken(queue) == "[");
    CHECK(taken(queue) == "]");
  }
  CHECK(queue.empty());
}

TEST_CASE("a key waits for the button before it, and Ctrl is down for the click after it") {
  app::InputQueue queue;
  add(queue, Kind::button_down, 0);
  add_typed(queue, 'a');
  add(queue, Kind::key_down, control);
  add(queue, Kind::button_up, 0);
  CHECK(taken(queue) == "[");
  CHECK(taken(queue) == "+a a");
  CHECK(taken(queue) == "-a +C ]");
}
