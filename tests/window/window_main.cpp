// Tests of the real window need a screen and a hand; where there are none, CTest counts the program
// as skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include "tests/window/display/screen.hpp"

int main(int argc, char** argv) {
  if (const std::string missing = missing_for_window_tests(); !missing.empty()) {
    std::printf("skipped: %s is not installed here (Debian: xvfb, xdotool, util-linux)\n",
                missing.c_str());
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
