#include "ui/panels/header.hpp"

#include <array>
#include <cmath>

#include "ui/intents.hpp"
#include "ui/panels/choices.hpp"

namespace ui {

namespace {

void axis_choice(Ui& ui, float right) {
  const float width = ui.theme.px(170);
  const float size = ui.theme.px(small_size);
  const char* words = "Horizontal axis";
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  const float label =
      static_cast<float>(canvas.text_extent(words, static_cast<double>(size), false).x);
  const float gap = ui.theme.px(10);
  ImGui::SameLine(right - width - gap - label);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + std::round((ui.theme.px(24) - size) / 2) - 2);
  text(ui, words, small_size, false, ui.theme.text_dim);
  tip_on_hover(ui, "Of runtime, FLOP/s and bandwidth; the roofline is always over FLOP/byte.");
  ImGui::SameLine(right - width);
  ImGui::SetCursorPosY(ui.theme.px(8));
  const std::array<Choice, 2> choices{{{"repeat", ui.state.view.x == XAxis::repeat, {}, {}},
                                       {"FLOP/byte", ui.state.view.x == XAxis::intensity, {}, {}}}};
  if (const auto clicked = segments(ui, "x", choices, width)) {
    set_x_axis(ui.state, static_cast<XAxis>(*clicked));
  }
}

void search_button(Ui& ui, float right) {
  const float width = ui.theme.px(124);
  ImGui::SameLine(right - width);
  std::string why_not;
  if (current_device(ui.state) == nullptr) why_not = still_looking;
  if (ui.state.running.roofs) why_not = "The roofs are being measured.";
  if (button(ui, "remeasure", "Measure again", {width, ui.theme.px(24)}, why_not)) {
    measure_roofs(ui.state, true);
  }
  tip_on_hover(
      ui,
      "Search the kernel shapes of all roofs anew. Measure all roofs takes the shapes that "
      "an earlier search on this device found.");
}

}  // namespace

void draw_header(Ui& ui) {
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const bool roofs = ui.state.shown == Shown::roofs;
  const std::array<Choice, 2> choices{{{"Sweep", !roofs, {}, {}}, {"Roofs", roofs, {}, {}}}};
  if (const auto clicked = segments(ui, "show", choices, ui.theme.px(180))) {
    show(ui.state, static_cast<Shown>(*clicked));
  }
  if (roofs) {
    search_button(ui, right);
  } else {
    axis_choice(ui, right);
  }
}

}  // namespace ui
