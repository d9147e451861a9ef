#include "ui/panels/screen.hpp"

#include <algorithm>
#include <cmath>

#include "ui/actions.hpp"
#include "ui/imgui_compat.hpp"
#include "ui/intents.hpp"
#include "ui/panels/close_question.hpp"
#include "ui/panels/controls.hpp"
#include "ui/panels/dialogs.hpp"
#include "ui/panels/header.hpp"
#include "ui/panels/help.hpp"
#include "ui/panels/inspector.hpp"
#include "ui/panels/log.hpp"
#include "ui/panels/palette.hpp"
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

/// What Escape closes first lies above the rest.
void close_topmost(AppState& state) {
  if (state.log) {
    toggle_log(state);
  } else {
    state.inspected.reset();
  }
}

void keyboard(Ui& ui) {
  AppState& state = ui.state;
  for (const KeyPress& key : ui.keys) {
    // One of them may open what takes the keys after it.
    if (ImGui::GetIO().WantTextInput || state.dialog || state.palette || state.closing) return;
    if (state.help) {
      if (key.key == Key::escape || key.key == Key::f1) state.help = false;
    } else if (key.key == Key::escape) {
      close_topmost(state);
    } else {
      press(state, key, ui.now);
    }
  }
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
  draw_log(ui, at.roofs);
  draw_dialog(ui);
  draw_help(ui);
  draw_close_question(ui);
  draw_palette(ui);
  pop_font();
}

}  // namespace ui
