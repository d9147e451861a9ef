// Whatever is pressed, dragged, typed and measured, in whatever order: the window neither crashes
// nor hangs nor loses what was measured. One seed is one stream of events, the same at each run.
#include "tests/screen/monkey.hpp"

#include <doctest/doctest.h>

namespace {

constexpr int events_between_checks = 100;

void play(unsigned seed, int events) {
  CAPTURE(seed);
  monkey::Monkey monkey(seed);
  for (int i = 1; i <= events; ++i) {
    CAPTURE(i);
    monkey.act();
    if (i % events_between_checks == 0) monkey.check();
  }
  monkey.end();
}

}  // namespace

TEST_CASE("ten thousand random events leave the window whole and lose nothing") { play(1, 10'000); }

TEST_CASE("a short stretch of random events leaves the window whole, whatever the seed") {
  for (unsigned seed = 2; seed <= 5; ++seed) play(seed, 500);
}
