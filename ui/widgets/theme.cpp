#include "ui/widgets/theme.hpp"

#include <imgui.h>

#include <cstdint>
#include <utility>

namespace ui {

namespace {

plot::Colour rgb(std::uint32_t hex) {
  const auto channel = [hex](int shift) {
    return static_cast<float>((hex >> shift) & 0xff) / 255.0F;
  };
  return {channel(16), channel(8), channel(0), 1};
}

/// With the colours that are the plots' own.
Theme at(float scale, Theme theme) {
  theme.scale = scale;
  theme.plot.scale = static_cast<double>(scale);
  theme.text = theme.plot.text;
  theme.text_dim = theme.plot.text_dim;
  theme.accent = theme.plot.accent;
  return theme;
}

}  // namespace

ImVec4 imgui(plot::Colour c) { return {c.r, c.g, c.b, c.a}; }

Theme dark_theme(float scale) {
  Theme theme;
  theme.panel = rgb(0x1b1f26);
  theme.control = rgb(0x2a303a);
  theme.control_hover = rgb(0x363e4b);
  theme.chosen = rgb(0x2f6ea3);
  theme.run = rgb(0x1f7a5c);
  theme.run_hover = rgb(0x269470);
  theme.stop = rgb(0xa3483b);
  theme.stop_hover = rgb(0xbd5849);
  theme.warning = rgb(0xf0a35e);
  theme.good = rgb(0x3dbd93);
  theme.track = rgb(0x10131a);
  theme.text_disabled = rgb(0x5c6470);
  return at(scale, std::move(theme));
}

Theme light_theme(float scale) {
  Theme theme;
  theme.plot = plot::light_style();
  theme.panel = rgb(0xf1f3f6);
  theme.control = rgb(0xdfe3e9);
  theme.control_hover = rgb(0xcfd6df);
  theme.chosen = rgb(0x9fcbf0);
  theme.run = rgb(0x93d5ba);
  theme.run_hover = rgb(0x7fcaab);
  theme.stop = rgb(0xf1aba0);
  theme.stop_hover = rgb(0xeb978a);
  theme.warning = rgb(0x9a4d00);
  theme.good = rgb(0x11694a);
  theme.track = rgb(0xe4e8ed);
  theme.text_disabled = rgb(0xa0a7b0);
  return at(scale, std::move(theme));
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
