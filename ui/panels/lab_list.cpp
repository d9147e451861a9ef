#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/labs/lab.hpp"
#include "ui/actions/intents.hpp"
#include "ui/model/availability.hpp"
#include "ui/panels/panels.hpp"

namespace ui {

using engine::Lab;

namespace {

constexpr float start_width = 24;

/// In the order of the list; each once.
std::vector<std::string_view> groups() {
  std::vector<std::string_view> found;
  for (const Lab* lab : engine::labs())
    if (std::ranges::find(found, lab->group) == found.end()) found.push_back(lab->group);
  return found;
}

std::string help_of(const Lab& lab) {
  std::string help = fmt::format("{}\n{}", lab.question, lab.about);
  if (!lab.claim.text.empty())
    help += fmt::format("\nClaim: {} ({})", lab.claim.text, lab.claim.source);
  return help;
}

/// A triangle that starts something, or a square that stops it.
void start_button(Ui& ui, const std::string& name, const plot::Rect& at, bool runs,
                  const std::string& why_not, const char* help,
                  const std::function<void()>& start) {
  const bool clicked = click_area(name, at);
  const bool hovered = ImGui::IsItemHovered();
  report(ui, name, {at, why_not.empty(), runs ? "runs" : ""});
  tip_on_hover(ui, !why_not.empty() ? why_not : runs ? "Stop." : help);
  plot::Colour colour = runs ? ui.theme.stop_hover : ui.theme.run_hover;
  if (!why_not.empty()) colour = ui.theme.text_disabled;
  if (!hovered) colour.a *= 0.75F;
  const double x = at.x + at.w / 2, y = at.y + at.h / 2;
  const double half = ui.theme.pixels(5);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (runs) {
    fill_rect(list, {x - half, y - half, 2 * half, 2 * half}, colour);
  } else {
    list.AddTriangleFilled(vec_of({x - half, y - half}), vec_of({x - half, y + half}),
                           vec_of({x + 1.2 * half, y}), colour_of(colour));
  }
  if (!clicked || !why_not.empty()) return;
  if (runs) {
    stop(ui.state);
  } else {
    start();
  }
}

/// The first line of the list: a tour through all labs.
void all_labs(Ui& ui) {
  const bool runs = ui.state.worker.tour.labs > 0;
  const std::string why_not = why_no_device(ui.state);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const double width = ImGui::GetContentRegionAvail().x;
  const double side = ui.theme.pixels(start_width);
  text(ui, "All labs", small_size, true, ui.theme.text_dim);
  const ImVec2 next = ImGui::GetCursorScreenPos();
  const double middle = (at.y + next.y - ImGui::GetStyle().ItemSpacing.y) / 2;
  const plot::Rect button{at.x + width - side, middle - side / 2, side, side};
  start_button(ui, "labs.run", button, runs, why_not,
               "Run all labs with short settings, in two to three minutes.",
               [&] { run_all_labs(ui.state); });
  ImGui::SetCursorScreenPos({next.x, next.y + ui.theme.px(8)});
}

/// The title; only the lab on screen has its question: all would fill the window twice.
void entry(Ui& ui, const Lab& lab) {
  const bool chosen = &lab == &lab_on_screen(ui.state);
  const float width = ImGui::GetContentRegionAvail().x;
  const float pad = ui.theme.px(8), start = ui.theme.px(start_width);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  ImGui::SetCursorScreenPos({at.x + pad, at.y + ui.theme.px(5)});
  ImGui::BeginGroup();
  text(ui, std::string(lab.title), text_size, chosen, ui.theme.text);
  if (chosen) wrapped(ui, std::string(lab.question), width - 2 * pad, ui.theme.text_dim);
  ImGui::EndGroup();
  const float height = ImGui::GetItemRectMax().y - at.y + ui.theme.px(6);
  const plot::Rect face{at.x, at.y, width, height};
  list.ChannelsSetCurrent(0);
  plot::Rect whole = face;
  const plot::Rect start_at{face.right() - start, face.y, start, start};
  whole.w -= start;
  const std::string name = fmt::format("lab.{}", lab.name);
  bool clicked = click_area(name, whole);
  const bool hovered = ImGui::IsItemHovered();
  report(ui, name, {whole, true, chosen ? "chosen" : ""});
  tip_on_hover(ui, help_of(lab));
  if (enter_clicks(ui, name, whole)) clicked = true;
  if (chosen || hovered)
    fill_rect(list, face, chosen ? ui.theme.control_hover : ui.theme.control, ui.theme.px(5));
  list.ChannelsMerge();
  const Running& running = ui.state.worker.running;
  start_button(ui, name + ".run", start_at, running.sweep && running.lab == lab.name,
               why_no_lab(current_device(ui.state), lab), "Start this lab.",
               [&] { show_lab(ui.state, lab, true); });
  if (clicked) show_lab(ui.state, lab);
  ImGui::SetCursorScreenPos({at.x, at.y + height + ui.theme.px(2)});
}

}  // namespace

bool lists_labs(const Ui& ui) {
  const double scale = ui.theme.scale;
  return places_of(ui.state.look.division, scale, ui.map.width, ui.map.height).labs.w > 0;
}

void draw_lab_list(Ui& ui) {
  ImGui::BeginChild("labs", {0, 0}, false, ImGuiWindowFlags_NoNav);
  all_labs(ui);
  for (const std::string_view group : groups()) {
    text(ui, std::string(group), small_size, true, ui.theme.text_dim);
    for (const Lab* lab : engine::labs())
      if (lab->group == group) entry(ui, *lab);
    ImGui::Dummy({0, ui.theme.px(4)});
  }
  // Below the labs: what leads into them.
  const bool any = !ui.state.documents.exercises.empty();
  const ImVec2 size{ImGui::GetContentRegionAvail().x, ui.theme.px(24)};
  if (button(ui, "exercises", "Exercises", size, any ? "" : "No exercises are installed.",
             "Say what you expect, then measure it."))
    show_exercises(ui.state);
  ImGui::EndChild();
}

}  // namespace ui
