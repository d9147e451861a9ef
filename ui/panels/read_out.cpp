#include "ui/panels/read_out.hpp"

#include <algorithm>

namespace ui {

void draw_read_out(Ui& ui, const std::string& title, const std::vector<Reading>& rows,
                   plot::Vec pointer) {
  ImGuiCanvas canvas(*ImGui::GetForegroundDrawList(), ui.fonts);
  const double scale = ui.theme.plot.scale;
  const double size = static_cast<double>(ui.theme.px(small_size));
  const double line = size + 4 * scale;
  const double pad = 8 * scale;
  const double gap = 12 * scale;
  double labels = 0;
  double values = 0;
  for (const Reading& row : rows) {
    labels = std::max(labels, canvas.text_extent(row.label, size, false).x);
    values = std::max(values, canvas.text_extent(row.value, size, true).x);
  }
  const double heading = title.empty() ? 0 : line;
  const double widest = std::max(labels + gap + values, canvas.text_extent(title, size, true).x);
  plot::Rect box{pointer.x + 16 * scale, pointer.y + 16 * scale, widest + 2 * pad,
                 static_cast<double>(rows.size()) * line + heading + 2 * pad};
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  if (box.right() > static_cast<double>(screen.x)) box.x = pointer.x - 16 * scale - box.w;
  if (box.bottom() > static_cast<double>(screen.y)) box.y = pointer.y - 16 * scale - box.h;
  box.x = std::max(box.x, 0.0);
  box.y = std::max(box.y, 0.0);
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  plot::Colour face = ui.theme.panel;
  face.a = 0.96F;
  const float round = ui.theme.px(5);
  list.AddRectFilled(vec_of({box.x, box.y}), vec_of({box.right(), box.bottom()}), colour_of(face),
                     round);
  list.AddRect(vec_of({box.x, box.y}), vec_of({box.right(), box.bottom()}),
               colour_of(ui.theme.control_hover), round);
  double y = box.y + pad + line / 2;
  if (!title.empty()) {
    canvas.text({box.x + pad, y}, title, size, ui.theme.text, plot::Align::left, 0, true);
    y += line;
  }
  for (const Reading& row : rows) {
    canvas.text({box.x + pad, y}, row.label, size, ui.theme.text_dim, plot::Align::left, 0, false);
    canvas.text({box.right() - pad, y}, row.value, size, ui.theme.text, plot::Align::right, 0,
                true);
    y += line;
  }
}

}  // namespace ui
