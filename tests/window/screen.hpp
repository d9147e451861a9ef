// A screen of its own (Xvfb) with a mouse and a keyboard (xdotool).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

/// What is missing on this machine to test the window; empty = nothing.
std::string missing_for_window_tests();

class Screen {
 public:
  /// `more` goes to Xvfb, as {"-extension", "GLX"}.
  explicit Screen(const std::vector<std::string>& more = {});
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  const std::string& display() const { return display_; }
  /// Different colours in the upper left corner of this size, as a monitor would show them.
  std::size_t colours(int width, int height) const;
  /// Writes the upper left corner of this size as a PNG.
  void save_picture(const std::string& path, int width, int height) const;
  /// One call of xdotool, to its end.
  void xdotool(const std::vector<std::string>& arguments) const;

 private:
  /// The corner's pixels, row by row: 0x00RRGGBB.
  std::vector<std::uint32_t> corner(int width, int height) const;

  TemporaryFolder pixels_;
  pid_t pid_ = -1;
  std::string display_;
};
