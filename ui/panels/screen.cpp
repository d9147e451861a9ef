#include "ui/panels/screen.hpp"

#include <algorithm>
#include <cmath>

#include "ui/imgui_compat.hpp"
#include "ui/intents.hpp"
#include "ui/panels/controls.hpp"
#include "ui/panels/dialogs.hpp"
#include "ui/panels/header.hpp"
#include "ui/panels/help.hpp"
#include "ui/panels/inspector.hpp"
#include "ui/panels/plots.hpp"
#include "ui/panels/roofs.hpp"
#include "ui/panels/status_bar.hpp"
#include "ui/panels/verdict.hpp"

namespace ui {

namespace {

/// Where the panels lie.
struct Places {
  plot::Rect controls, header, plots, roofs, verdict, status;
};

Places places_of(const Theme& theme, ImVec2 screen) {
  const double left = static_cast<double>(theme.px(268));
  const double bar = static_cast<double>(theme.px(26));
  const double width = static_cast<double>(screen.x);
  const double height = static_cast<double>(screen.y) - bar;
  const double verdict = std::round(std::clamp(height * 0.2, static_cast<double>(theme.px(132)),
                                               static_cast<double>(theme.px(190))));
  const double header = static_cast<double>(theme.px(36));
  return {{0, 0, left, height},
          {left, 0, width - left, header},
          {left, header, width - left, height - verdict - header},
          {left, header, width - left, height - header},
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

/// Moves the slider by thirds of an octave, and at least by one.
void step_cursor(Ui& ui, int steps) {
  const double now = static_cast<double>(ui.state.cursor_repeat);
  const double there = std::round(now * std::exp2(steps / 3.0));
  const double next = steps > 0 ? std::max(now + steps, there) : std::min(now + steps, there);
  set_cursor(ui.state, static_cast<std::uint64_t>(std::max(1.0, next)), ui.now);
}

void shortcuts(Ui& ui) {
  if (presses(ui, Key::o, true) > 0) show_open(ui.state);
  if (presses(ui, Key::s, true) > 0) show_save(ui.state);
  if (presses(ui, Key::e, true) > 0) show_export(ui.state);
  if (presses_with_shift(ui, Key::c) > 0) copy_picture(ui.state);
  if (presses(ui, Key::z, true) > 0) undo_clear(ui.state);
  if (presses(ui, Key::l, true) > 0) ui.state.light = !ui.state.light;
  if (const int steps = presses(ui, Key::plus, true) - presses(ui, Key::minus, true); steps != 0) {
    magnify(ui.state, steps);
  }
  if (presses(ui, Key::zero, true) > 0) magnify(ui.state, 0);
}

void keyboard(Ui& ui) {
  if (ImGui::GetIO().WantTextInput || ui.state.dialog) return;
  if (presses(ui, Key::f1) > 0) ui.state.help = !ui.state.help;
  if (ui.state.help) {
    if (presses(ui, Key::escape) > 0) ui.state.help = false;
    return;
  }
  shortcuts(ui);
  for (int i = presses(ui, Key::space); i > 0; --i) toggle_run(ui.state);
  if (const int steps = presses(ui, Key::right) - presses(ui, Key::left); steps != 0) {
    step_cursor(ui, steps);
  }
  if (presses(ui, Key::escape) > 0) ui.state.inspected.reset();
  if (presses(ui, Key::home) > 0) set_cursor(ui.state, 1, ui.now);
  if (presses(ui, Key::end) > 0) set_cursor(ui.state, kernels::max_repeat, ui.now);
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
  panel(ui, "header", at.header, {14, 8}, ui.theme.plot.background, draw_header);
  if (ui.state.shown == Shown::roofs) {
    panel(ui, "roofs", at.roofs, {14, 4}, ui.theme.plot.background, draw_roofs);
  } else {
    panel(ui, "plots", at.plots, {8, 2}, ui.theme.plot.background, draw_plots);
    draw_inspector(ui, at.plots);
    panel(ui, "verdict", at.verdict, {18, 12}, ui.theme.panel, draw_verdict);
  }
  panel(ui, "status", at.status, {0, 0}, ui.theme.track, draw_status_bar);
  draw_dialog(ui);
  draw_help(ui);
  pop_font();
}

}  // namespace ui
