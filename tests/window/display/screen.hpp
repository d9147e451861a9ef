// A screen of its own (Xvfb) with a mouse and a keyboard (xdotool).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"
#include "tests/window/pixels.hpp"

/// What is missing on this machine to test the window; empty = nothing.
std::string missing_for_window_tests();

/// Pixels of a screen: a corner stays free beside the largest window that is tested, 2560x1440.
inline constexpr int screen_width = 2600, screen_height = 1480;

class Screen {
 public:
  /// `more` goes to Xvfb, as {"-extension", "GLX"}.
  explicit Screen(const std::vector<std::string>& more = {});
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  const std::string& display() const { return display_; }
  /// The upper left corner of this size, as a monitor would show it.
  test::Pixels corner(int width, int height) const;
  /// One call of xdotool, to its end.
  void xdotool(const std::vector<std::string>& arguments) const;

 private:
  TemporaryFolder pixels_;
  pid_t pid_ = -1;
  std::string display_;
};
