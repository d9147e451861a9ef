#include "ui/panels/screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "ui/imgui_compat.hpp"
#include "ui/intents.hpp"
#include "ui/panels/bottom.hpp"
#include "ui/panels/controls.hpp"
#include "ui/panels/dialogs.hpp"
#include "ui/panels/header.hpp"
#include "ui/panels/help.hpp"
#include "ui/panels/inspector.hpp"
#include "ui/panels/plots.hpp"
#include "ui/panels/roofs.hpp"
#include "ui/panels/splitters.hpp"
#include "ui/panels/status_bar.hpp"
#include "ui/results.hpp"

namespace ui {

namespace {

void panel(Ui& ui, const char* name, const plot::Rect& at, ImVec2 padding, plot::Colour face,
           const std::function<void(Ui&)>& fill) {
  if (at.w <= 0 || at.h <= 0) return;
  ImGui::SetNextWindowPos(vec_of({at.x, at.y}));
  ImGui::SetNextWindowSize(vec_of({at.w, at.h}));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      {ui.theme.px(padding.x), ui.theme.px(padding.y)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});  // splitters are thin
  ImGui::PushStyleColor(ImGuiCol_WindowBg, colour_of(face));
  ImGui::Begin(name, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
  // Child content keeps the padding; only this window's own edge uses it.
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
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
  if (presses(ui, Key::b, true) > 0) fold_controls(ui.state);
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
  if (presses(ui, Key::escape) > 0) step_back(ui.state);
  if (presses(ui, Key::f) > 0) fit_axes(ui.state);
  if (presses(ui, Key::k) > 0) lock_axes(ui.state);
  constexpr std::array digits{Key::one, Key::two, Key::three, Key::four};
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (presses(ui, digits[i]) > 0) maximise(ui.state, sweep_panels[i]);
  }
  if (presses(ui, Key::home) > 0) set_cursor(ui.state, 1, ui.now);
  if (presses(ui, Key::end) > 0) set_cursor(ui.state, kernels::max_repeat, ui.now);
}

/// What brings folded controls back.
void draw_fold(Ui& ui, const plot::Rect& at) {
  if (click_area("unfold", at)) fold_controls(ui.state);
  ui.map.controls["unfold"] = {at, true, ""};
  tip_on_hover(ui, "Bring the controls back (Ctrl+B).");
  const plot::Colour ink = ImGui::IsItemHovered() ? ui.theme.text : ui.theme.text_dim;
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts);
  canvas.text({at.x + at.w / 2, at.y + at.h / 2}, "»", static_cast<double>(ui.theme.px(title_size)),
              ink, plot::Align::centre, 0, true);
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
  settle(ui.state);
  const Places at = places_of(ui.state.division, static_cast<double>(ui.theme.scale), ui.map.width,
                              ui.map.height);
  const auto bar = [&](const char* name, Splitter which, const plot::Rect& where) {
    panel(ui, name, where, {0, 0}, ui.theme.plot.background,
          [&](Ui& inside) { splitter(inside, which, where, at); });
  };
  panel(ui, "controls", at.controls, {14, 12}, ui.theme.panel, draw_controls);
  panel(ui, "fold", at.fold, {0, 0}, ui.theme.panel,
        [&](Ui& inside) { draw_fold(inside, at.fold); });
  bar("controls bar", Splitter::controls, at.controls_splitter);
  ui.state.view.cursor = cursor_case(ui.state);
  panel(ui, "header", at.header, {14, 8}, ui.theme.plot.background, draw_header);
  if (ui.state.shown == Shown::roofs) {
    panel(ui, "roofs", at.roofs, {14, 4}, ui.theme.plot.background, draw_roofs);
  } else {
    panel(ui, "plots", at.plots, {8, 2}, ui.theme.plot.background,
          [&](Ui& inside) { draw_plots(inside, at); });
    draw_inspector(ui, at.plots);
    bar("bottom bar", Splitter::bottom, at.bottom_splitter);
    panel(ui, "bottom", at.bottom, {18, 8}, ui.theme.panel, draw_bottom);
  }
  panel(ui, "status", at.status, {0, 0}, ui.theme.track, draw_status_bar);
  draw_dialog(ui);
  draw_help(ui);
  pop_font();
}

}  // namespace ui
