#include "ui/panels/screen.hpp"

#include <algorithm>
#include <cmath>

#include "ui/imgui_compat.hpp"
#include "ui/intents.hpp"
#include "ui/panels/controls.hpp"
#include "ui/panels/dialogs.hpp"
#include "ui/panels/plots.hpp"
#include "ui/panels/status_bar.hpp"
#include "ui/panels/verdict.hpp"

namespace ui {

namespace {

/// Where the panels lie.
struct Places {
  plot::Rect controls, plots, verdict, status;
};

Places places_of(const Theme& theme, ImVec2 screen) {
  const double left = static_cast<double>(theme.px(268));
  const double bar = static_cast<double>(theme.px(26));
  const double width = static_cast<double>(screen.x);
  const double height = static_cast<double>(screen.y) - bar;
  const double verdict = std::round(std::clamp(height * 0.2, static_cast<double>(theme.px(132)),
                                               static_cast<double>(theme.px(190))));
  return {{0, 0, left, height},
          {left, 0, width - left, height - verdict},
          {left, height - verdict, width - left, verdict},
          {0, height, width, bar}};
}

void panel(Ui& ui, const char* name, const plot::Rect& at, ImVec2 padding, plot::Colour face,
           void (*fill)(Ui&)) {
  if (at.w <= 0 || at.h <= 0) return;
  ImGui::SetNextWindowPos(vec_of({at.x, at.y}));
  ImGui::SetNextWindowSize(vec_of({at.w, at.h}));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      {ui.theme.px(padding.x), ui.theme.px(padding.y)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, colour_of(face));
  ImGui::Begin(name, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
  // Child content keeps the padding; only this window's own edge uses it.
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  fill(ui);
  ImGui::End();
}

void step_cursor(Ui& ui, double factor) {
  const double now = static_cast<double>(ui.state.cursor_repeat);
  const double next = factor > 1 ? std::max(now + 1, std::round(now * factor))
                                 : std::min(now - 1, std::round(now * factor));
  set_cursor(ui.state, static_cast<std::uint64_t>(std::max(1.0, next)), ui.now);
}

void keyboard(Ui& ui) {
  if (ImGui::GetIO().WantTextInput || ui.state.dialog) return;
  if (pressed(ui, Key::o, true)) show_open(ui.state);
  if (pressed(ui, Key::s, true)) show_save(ui.state);
  if (pressed(ui, Key::e, true)) show_export(ui.state);
  if (pressed(ui, Key::plus, true)) magnify(ui.state, 1);
  if (pressed(ui, Key::minus, true)) magnify(ui.state, -1);
  if (pressed(ui, Key::zero, true)) magnify(ui.state, 0);
  constexpr double third_of_octave = 1.2599;
  if (pressed(ui, Key::space)) toggle_run(ui.state);
  if (pressed(ui, Key::left)) step_cursor(ui, 1 / third_of_octave);
  if (pressed(ui, Key::right)) step_cursor(ui, third_of_octave);
  if (pressed(ui, Key::home)) set_cursor(ui.state, 1, ui.now);
  if (pressed(ui, Key::end)) set_cursor(ui.state, kernels::max_repeat, ui.now);
}

}  // namespace

void draw_screen(Ui& ui) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ui.map.width = static_cast<double>(screen.x);
  ui.map.height = static_cast<double>(screen.y);
  ui.map.controls.clear();
  ui.map.plots.clear();
  push_font(ui.fonts.nearest(static_cast<double>(ui.theme.px(text_size)), false).face,
            ui.theme.px(text_size));
  keyboard(ui);
  const Places at = places_of(ui.theme, screen);
  panel(ui, "controls", at.controls, {14, 12}, ui.theme.panel, draw_controls);
  ui.state.view.cursor = cursor_case(ui.state);
  panel(ui, "plots", at.plots, {8, 8}, ui.theme.plot.background, draw_plots);
  panel(ui, "verdict", at.verdict, {18, 12}, ui.theme.panel, draw_verdict);
  panel(ui, "status", at.status, {0, 0}, ui.theme.track, draw_status_bar);
  draw_dialog(ui);
  pop_font();
}

}  // namespace ui
