#include "ui/imgui_compat.hpp"

#include <array>

namespace ui {

void add_polyline(ImDrawList& list, const ImVec2* points, int count, ImU32 colour, bool closed,
                  float width) {
  const ImDrawFlags flags = closed ? ImDrawFlags_Closed : ImDrawFlags_None;
#if IMGUI_VERSION_NUM >= 19280
  list.AddPolyline(points, count, colour, width, flags);
#else
  list.AddPolyline(points, count, colour, flags, width);
#endif
}

void push_font(ImFont* font, float size) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font, size);
#else
  static_cast<void>(size);  // baked into the font
  ImGui::PushFont(font);
#endif
}

void pop_font() { ImGui::PopFont(); }

void push_font_texture(ImDrawList& list) {
#if IMGUI_VERSION_NUM >= 19200
  list.PushTexture(ImGui::GetIO().Fonts->TexRef);
#else
  list.PushTextureID(ImGui::GetIO().Fonts->TexID);
#endif
}

std::uint64_t font_texture_number() {
#if IMGUI_VERSION_NUM >= 19200
  const ImTextureData* texture = ImGui::GetIO().Fonts->TexData;
  return texture != nullptr ? static_cast<std::uint64_t>(texture->UniqueID) : 0;
#else
  return 0;  // built once, when the fonts are made
#endif
}

ImFont* add_font(const std::filesystem::path& file, float size) {
  // Latin with accents, Greek, dashes and quotes, superscripts, arrows, comparison signs, geometric
  // marks.
  static constexpr std::array<ImWchar, 17> ranges{0x0020, 0x017f, 0x0370, 0x03ff, 0x2010, 0x2027,
                                                  0x2030, 0x205e, 0x2070, 0x209f, 0x2190, 0x21ff,
                                                  0x2200, 0x22ff, 0x25a0, 0x25ff, 0};
  ImFontConfig config;
  config.OversampleH = 2;
  return ImGui::GetIO().Fonts->AddFontFromFileTTF(file.c_str(), size, &config, ranges.data());
}

ImFont* add_builtin_font(float size) {
  ImFontConfig config;
  config.SizePixels = size;
  return ImGui::GetIO().Fonts->AddFontDefault(&config);
}

}  // namespace ui
