// Lists that unfold, for the mouse and for the keyboard.
#include <fmt/format.h>

#include "ui/widgets/imgui_compat.hpp"
#include "ui/widgets/widgets.hpp"

namespace ui {

namespace {

/// The list is closed: Enter opens it, and it gets the keys back that its rows had.
void take_keys(Ui& ui, const std::string& name) {
  KeyFocus& keys = ui.state.look.keys;
  if (keys.opened == name) {
    keys.control = name;
    keys.opened.clear();
  }
  if (!enter_clicks(ui, name, last_item())) return;
  activate_last_item();
  keys.opened = name;
}

/// Whether it is open: its rows and ImGui::EndCombo() follow.
bool begin_menu(Ui& ui, const Menu& menu) {
  ImGui::SetNextItemWidth(menu.width);
  const float padding = (ui.theme.px(24) - ImGui::GetFontSize()) / 2;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.theme.px(8), padding});
  const double arrow = ui.theme.pixels(24), edges = ui.theme.pixels(16);
  const std::string fits =
      elided(ui, menu.shown, menu.width - arrow - edges, ui.theme.pixels(text_size), false);
  const bool open =
      ImGui::BeginCombo(("##" + menu.name).c_str(), fits.c_str(), ImGuiComboFlags_HeightLarge);
  ImGui::PopStyleVar();
  if (open) {
    if (presses(ui, Key::escape) > 0) {
      ImGui::CloseCurrentPopup();
      ui.keys = {};  // nothing around the list is to close with it
    }
    return true;
  }
  report(ui, menu.name, {last_item(), menu.enabled, menu.value.value_or(menu.shown)});
  tip_on_hover(ui, menu.help);
  if (menu.enabled) take_keys(ui, menu.name);
  return false;
}

/// True when it is clicked, or chosen with Enter.
bool take_row(Ui& ui, const MenuRow& row) {
  if (!row.enabled) {
    ImGui::Selectable(row.label.c_str(), false, ImGuiSelectableFlags_Disabled);
    tip_on_hover(ui, row.help);
    return false;
  }
  const bool clicked =
      ImGui::Selectable(fmt::format("{}##{}", row.label, row.name).c_str(), row.chosen);
  ui.map.controls[row.name] = {last_item(), true, row.value};
  const bool chosen_by_key = enter_clicks(ui, row.name, last_item());
  if (chosen_by_key) ImGui::CloseCurrentPopup();
  tip_on_hover(ui, row.help);
  return clicked || chosen_by_key;
}

}  // namespace

std::optional<std::size_t> menu(Ui& ui, const Menu& menu,
                                const std::function<std::vector<MenuRow>()>& make_rows) {
  std::optional<std::size_t> taken;
  if (!begin_menu(ui, menu)) return taken;
  const std::vector<MenuRow> rows = make_rows();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (take_row(ui, rows[i])) taken = i;
  ImGui::EndCombo();
  return taken;
}

}  // namespace ui
