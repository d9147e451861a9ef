#include <fmt/chrono.h>
#include <fmt/format.h>

#include "ui/actions/intents.hpp"
#include "ui/panels/panels.hpp"

namespace ui {

namespace {

std::string time_of_day(std::int64_t time) {
  return fmt::format("{:%H:%M:%S}", fmt::localtime(static_cast<std::time_t>(time)));
}

std::string as_text(const Notice& notice) {
  return fmt::format("{}  {}\n", time_of_day(notice.time), notice.text);
}

std::string as_text(const std::vector<Notice>& notices) {
  std::string all;
  for (const Notice& notice : notices) all += as_text(notice);
  return all;
}

void buttons(Ui& ui, float width) {
  const float left = ImGui::GetCursorPosX();
  const ImVec2 size{ui.theme.px(84), ui.theme.px(24)};
  text(ui, "Log", title_size, true, ui.theme.text);
  ImGui::SameLine(left + width - 2 * size.x - ui.theme.px(8));
  if (button(ui, "log.copy", "Copy all", size, {}, "Copy every line to the clipboard.")) {
    copy_text(ui, as_text(ui.state.notices), "Copied the log.");
  }
  ImGui::SameLine(left + width - size.x);
  if (button(ui, "log.close", "Close", size, {}, "Close the log (Ctrl+J or Escape).")) {
    toggle_log(ui.state);
  }
}

/// True when it was clicked.
bool entry(Ui& ui, const Notice& notice, float width) {
  const float times = ui.theme.px(66);
  const float left = ImGui::GetCursorPosX();
  ImGui::BeginGroup();
  text(ui, time_of_day(notice.time), text_size, false, ui.theme.text_disabled);
  ImGui::SameLine(left + times);
  ImGui::BeginGroup();
  wrapped(ui, notice.text, width - times, notice.warning ? ui.theme.warning : ui.theme.text);
  ImGui::EndGroup();
  ImGui::EndGroup();
  tip_on_hover(ui, "Click to copy this line.");
  return ImGui::IsItemClicked();
}

void entries(Ui& ui) {
  ImGui::BeginChild("##entries");
  const float width = ImGui::GetContentRegionAvail().x - ui.theme.px(6);
  const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY();
  std::string clicked;
  for (const Notice& notice : ui.state.notices) {
    if (entry(ui, notice, width)) clicked = as_text(notice);
  }
  // What is said now comes into sight, unless the user reads further up.
  if (at_end) ImGui::SetScrollHereY(1);
  ImGui::EndChild();
  if (!clicked.empty()) copy_text(ui, clicked, "Copied the line.");
}

}  // namespace

void draw_log(Ui& ui, const plot::Rect& at) {
  if (!ui.state.dialogs.log) return;
  const auto fill = [&](Ui& inside) {
    const ImVec2 corner = vec_of({at.x, at.y}), right = vec_of({at.right(), at.y});
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect(corner, vec_of({at.right(), at.bottom()}));  // its own is padded
    list.AddLine(corner, right, colour_of(inside.theme.control_hover), inside.theme.px(1));
    list.PopClipRect();
    buttons(inside, full_width());
    entries(inside);
  };
  panel(ui, "log", at, {18, 12}, ui.theme.track, fill, true);
}

}  // namespace ui
