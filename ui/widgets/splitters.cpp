#include <array>
#include <string>

#include "ui/widgets/widgets.hpp"

namespace ui {

namespace {

/// As the map calls them.
constexpr std::array<const char*, 4> splitter_names{"splitter.controls", "splitter.bottom",
                                                    "splitter.column", "splitter.row"};

/// A line in the middle of the bar, so that the eye finds what the hand holds.
void highlight(Ui& ui, const plot::Rect& bar, bool sideways) {
  const double thick = ui.theme.pixels(2);
  const plot::Rect line = sideways ? plot::Rect{bar.x + (bar.w - thick) / 2, bar.y, thick, bar.h}
                                   : plot::Rect{bar.x, bar.y + (bar.h - thick) / 2, bar.w, thick};
  fill_rect(*ImGui::GetWindowDrawList(), line, ui.theme.chosen);
}

}  // namespace

void splitter(Ui& ui, Splitter which, const plot::Rect& where, const Places& places) {
  if (where.w <= 0 || where.h <= 0) return;
  const std::string name = splitter_names.at(static_cast<std::size_t>(which));
  click_area(name, where);
  ui.map.controls[name] = {where, true, ""};
  const bool sideways = which == Splitter::controls || which == Splitter::column;
  const bool held = ImGui::IsItemActive();
  if (!held && !ImGui::IsItemHovered()) return;
  ImGui::SetMouseCursor(sideways ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  highlight(ui, where, sideways);
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    reset_splitter(ui.state.look.division, which);
  } else if (held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1.0F)) {
    const ImVec2 at = ImGui::GetIO().MousePos;
    move_splitter(ui.state.look.division, which, ui.theme.scale, places, {at.x, at.y});
  }
}

}  // namespace ui
