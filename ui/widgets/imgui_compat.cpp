#include "ui/widgets/imgui_compat.hpp"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>

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

void dim_at_once() { ImGui::GetCurrentContext()->DimBgRatio = 1; }

void activate_last_item() {
#if IMGUI_VERSION_NUM >= 18970
  ImGui::ActivateItemByID(ImGui::GetItemID());
#else
  ImGui::ActivateItem(ImGui::GetItemID());
#endif
}

bool begin_padded_child(const char* name, const ImVec2& size, ImGuiWindowFlags flags) {
#if IMGUI_VERSION_NUM >= 19000
  return ImGui::BeginChild(name, size, ImGuiChildFlags_AlwaysUseWindowPadding, flags);
#else
  return ImGui::BeginChild(name, size, false, flags | ImGuiWindowFlags_AlwaysUseWindowPadding);
#endif
}

ImFont* add_font(const std::filesystem::path& file, float size) {
  // Latin with accents, Greek, punctuation, superscripts, arrows, comparison and geometric signs.
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

#if IMGUI_VERSION_NUM >= 19200

std::vector<Disc> build_texture_with_discs(int) { return {}; }

#else

namespace {

/// The share of each pixel that a circle covers, in the texture's part for it.
void paint_disc(const ImFontAtlas& atlas, const ImFontAtlasCustomRect& part, double radius) {
  const double middle = part.Width / 2.0;
  for (int y = 0; y < part.Height; ++y) {
    unsigned char* row = atlas.TexPixelsAlpha8 + (part.Y + y) * atlas.TexWidth + part.X;
    for (int x = 0; x < part.Width; ++x) {
      const double distance = std::hypot(x + 0.5 - middle, y + 0.5 - middle);
      const double covered = std::clamp(radius + 0.5 - distance, 0.0, 1.0);
      row[x] = static_cast<unsigned char>(std::lround(255 * covered));
    }
  }
}

}  // namespace

std::vector<Disc> build_texture_with_discs(int largest) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  constexpr int margin = 2;  // clear pixels around each, for smooth edges
  std::vector<int> parts;
  for (int radius = 1; radius <= largest; ++radius) {
    const int side = 2 * (radius + margin);
    parts.push_back(atlas.AddCustomRectRegular(side, side));
  }
  atlas.Build();
  std::vector<Disc> discs;
  for (const int index : parts) {
    const ImFontAtlasCustomRect& part = *atlas.GetCustomRectByIndex(index);
    const double half_side = part.Width / 2.0;
    Disc& disc = discs.emplace_back(Disc{half_side - margin, half_side, {}, {}});
    atlas.CalcCustomRectUV(&part, &disc.uv_min, &disc.uv_max);
    paint_disc(atlas, part, disc.radius);
  }
  return discs;
}

#endif

}  // namespace ui
