// The options that decide how a picture looks, shared by `plot` and `sweep --plot`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/session.hpp"
#include "ui/figures.hpp"
#include "ui/plot/picture.hpp"

namespace app {

/// As typed.
struct PictureText {
  std::string panel = "all";
  std::string size = "1600x1000";
  std::string theme = "light";
};

/// Limits of width and height in pixels: below, labels do not fit; above, a PNG takes gigabytes.
inline constexpr int least_pixels = 200;
inline constexpr int most_pixels = 16384;

/// As checked.
struct PictureOptions {
  std::optional<ui::Panel> panel;  ///< absent: all
  int width = 1600;
  int height = 1000;
  bool dark = false;
};

/// Throws Failure (exit code 2) with what was expected.
PictureOptions parse(const PictureText&);

/// By the ending of the file name. Throws Failure (exit code 2) for any other.
plot::Format picture_format(const std::string& option, const std::string& file_name);

/// The bytes of the picture of these sessions.
std::string picture_of(const std::vector<const engine::Session*>&, const PictureOptions&,
                       plot::Format);

}  // namespace app
