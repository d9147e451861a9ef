// The few ImGui calls whose shape changed between 1.86 and 1.92; every other file calls only what
// both have.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <filesystem>

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

/// Adds a font with the glyphs that Ridgepoint writes (superscripts, µ, ×, dashes); nullptr when
/// the file is no font.
ImFont* add_font(const std::filesystem::path& file, float size);
/// ImGui's built-in font.
ImFont* add_builtin_font(float size);

}  // namespace ui
