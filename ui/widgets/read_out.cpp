#include <algorithm>

#include "ui/widgets/widgets.hpp"

namespace ui {

namespace {

/// The beginning of the box along one axis: after the pointer, or before it where there only that
/// lies within the figure, or the screen has no room after it.
double beside(double pointer, double away, double length, double low, double high, double screen) {
  const double after = pointer + away, before = pointer - away - length;
  const bool flipped = after + length > screen || (after + length > high && before >= low);
  return std::max(flipped ? before : after, 0.0);
}

}  // namespace

void draw_read_out(Ui& ui, const std::string& title, const std::vector<Reading>& rows,
                   const plot::Rect& frame) {
  ImGuiCanvas canvas(*ImGui::GetForegroundDrawList(), ui.fonts);
  const double scale = ui.theme.plot.scale;
  const double size = ui.theme.pixels(small_size);
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
  const ImVec2 screen = ImGui::GetIO().DisplaySize, pointer = ImGui::GetIO().MousePos;
  const double away = 16 * scale;
  plot::Rect box{0, 0, widest + 2 * pad,
                 static_cast<double>(rows.size()) * line + heading + 2 * pad};
  box.x = beside(pointer.x, away, box.w, frame.x, frame.right(), screen.x);
  box.y = beside(pointer.y, away, box.h, frame.y, frame.bottom(), screen.y);
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  plot::Colour face = ui.theme.panel;
  face.a = 0.96F;
  const float round = ui.theme.px(5);
  fill_rect(list, box, face, round);
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
