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
  const double room = static_cast<double>(left - at.x - ui.theme.px(pad) - ui.theme.px(gap));
  const std::string words = recovered_words(ui.state.documents.recovered);
  const std::string shown = elided(ui, words, room, ui.theme.pixels(small_size), false);
  // Behind a bullet, with no face: what has one is a button.
  const plot::Rect place{at.x, at.y, room, ui.theme.pixels(strip_height)};
  const double middle = place.y + place.h / 2;
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  canvas.dot({place.x + ui.theme.pixels(3), middle}, ui.theme.pixels(2), ui.theme.accent);
  text_at(ui, {place.x + ui.theme.pixels(pad), middle}, shown, small_size, false, ui.theme.accent);
  ui.map.controls["recovered"] = {place, true, shown};
  ImGui::SetCursorScreenPos({left, at.y});
  if (button(ui, "recovered.open", "Open", {open, ui.theme.px(strip_height)}, {},
             words + ". Open shows them beside this session."))
    open_recovered(ui.state);
  const float close = ui.theme.px(close_width);
  ImGui::SetCursorScreenPos({right - close, at.y});
  if (button(ui, "recovered.close", "×", {close, ui.theme.px(strip_height)}, {},
             "Not now: the next start offers it again."))
    leave_recovered(ui.state);
}

}  // namespace ui
