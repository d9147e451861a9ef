// The whole window without a window system, and the hands of a user who moves, presses and types.
#pragma once

#include <imgui.h>

#include <vector>

#include "tests/screen/headless.hpp"
#include "ui/actions/actions.hpp"
#include "ui/model/app_state.hpp"
#include "ui/views/panel_cache.hpp"
#include "ui/widgets/theme.hpp"
#include "ui/widgets/widgets.hpp"

namespace monkey {

class Screen {
 public:
  Screen();

  void resize(float width, float height) { imgui_.resize({width, height}); }
  /// What the monitor multiplies every pixel by.
  void set_monitor(float scale) { monitor_ = scale; }

  void move(ImVec2 to);
  void hold_button(bool down);
  void turn_wheel(float notches);
  void hold_modifiers(bool ctrl, bool shift);
  /// A key that the window knows, and ImGui where it has one for it.
  void press(ui::KeyPress);
  /// A key of ImGui's text fields alone.
  void press(ImGuiKey);
  void type(unsigned int character);

  /// What was done since the last frame, and all panels.
  void frame(ui::AppState&, double now);

  const ui::UiMap& map() const { return map_; }
  ImVec2 size() const { return imgui_.size(); }
  ImVec2 pointer() const { return pointer_; }

 private:
  void look_as(const ui::AppState&);
  void let_go_of_keys();

  Headless imgui_;
  float monitor_ = 1;
  ui::Theme theme_;
  bool light_ = false;
  float scale_ = 0;  ///< of theme_ and the fonts; 0 = none made yet
  ui::UiMap map_;
  ui::PanelCache panels_;
  ImVec2 pointer_{0, 0};
  std::vector<ui::KeyPress> keys_;
  std::vector<ImGuiKey> held_;
};

}  // namespace monkey
