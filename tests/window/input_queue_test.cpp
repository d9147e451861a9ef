// What happened to keys, buttons and pointer between two frames, and what each frame is given of
// it.
#include "app/window/input_queue.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using app::InputEvent;
using Kind = InputEvent::Kind;

constexpr int control = 341;  // as GLFW numbers it

class Typist {
 public:
  void down(int key, bool repeated = false) { tell(Kind::key_down, key, repeated); }
  void up(int key) { tell(Kind::key_up, key, false); }
  void press() { tell(Kind::button_down, 0, false); }
  void release() { tell(Kind::button_up, 0, false); }
  void character(char letter) {
    InputEvent event{Kind::character};
    event.character = static_cast<unsigned int>(letter);
    queue_.add(event);
  }
  void type(char letter) {
    down(letter);
    character(letter);
    up(letter);
  }
  void move(double x) { tell_place(Kind::moved, x); }
  void scroll(double x) { tell_place(Kind::scrolled, x); }
  bool holds_press() const { return queue_.holds_press(); }

  /// "+a" went down, "=a" is held, "-a" went up, "a" was typed; "[" a button went down, "]" up;
  /// "12" the pointer, "~1" the wheel; frame by frame.
  std::vector<std::string> frames() {
    std::vector<std::string> all;
    while (!queue_.empty()) {
      std::string frame;
      for (const InputEvent& event : queue_.take()) {
        frame += (frame.empty() ? "" : " ") + text_of(event);
      }
      all.push_back(frame);
    }
    return all;
  }

 private:
  void tell(Kind kind, int key, bool repeated) {
    InputEvent event{kind};
    event.key = key;
    event.repeated = repeated;
    event.is_modifier = key == control;
    queue_.add(event);
  }
  void tell_place(Kind kind, double x) {
    InputEvent event{kind};
    event.x = x;
    queue_.add(event);
  }
  static std::string text_of(const InputEvent& event) {
    const std::string key =
        event.key == control ? "Ctrl" : std::string(1, static_cast<char>(event.key));
    switch (event.kind) {
      case Kind::key_down:
        return (event.repeated ? "=" : "+") + key;
      case Kind::key_up:
        return "-" + key;
      case Kind::character:
        return std::string(1, static_cast<char>(event.character));
      case Kind::moved:
        return std::to_string(static_cast<int>(event.x));
      case Kind::scrolled:
        return "~" + std::to_string(static_cast<int>(event.x));
      case Kind::button_down:
        return "[";
      case Kind::button_up:
        return "]";
      case Kind::focus:
        break;
    }
    return "focus";
  }

  app::InputQueue queue_;
};

using Frames = std::vector<std::string>;

}  // namespace

TEST_CASE("a key that goes down and up at once is down for one frame, each time") {
  Typist typist;
  for (int i = 0; i < 2; ++i) {
    typist.down('x');
    typist.up('x');
  }
  CHECK(typist.holds_press());
  CHECK(typist.frames() == Frames{"+x", "-x", "+x", "-x"});
  CHECK_FALSE(typist.holds_press());
}

TEST_CASE("Ctrl is down in the frame of the key that it was held for, and in that alone") {
  Typist typist;
  typist.down(control);
  typist.down('a');
  typist.up('a');
  typist.up(control);
  typist.type('b');
  CHECK(typist.frames() == Frames{"+Ctrl +a", "-a -Ctrl +b b", "-b"});
}

TEST_CASE(
    "Ctrl that goes down after a key, or up while the key is down, is not seen with the key") {
  Typist typist;
  typist.down('a');
  typist.down(control);
  typist.up(control);
  typist.down('b');
  CHECK(typist.frames() == Frames{"+a", "+Ctrl", "-Ctrl +b"});
}

TEST_CASE("text that comes at once is typed letter by letter, in order") {
  Typist typist;
  for (const char letter : std::string("haa")) typist.type(letter);
  CHECK(typist.frames() == Frames{"+h h", "-h +a a", "-a", "+a a", "-a"});
}

TEST_CASE("characters without keys, as input methods send them, come together") {
  Typist typist;
  typist.character('o');
  typist.character('k');
  CHECK(typist.frames() == Frames{"o k"});
}

TEST_CASE("a key that is held costs no frames, however slow they are") {
  Typist typist;
  typist.down('x');
  for (int i = 0; i < 3; ++i) typist.down('x', true);
  typist.up('x');
  CHECK(typist.frames() == Frames{"+x", "=x =x =x", "-x"});
  typist.down('x', true);
  CHECK_FALSE(typist.holds_press());
}

TEST_CASE("a button goes down where the pointer was then, and up once it is where it has come to") {
  Typist typist;
  typist.move(10);
  typist.press();
  typist.move(20);
  typist.move(30);
  typist.release();
  typist.move(40);
  CHECK(typist.frames() == Frames{"10 [", "30", "]", "40"});
}

TEST_CASE("two clicks at once are two clicks") {
  Typist typist;
  for (int i = 0; i < 2; ++i) {
    typist.press();
    typist.release();
  }
  CHECK(typist.frames() == Frames{"[", "]", "[", "]"});
}

TEST_CASE("the wheel turns where the pointer is then, with the keys that are down then") {
  Typist typist;
  typist.move(10);
  typist.scroll(1);
  typist.scroll(2);
  typist.move(20);
  typist.down(control);
  typist.scroll(-1);
  typist.up(control);
  CHECK(typist.frames() == Frames{"10 ~3", "20 +Ctrl ~-1", "-Ctrl"});
}

TEST_CASE("a key waits for the button before it, and Ctrl is down for the click after it") {
  Typist typist;
  typist.press();
  typist.type('a');
  typist.down(control);
  typist.release();
  CHECK(typist.frames() == Frames{"[", "+a a", "-a +Ctrl ]"});
}

TEST_CASE("shortcuts go by what is written on a key, not by its place") {
  const auto on_french = [](int key, const char* name) {
    return app::labelled_key(key, name, [](char label) {
      return (label >= 'a' && label <= 'z') ||
             std::string_view("-=,;:!$)").find(label) != std::string_view::npos;
    });
  };
  // Z where the US has W, A for Q, a comma for M, signs on the digits.
  CHECK(on_french('W', "z") == 'Z');
  CHECK(on_french('Q', "a") == 'A');
  CHECK(on_french(';', "m") == 'M');
  CHECK(on_french('M', ",") == -1);
  CHECK(on_french('1', "&") == '1');
  CHECK(on_french('0', "\xc3\xa0") == '0');  // a with a grave accent
  CHECK(on_french('6', "-") == '-');
  CHECK(on_french('-', ")") == -1);
  CHECK(on_french('=', "=") == '=');
  // Keys without a label, and the keypad.
  CHECK(on_french(257, nullptr) == 257);
  CHECK(on_french(320, "0") == 320);
  // No other key has the label: German plus, Czech digits, Greek and Hebrew Q, Cyrillic letters.
  const auto on_others = [](int key, const char* name) {
    return app::labelled_key(key, name, [](char label) { return label == '-'; });
  };
  CHECK(on_others(']', "+") == '=');
  CHECK(on_others('1', "+") == '1');
  CHECK(on_others('Q', ";") == 'Q');
  CHECK(on_others('W', "'") == 'W');
  CHECK(on_others('Z', "\xd1\x8f") == 'Z');
}
