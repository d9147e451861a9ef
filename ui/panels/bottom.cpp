#include "ui/panels/bottom.hpp"

#include <array>

#include "ui/panels/results.hpp"
#include "ui/panels/verdict.hpp"

namespace ui {

void draw_bottom(Ui& ui) {
  const bool results = ui.state.below == Below::results;
  const std::array<Choice, 2> choices{
      {{"Verdict", !results, {}, {}, "What bounds the point, and what would make it faster."},
       {"Results", results, {}, {}, "All measured points as a table: sort, filter, copy."}}};
  const ImVec2 at = ImGui::GetCursorPos();
  if (const auto clicked = segments(ui, "below", choices, ui.theme.px(150), 20)) {
    ui.state.below = static_cast<Below>(*clicked);
  }
  if (results) draw_results_tools(ui);
  ImGui::SetCursorPos({at.x, at.y + ui.theme.px(26)});
  if (results) {
    draw_results(ui);
  } else {
    draw_verdict(ui);
  }
}

}  // namespace ui
