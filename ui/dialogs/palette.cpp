#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "ui/actions/actions.hpp"
#include "ui/dialogs/dialogs.hpp"

namespace ui {

namespace {

constexpr float width_of_palette = 560;
constexpr float rows_in_sight = 12;

void typed_field(Ui& ui, float width) {
  std::string typed = ui.state.dialogs.palette->typed;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(width);
  if (ImGui::InputTextWithHint("##typed", "Type what you want to do", &typed)) {
    type_in_palette(ui.state, typed);
  }
  ui.map.controls["palette.typed"] = {last_item(), true, typed, ImGui::IsItemActive()};
}

/// True when the row is clicked.
bool draw_row(Ui& ui, const Action& action, bool selected, const plot::Rect& place) {
  const bool clicked = click_area("##" + action.name, place);
  report_row(ui, "palette." + action.name, action.chosen ? "chosen" : "");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (selected || ImGui::IsItemHovered()) {
    fill_rect(list, place, selected ? ui.theme.chosen : ui.theme.control_hover, ui.theme.px(3));
  }
  const bool possible = action.why_not.empty();
  const plot::Colour colour = possible   ? ui.theme.text
                              : selected ? ui.theme.text_dim
                                         : ui.theme.text_disabled;
  const double pad = ui.theme.pixels(8);
  const double width = place.w - 2 * pad;
  const double title = possible ? width - ui.theme.pixels(120) : width * 0.5;
  draw_cell(ui, place, {pad, title, action.title, colour});
  const std::string right = !possible ? action.why_not : action.chosen ? "chosen" : keys_of(action);
  draw_cell(ui, place, {pad + title, width - title, right, ui.theme.text_dim, false, true});
  return clicked && possible;
}

void rows(Ui& ui, const std::vector<Action>& all, float width, bool moved) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ui.theme.px(row_height) * rows_in_sight;
  std::optional<std::size_t> clicked;
  const std::size_t selected = ui.state.dialogs.palette->selected;
  list_rows(ui, "##rows", {at.x, at.y, width, height}, all.size(),
            [&](std::size_t i, const plot::Rect& place) {
              if (draw_row(ui, all[i], i == selected, place)) clicked = i;
              if (i == selected && moved && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
            });
  if (!clicked) return;
  ui.state.dialogs.palette->selected = *clicked;
  run_from_palette(ui.state, ui.now);
}

/// All of the reason, which its row may cut off.
void reason(Ui& ui, const std::vector<Action>& all, float width) {
  const float height = 2 * ImGui::GetTextLineHeightWithSpacing();
  const float top = ImGui::GetCursorPosY();
  const std::size_t selected = ui.state.dialogs.palette->selected;
  const std::string words = all.empty()             ? "No matching command."
                            : selected < all.size() ? all[selected].why_not
                                                    : std::string();
  wrapped(ui, words, width, ui.theme.warning, height);
  ImGui::SetCursorPosY(top + height);
}

void fill_palette(Ui& ui) {
  const float width =
      std::min(ui.theme.px(width_of_palette), ImGui::GetIO().DisplaySize.x - ui.theme.px(60));
  typed_field(ui, width);
  const int steps = presses(ui, Key::down) - presses(ui, Key::up);
  move_in_palette(ui.state, steps);
  const std::vector<Action> all = palette_rows(ui.state);
  rows(ui, all, width, steps != 0);
  if (ui.state.dialogs.palette) reason(ui, all, width);
  if (presses(ui, Key::escape) > 0) {
    ui.state.dialogs.palette.reset();
  } else if (presses(ui, Key::enter) > 0) {
    run_from_palette(ui.state, ui.now);
  }
  ui.keys = {};  // none is left for what the action opens
}

}  // namespace

void draw_palette(Ui& ui) {
  modal(
      ui, "##palette", [&] { return ui.state.dialogs.palette.has_value(); },
      [&] { fill_palette(ui); }, {14, 14}, 60);
}

}  // namespace ui
