// Canvas on an ImGui draw list, and the fonts and dots of its texture. Knows no window and no
// OpenGL.
#pragma once

#include <imgui.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "ui/model/versioned.hpp"
#include "ui/plot/canvas.hpp"
#include "ui/widgets/imgui_compat.hpp"

namespace ui {

/// One face at one size in pixels.
struct Font {
  ImFont* face = nullptr;
  double size = 0;
  bool bold = false;
};

/// The fonts at hand; fonts made for a size are sharpest at it.
class Fonts {
 public:
  void add(Font font) { fonts_.edit().push_back(font); }
  /// The font of this weight whose size is nearest; any weight when there is none.
  Font nearest(double size, bool bold) const;

  /// The one whose letters are all as wide; that of other texts where there is none.
  void set_monospace(Font font) { monospace_ = font; }
  Font monospace() const { return monospace_.face != nullptr ? monospace_ : nearest(0, false); }

  /// As build_texture_with_discs() returns them.
  void set_discs(std::vector<Disc> discs) { discs_.edit() = std::move(discs); }
  /// The one that looks best at this radius; null when there is none.
  const Disc* disc(double radius) const;

  /// Equal for equal fonts and discs at equal places of equal textures.
  using Version = std::array<std::uint64_t, 3>;
  Version version() const { return {fonts_.version(), discs_.version(), font_texture_number()}; }

 private:
  Versioned<std::vector<Font>> fonts_;
  Versioned<std::vector<Disc>> discs_;
  Font monospace_;
};

ImVec2 vec_of(plot::Vec);
ImU32 colour_of(plot::Colour);
void fill_rect(ImDrawList&, const plot::Rect&, plot::Colour, float rounding = 0);

class ImGuiCanvas final : public plot::Canvas {
 public:
  ImGuiCanvas(ImDrawList& list, const Fonts& fonts) : list_(list), fonts_(fonts) {}

  void path(std::span<const plot::Vec>, plot::Colour, double width, plot::Dash,
            bool closed) override;
  void fill(std::span<const plot::Vec>, plot::Colour) override;
  void dot(plot::Vec, double radius, plot::Colour) override;
  void text(plot::Vec, std::string_view, double size, plot::Colour, plot::Align, double angle,
            bool bold) override;
  plot::Vec text_extent(std::string_view, double size, bool bold) override;
  void push_clip(const plot::Rect&) override;
  void pop_clip() override;

 private:
  void line(std::span<const plot::Vec>, ImU32, double width, bool closed);
  /// `phase` is where in the pattern of on and off they begin.
  void dashes(std::span<const plot::Vec>, ImU32, double width, double on, double off, bool closed,
              double phase = 0);

  ImDrawList& list_;
  const Fonts& fonts_;
  std::vector<ImVec2> points_;  // reused, so that a frame does not allocate per stroke
};

}  // namespace ui
