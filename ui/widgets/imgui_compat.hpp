// The few ImGui calls whose shape changed between 1.86 and 1.92; every other file calls only what
// both have.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ui {

void add_polyline(ImDrawList&, const ImVec2* points, int count, ImU32 colour, bool closed,
                  float width);

/// Makes `font` current until pop_font(), at `size` pixels where the version can.
void push_font(ImFont* font, float size);
void pop_font();

/// Makes the texture of the fonts current, in a list that belongs to no window.
void push_font_texture(ImDrawList&);
/// Another one whenever ImGui itself has moved glyphs within that texture.
std::uint64_t font_texture_number();

/// What lies behind a modal dialog is dim in this frame already: ImGui would fade over frames that
/// a window that draws on events never draws.
void dim_at_once();

/// Clicks the last item in the next frame.
void activate_last_item();

/// Begins a child window without a border, in which the padding of the style holds.
bool begin_padded_child(const char* name, const ImVec2& size, ImGuiWindowFlags);

/// Adds a font with the glyphs that Ridgepoint writes; nullptr when the file is no font.
ImFont* add_font(const std::filesystem::path& file, float size);
/// ImGui's built-in font.
ImFont* add_builtin_font(float size);

/// A filled white circle in the texture of the fonts, in the middle of a square.
struct Disc {
  double radius;          ///< pixels of the texture
  double half_side;       ///< of the square
  ImVec2 uv_min, uv_max;  ///< its corners
};
/// Builds the texture, once every font has been added, with discs of each whole radius up to
/// `largest`, ascending. Versions from 1.92 on, which build it bit by bit, have none.
std::vector<Disc> build_texture_with_discs(int largest);

}  // namespace ui
