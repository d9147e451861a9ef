#include "tests/screen/monkey_screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "app/window/window.hpp"
#include "ui/panels/panels.hpp"

namespace monkey {

namespace {

constexpr float largest_scale = 2.57F;  // that a monitor of 2560 x 1440 lets the window have

/// ImGui up to 1.91 is told which keys are down, from 1.92 on which have changed.
void tell_key(ImGuiKey key, bool down) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::GetIO().AddKeyEvent(key, down);
#else
  ImGui::GetIO().KeysDown[key] = down;
#endif
}

void tell_modifiers(bool ctrl, bool shift) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 19200
  io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, shift);
#else
  io.KeyCtrl = ctrl;
  io.KeyShift = shift;
#endif
}

void name_keys() {
#if IMGUI_VERSION_NUM < 19200
  for (int key = 0; key < ImGuiKey_COUNT; ++key) ImGui::GetIO().KeyMap[key] = key;
#endif
}

std::optional<ImGuiKey> imgui_key(ui::Key key) {
  static constexpr std::array known{
      std::pair{ui::Key{' '}, ImGuiKey_Space},      std::pair{ui::Key::enter, ImGuiKey_Enter},
      std::pair{ui::Key::escape, ImGuiKey_Escape},  std::pair{ui::Key::tab, ImGuiKey_Tab},
      std::pair{ui::Key::left, ImGuiKey_LeftArrow}, std::pair{ui::Key::right, ImGuiKey_RightArrow},
      std::pair{ui::Key::up, ImGuiKey_UpArrow},     std::pair{ui::Key::down, ImGuiKey_DownArrow},
      std::pair{ui::Key::home, ImGuiKey_Home},      std::pair{ui::Key::end, ImGuiKey_End},
      std::pair{ui::Key{'C'}, ImGuiKey_C},          std::pair{ui::Key{'Z'}, ImGuiKey_Z}};
  for (const auto& [ours, theirs] : known) {
    if (ours == key) return theirs;
  }
  return std::nullopt;
}

}  // namespace

Screen::Screen() : imgui_({1280, 800}) {
  ImGui::GetIO().ConfigInputTextCursorBlink = false;
  name_keys();
}

void Screen::move(ImVec2 to) { ImGui::GetIO().MousePos = pointer_ = to; }

void Screen::hold_button(bool down) { ImGui::GetIO().MouseDown[ImGuiMouseButton_Left] = down; }

void Screen::turn_wheel(float notches) { ImGui::GetIO().MouseWheel = notches; }

void Screen::hold_modifiers(bool ctrl, bool shift) { tell_modifiers(ctrl, shift); }

void Screen::press(ui::KeyPress key) {
  keys_.push_back(key);
  if (const auto theirs = imgui_key(key.key)) press(*theirs);
}

void Screen::press(ImGuiKey key) {
  held_.push_back(key);
  tell_key(key, true);
}

void Screen::type(unsigned int character) { ImGui::GetIO().AddInputCharacter(character); }

void Screen::frame(ui::AppState& state, double now) {
  look_as(state);
  const std::vector<ui::KeyPress> keys = std::exchange(keys_, {});
  imgui_.frame([&] {
    ui::Ui ui{state, theme_, imgui_.fonts(), map_, panels_, keys, now};
    ui::draw_screen(ui);
  });
  ++map_.frame;
  let_go_of_keys();
}

void Screen::look_as(const ui::AppState& state) {
  const float usual =
      std::min(monitor_ * static_cast<float>(state.look.magnification), largest_scale);
  const float scale =
      usual * (state.look.presenting ? static_cast<float>(ui::presented_type) : 1.0F);
  if (scale == scale_ && state.look.light == light_) return;
  theme_ = ui::theme_of(scale, state.look.light);
  if (scale != scale_) imgui_.use(app::make_fonts(scale));
  scale_ = scale;
  light_ = state.look.light;
  ui::apply_to_imgui(theme_);
}

void Screen::let_go_of_keys() {
  for (const ImGuiKey key : std::exchange(held_, {})) tell_key(key, false);
}

}  // namespace monkey
