#include "ui/widgets/theme.hpp"

#include <imgui.h>

#include <cstdint>

namespace ui {

namespace {

plot::Colour rgb(std::uint32_t hex) {
  const auto channel = [hex](int shift) {
    return static_cast<float>((hex >> shift) & 0xff) / 255.0F;
  };
  return {channel(16), channel(8), channel(0), 1};
}

/// A colour of the controls in the dark and in the light theme.
struct ThemeColour {
  plot::Colour Theme::*colour;
  std::uint32_t dark, light;
};
constexpr ThemeColour theme_colours[]{
    {&Theme::panel, 0x1b1f26, 0xf1f3f6},         {&Theme::control, 0x2a303a, 0xdfe3e9},
    {&Theme::control_hover, 0x363e4b, 0xcfd6df}, {&Theme::chosen, 0x2f6ea3, 0x9fcbf0},
    {&Theme::run, 0x1f7a5c, 0x93d5ba},           {&Theme::run_hover, 0x269470, 0x7fcaab},
    {&Theme::stop, 0xa3483b, 0xf1aba0},          {&Theme::stop_hover, 0xbd5849, 0xeb978a},
    {&Theme::warning, 0xf0a35e, 0x9a4d00},       {&Theme::good, 0x3dbd93, 0x11694a},
    {&Theme::track, 0x10131a, 0xe4e8ed},         {&Theme::text_disabled, 0x5c6470, 0xa0a7b0}};

}  // namespace

ImVec4 imgui(plot::Colour c) { return {c.r, c.g, c.b, c.a}; }

Theme theme_of(float scale, bool light) {
  Theme theme;
  if (light) theme.plot = plot::light_style();
  for (const ThemeColour& each : theme_colours)
    theme.*each.colour = rgb(light ? each.light : each.dark);
  theme.scale = scale;
  theme.plot.scale = scale;
  // Those that are the plots' own.
  theme.text = theme.plot.text;
  theme.text_dim = theme.plot.text_dim;
  theme.accent = theme.plot.accent;
  return theme;
}

void apply_to_imgui(const Theme& theme) {
  ImGuiStyle style;
  style.WindowRounding = 0;
  style.WindowBorderSize = 0;
  style.PopupRounding = 5;
  style.FrameRounding = 4;
  style.GrabRounding = 4;
  style.ScrollbarSize = 10;
  style.FramePadding = {8, 4};
  style.ItemSpacing = {8, 6};
  style.WindowPadding = {12, 10};
  style.ScaleAllSizes(theme.scale);
  // The status bar is lower than ImGui's least height; ImGui aborts over less than a pixel.
  style.WindowMinSize = {1, 1};
  const auto set = [&](ImGuiCol slot, plot::Colour colour) { style.Colors[slot] = imgui(colour); };
  set(ImGuiCol_Text, theme.text);
  set(ImGuiCol_TextDisabled, theme.text_disabled);
  set(ImGuiCol_WindowBg, theme.plot.background);
  set(ImGuiCol_PopupBg, theme.panel);
  set(ImGuiCol_Border, theme.control_hover);
  set(ImGuiCol_FrameBg, theme.control);
  set(ImGuiCol_FrameBgHovered, theme.control_hover);
  set(ImGuiCol_FrameBgActive, theme.control_hover);
  set(ImGuiCol_Button, theme.control);
  set(ImGuiCol_ButtonHovered, theme.control_hover);
  set(ImGuiCol_ButtonActive, theme.chosen);
  set(ImGuiCol_Header, theme.control);
  set(ImGuiCol_HeaderHovered, theme.control_hover);
  set(ImGuiCol_HeaderActive, theme.chosen);
  set(ImGuiCol_CheckMark, theme.accent);
  set(ImGuiCol_ScrollbarBg, theme.panel);
  set(ImGuiCol_ScrollbarGrab, theme.control_hover);
  set(ImGuiCol_TextSelectedBg, theme.chosen);
  style.Colors[ImGuiCol_ChildBg] = {0, 0, 0, 0};
  style.Colors[ImGuiCol_ModalWindowDimBg] = {0, 0, 0, 0.55F};
  ImGui::GetStyle() = style;
}

}  // namespace ui
