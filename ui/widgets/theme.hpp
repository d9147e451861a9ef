// Colours and sizes of the window, matched to the plots' dark style.
#pragma once

#include <imgui.h>

#include <cmath>

#include "ui/plot/draw.hpp"

namespace ui {

/// Colours of the controls around the plots.
struct Theme {
  plot::Style plot = plot::dark_style();
  plot::Colour panel, control, control_hover, chosen, run, run_hover, stop, stop_hover, warning,
      good, track;
  plot::Colour text, text_dim, text_disabled, accent;
  float scale = 1;  ///< of the monitor; every size in pixels is multiplied by it

  /// Whole pixels: edges stay sharp at every scale.
  float px(float at_scale_1) const { return std::round(at_scale_1 * scale); }
  double pixels(float at_scale_1) const { return px(at_scale_1); }
};
/// Dark, or `light` for projectors and daylight: the plots as on paper.
Theme theme_of(float scale, bool light);

/// As ImGui writes a colour.
ImVec4 imgui(plot::Colour);

/// Gives ImGui's own widgets the theme's colours and sizes.
void apply_to_imgui(const Theme&);

/// Font sizes of the window at scale 1; the window makes fonts for exactly these.
inline constexpr float small_size = 12;
inline constexpr float text_size = 13;
inline constexpr float title_size = 15;
inline constexpr float huge_size = 25;

}  // namespace ui
