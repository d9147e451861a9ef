#include <algorithm>
#include <functional>

#include "engine/labs/lab.hpp"
#include "ui/actions/actions.hpp"
#include "ui/actions/intents.hpp"
#include "ui/dialogs/dialogs.hpp"
#include "ui/panels/panels.hpp"
#include "ui/screen/results.hpp"
#include "ui/views/views.hpp"
#include "ui/widgets/imgui_compat.hpp"

namespace ui {

void panel(Ui& ui, const char* name, const plot::Rect& at, ImVec2 padding, plot::Colour face,
           const std::function<void(Ui&)>& fill, bool above) {
  if (at.w <= 0 || at.h <= 0) return;
  ImGui::SetNextWindowPos(vec_of({at.x, at.y}));
  ImGui::SetNextWindowSize(vec_of({at.w, at.h}));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      {ui.theme.px(padding.x), ui.theme.px(padding.y)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});  // splitters are thin
  ImGui::PushStyleColor(ImGuiCol_WindowBg, colour_of(face));
  ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                           ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
  if (!above) flags |= ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::Begin(name, nullptr, flags);
  // Child content keeps the padding; only this window's own edge uses it.
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  fill(ui);
  ImGui::End();
}

namespace {

/// What Escape closes first lies above the rest.
void close_topmost(AppState& state) {
  if (state.look.presenting) {
    present(state);
  } else if (state.dialogs.log) {
    toggle_log(state);
  } else if (state.look.comparing || state.look.inspected || state.look.maximised) {
    step_back(state);
  } else if (state.dialogs.exercise) {
    leave_exercise(state);
  } else {
    leave_guide(state);
  }
}

/// Keys that speak to the control that Tab has chosen; false: to the window.
bool is_of_control(Ui& ui, KeyPress key) {
  KeyFocus& keys = ui.state.look.keys;
  if (key.key == Key::tab && !key.ctrl) {
    move_focus(ui, key.shift ? -1 : 1);
    return true;
  }
  if (std::ranges::find(ui.map.focusable, keys.control) == ui.map.focusable.end())
    keys.control.clear();
  if (keys.control.empty() || key.ctrl) return false;
  if (key.key == Key::escape) {
    keys = {};
    return true;
  }
  const auto control = ui.map.controls.find(keys.control);
  const bool slides = control != ui.map.controls.end() && control->second.slides;
  if (slides) {
    if (key.key == Key::left) --keys.steps;
    if (key.key == Key::right) ++keys.steps;
    return key.key == Key::left || key.key == Key::right;
  }
  if (key.key != Key::enter) return false;
  keys.click = true;
  keys.shift = key.shift;
  return true;
}

/// Keys while a list is open, which has Escape itself.
void move_in_list(Ui& ui, KeyPress key) {
  if (key.key == Key::down || key.key == Key::up)
    move_focus(ui, key.key == Key::down ? 1 : -1);
  else if (key.key != Key::escape)
    is_of_control(ui, key);
}

void keyboard(Ui& ui) {
  AppState& state = ui.state;
  state.look.keys.click = state.look.keys.moved = false;
  state.look.keys.steps = 0;
  for (const KeyPress& key : ui.keys) {
    // One of them may open what takes the keys after it. A field that is gone wants text for one
    // frame more, without being active.
    if ((ImGui::GetIO().WantTextInput && ImGui::IsAnyItemActive()) || state.dialogs.file ||
        state.dialogs.palette || state.dialogs.closing)
      return;
    if (state.dialogs.help) {
      if (key.key == Key::escape || key.key == Key::f1) state.dialogs.help = false;
      continue;
    }
    if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) {
      move_in_list(ui, key);
      continue;
    }
    state.look.keys.opened.clear();  // the list is closed, and may be gone
    if (is_of_control(ui, key)) continue;
    if (key.key == Key::escape) {
      close_topmost(state);
    } else {
      press(state, key, ui.now);
    }
  }
}

/// What brings folded controls back.
void draw_fold(Ui& ui, const plot::Rect& at) {
  if (click_area("unfold", at)) fold_controls(ui.state);
  ui.map.controls["unfold"] = {at, true, ""};
  tip_on_hover(ui, "Show the controls (Ctrl+B).");
  const plot::Colour colour = ImGui::IsItemHovered() ? ui.theme.text : ui.theme.text_dim;
  text_at(ui, {at.x + at.w / 2, at.y + at.h / 2}, "»", title_size, true, colour,
          plot::Align::centre);
}

/// The log lies over what stands below the plots; over the lower end of the roofs.
plot::Rect place_of_log(const Ui& ui, const Places& at) {
  if (!lab_on_screen(ui.state).lists_roofs && !ui.state.look.comparing) return at.bottom;
  const double height = std::min(ui.theme.pixels(210), at.roofs.h / 2);
  return {at.roofs.x, at.roofs.bottom() - height, at.roofs.w, height};
}

/// Controls, charts, and what they mean.
void draw_workplace(Ui& ui) {
  Places at = places_of(ui.state.look.division, ui.theme.scale, ui.map.width, ui.map.height);
  const bool comparing = ui.state.look.comparing.has_value();
  const bool roofs = lab_on_screen(ui.state).lists_roofs && !comparing;
  plot::Rect& middle = roofs || comparing ? at.roofs : at.plots;
  const auto bar = [&](const char* name, Splitter which, const plot::Rect& where) {
    panel(ui, name, where, {0, 0}, ui.theme.plot.background,
          [&](Ui& inside) { splitter(inside, which, where, at); });
  };
  panel(ui, "list", at.labs, {8, 10}, ui.theme.track, draw_lab_list);
  panel(ui, "controls", at.controls, {14, 12}, ui.theme.panel, draw_controls);
  panel(ui, "fold", at.fold, {0, 0}, ui.theme.panel,
        [&](Ui& inside) { draw_fold(inside, at.fold); });
  bar("controls bar", Splitter::controls, at.controls_splitter);
  panel(ui, "header", at.header, {14, 8}, ui.theme.plot.background, draw_header);
  draw_strip(ui, middle);
  if (comparing) {
    panel(ui, "compare", at.roofs, {14, 4}, ui.theme.plot.background, draw_comparison);
  } else if (roofs) {
    panel(ui, "roofs", at.roofs, {14, 4}, ui.theme.plot.background, draw_roofs);
  } else {
    panel(ui, "plots", at.plots, {8, 2}, ui.theme.plot.background,
          [&](Ui& inside) { draw_plots(inside, at); });
    draw_inspector(ui, at.plots);
    bar("bottom bar", Splitter::bottom, at.bottom_splitter);
    panel(ui, "bottom", at.bottom, {18, 8}, ui.theme.panel, draw_bottom);
  }
  panel(ui, "status", at.status, {0, 0}, ui.theme.track, draw_status_bar);
  draw_log(ui, place_of_log(ui, at));
}

}  // namespace

void draw_screen(Ui& ui) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ui.map.width = screen.x;
  ui.map.height = screen.y;
  push_font(ui.fonts.nearest(ui.theme.pixels(text_size), false).face, ui.theme.px(text_size));
  keyboard(ui);
  ui.map.controls.clear();
  ui.map.focusable.clear();
  ui.map.plots.clear();
  ui.map.legend.clear();
  settle(ui.state);
  if (ui.state.look.presenting) {
    draw_presentation(ui);
  } else {
    draw_workplace(ui);
  }
  draw_dialog(ui);
  draw_help(ui);
  draw_close_question(ui);
  draw_palette(ui);
  forget_left_tip(ui);
  pop_font();
}

}  // namespace ui
