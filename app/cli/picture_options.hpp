// The options that decide how a picture looks, shared by `plot` and `sweep --plot`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/session/session.hpp"
#include "ui/figures/figures.hpp"
#include "ui/plot/output/presets.hpp"

namespace app {

/// As typed.
struct PictureText {
  std::string panel = "all";
  std::optional<std::string> size{};  ///< absent: the preset's
  std::string theme = "light";
  std::string preset = "web";
  std::optional<std::string> scale{};  ///< absent: the preset's
  bool transparent = false;
  bool no_caption = false;
  std::string x_axis = "repeat";
};

/// The largest width and height: above, a PNG takes gigabytes.
inline constexpr int most_pixels = 16384;
/// The largest --scale.
inline constexpr int most_scale = 4;

/// As checked.
struct PictureOptions {
  const engine::Chart* chart = nullptr;  ///< null: all
  ui::XAxis x = ui::XAxis::repeat;
  plot::PictureSpec look;
};

/// Throws Failure (exit code 2) with what was expected.
PictureOptions parse(const PictureText&);

/// By the ending of the file name. Throws Failure (exit code 2) for any other, and for what the
/// format cannot do, as it was typed and checked.
plot::Format picture_format(const std::string& option, const std::string& file_name,
                            const PictureText&, const PictureOptions&);

/// One panel or all of these sessions.
plot::Page page_of(const std::vector<const engine::Session*>&, const PictureOptions&);

}  // namespace app
