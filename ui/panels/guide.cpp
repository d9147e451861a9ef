#include <algorithm>

#include "ui/actions/intents.hpp"
#include "ui/panels/panels.hpp"

namespace ui {

namespace {

constexpr float step_title_line = 24;  // with the buttons
constexpr float next_width = 84;
constexpr float leave_step_width = 24;
constexpr float room_below_step = 8;

}  // namespace

float guide_height(const Ui& ui, const GuideText& words, float width) {
  const float spacing = 3 * ImGui::GetStyle().ItemSpacing.y;
  // As many lines as any sentence of a step takes: what lies below stays where it is.
  const float reserved = (width < ui.theme.px(900) ? 2.0F : 1.0F) * ImGui::GetTextLineHeight();
  return ui.theme.px(step_title_line) + wrapped_height(words.task, width) +
         std::max(reserved, wrapped_height(words.result.sentence, width)) + spacing +
         ui.theme.px(room_below_step);
}

void draw_guide(Ui& ui, const GuideText& words) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = full_width();
  const float right = at.x + width;
  const float next = right - ui.theme.px(leave_step_width + 6 + next_width);
  text_within(ui, words.title, static_cast<double>(next - at.x), text_size, true, ui.theme.accent);
  ui.map.controls["tour"] = {last_item(), true, words.title};
  ImGui::SetCursorScreenPos({next, at.y});
  const bool is_last = ui.state.dialogs.guide->step == guide_steps.back();
  const GuideOutcome outcome = words.result.outcome;
  const bool is_done = outcome == GuideOutcome::done;
  const float line = ui.theme.px(22);
  // What a click changes is seen in the next frame: this one says what it was given.
  const bool goes_on =
      coloured_button(ui, "tour.next",
                      is_last   ? "End (N)"
                      : is_done ? "Next (N)"
                                : "Skip (N)",
                      {ui.theme.px(next_width), line}, is_done ? ui.theme.run : ui.theme.control,
                      is_done ? ui.theme.run_hover : ui.theme.control_hover, {},
                      is_last ? "End the tour." : "Go on to the next step.");
  ImGui::SetCursorScreenPos({right - ui.theme.px(leave_step_width), at.y});
  const bool leaves = button(ui, "tour.leave", "×", {ui.theme.px(leave_step_width), line}, {},
                             "Leave the tour (Escape). Ctrl+P finds it again: Start the tour.");
  ImGui::SetCursorScreenPos({at.x, at.y + ui.theme.px(step_title_line)});
  wrapped(ui, words.task, width, 1e6F, ui.theme.text);
  wrapped(ui, words.result.sentence, width, 1e6F,
          is_done                                ? ui.theme.text
          : outcome == GuideOutcome::cannot_tell ? ui.theme.warning
                                                 : ui.theme.text_dim);
  if (goes_on) next_guide_step(ui.state);
  if (leaves) leave_guide(ui.state);
}

}  // namespace ui
