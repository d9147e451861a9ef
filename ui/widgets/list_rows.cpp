// Lists that scroll: a child window of equal rows, drawn with the plots' text.
#include "ui/widgets/widgets.hpp"

namespace ui {

void list_rows(Ui& ui, const char* name, const plot::Rect& where, std::size_t count,
               const std::function<void(std::size_t, const plot::Rect&)>& row) {
  ImGui::SetCursorScreenPos(vec_of({where.x, where.y}));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild(name, vec_of({where.w, where.h}), false, ImGuiWindowFlags_NoNav);
  const float height = ui.theme.px(row_height);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(count), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const float y = origin.y + static_cast<float>(i) * height;
      row(static_cast<std::size_t>(i), {origin.x, y, width, height});
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void draw_cell(Ui& ui, const plot::Rect& row, const Cell& cell) {
  const std::string shown =
      elided(ui, cell.text, cell.width, ui.theme.pixels(text_size), cell.bold);
  const double x = row.x + cell.x + (cell.right ? cell.width : 0);
  text_at(ui, {x, row.y + row.h / 2}, shown, text_size, cell.bold, cell.colour,
          cell.right ? plot::Align::right : plot::Align::left);
}

void report_row(Ui& ui, const std::string& name, const std::string& value) {
  const plot::Rect item = last_item();
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const plot::Rect window{at.x, at.y, size.x, size.y};
  const bool whole = window.contains({item.x, item.y}) && window.contains({item.x, item.bottom()});
  if (whole) ui.map.controls[name] = {item, true, value};
}

}  // namespace ui
