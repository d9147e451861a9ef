#include <fmt/format.h>

#include <iterator>
#include <string>
#include <vector>

#include "kernels/units.hpp"
#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/panels/panels.hpp"

namespace ui {

namespace {

constexpr float pad = 12;  // before the words of a hint, for its bullet
constexpr float gap = 22;  // before the buttons
constexpr float strip_height = 22;
constexpr float close_width = 24;

/// Words behind a bullet, with no face: what has one is a button.
void hint_words(Ui& ui, const std::string& name, const std::string& words, const plot::Rect& at) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  const double middle = at.y + at.h / 2;
  canvas.dot({at.x + ui.theme.pixels(3), middle}, ui.theme.pixels(2), ui.theme.accent);
  text_at(ui, {at.x + ui.theme.pixels(pad), middle}, words, small_size, false, ui.theme.accent);
  ui.map.controls[name] = {at, true, words};
}

/// The cross at the right end of the strip; true when it was clicked.
bool close_strip(Ui& ui, const char* name, ImVec2 right_end, const char* help) {
  const float width = ui.theme.px(close_width);
  ImGui::SetCursorScreenPos({right_end.x - width, right_end.y});
  return button(ui, name, "×", {width, ui.theme.px(strip_height)}, {}, help);
}

/// "recovered cpu 14:05, 12 points"
std::string recovered_words(const std::vector<OpenedFile>& recovered) {
  std::int64_t points = 0;
  for (const OpenedFile& file : recovered) points += std::ssize(file.session->points);
  const std::string what = recovered.size() == 1
                               ? recovered.front().name
                               : fmt::format("{} recovered sessions", recovered.size());
  return fmt::format("A window ended without saving: {}, {}", what,
                     units::counted(points, "point"));
}

}  // namespace

float recovered_height(const Ui& ui) { return ui.theme.px(28); }

void draw_recovered(Ui& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  const float open = ui.theme.px(64);
  const float left = right - ui.theme.px(close_width) - ui.theme.px(6) - open;
  const double size = ui.theme.pixels(small_size);
  const double room = static_cast<double>(left - at.x - ui.theme.px(pad) - ui.theme.px(gap));
  const std::string words = recovered_words(ui.state.documents.recovered);
  hint_words(
      ui, "recovered", elided(ui, words, room, size, false),
      {static_cast<double>(at.x), static_cast<double>(at.y), room, ui.theme.pixels(strip_height)});
  ImGui::SetCursorScreenPos({left, at.y});
  if (button(ui, "recovered.open", "Open", {open, ui.theme.px(strip_height)}, {},
             words + ". Open shows them beside this session."))
    open_recovered(ui.state);
  if (close_strip(ui, "recovered.close", {right, at.y}, "Not now: the next start offers it again."))
    leave_recovered(ui.state);
}

}  // namespace ui
