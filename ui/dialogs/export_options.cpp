#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "ui/dialogs/dialogs.hpp"
#include "ui/figures/comparison.hpp"
#include "ui/screen/limits.hpp"
#include "ui/views/panel_cache.hpp"

namespace ui {

namespace {

/// The charts of the lab on screen, then the memory levels.
std::vector<engine::Chart> charts_offered(const AppState& state) {
  const std::vector<const engine::Session*> sessions = sessions_shown(state);
  const engine::Lab& lab = lab_on_screen(state);
  std::vector<engine::Chart> charts{chart_with(engine::Overlay::ridge)};
  if (!lab.lists_roofs) charts = charts_of(lab, sessions);
  charts.push_back(chart_with(engine::Overlay::capacities));
  std::ranges::stable_partition(charts, [](const engine::Chart& chart) { return !chart.apart; });
  return charts;
}

void chart_choice(Ui& ui, float width) {
  if (ui.state.look.comparing) {
    caption(ui, "What", "The comparison: both ratios, and both sides on the same axes.", width);
    segments(ui, "export.panel", std::array<Choice, 1>{{{"comparison", true}}}, width);
    return;
  }
  const std::vector<engine::Chart> charts = charts_offered(ui.state);
  const auto shown = sessions_shown(ui.state);
  std::optional<std::string>& chosen = ui.state.dialogs.exporting.chart;
  std::vector<Choice> choices{{"all", !chosen}};
  for (const engine::Chart& chart : charts) {
    // A sweep can be measured while the dialog is open.
    const bool there =
        !chart.envelope || std::ranges::any_of(shown, [&](const engine::Session* session) {
          return has_points(*session, chart);
        });
    choices.push_back({std::string(chart.id),
                       chosen == chart.id,
                       {},
                       there ? "" : "No level curve yet: measure all roofs."});
  }
  caption(ui, "What", "All plots on one page, or one plot alone.", width);
  if (const auto clicked = segments(ui, "export.panel", choices, width)) {
    chosen.reset();
    if (*clicked > 0) chosen = charts[*clicked - 1].id;
  }
}

/// A page of HTML is as large as the window of its reader, and in the colours of that system.
constexpr const char* not_of_html = "A page of HTML follows its reader's window and colours.";

bool is_html(const FileDialog& dialog) { return dialog.format == plot::Format::html; }

void preset_choice(Ui& ui, const FileDialog& dialog, float width) {
  const std::string why_not = is_html(dialog) ? not_of_html : "";
  plot::PictureSpec& look = ui.state.dialogs.exporting.look;
  std::vector<Choice> choices;
  for (const plot::Preset& preset : plot::presets())
    choices.push_back({std::string(preset.name), look.preset == &preset, {}, why_not});
  if (const auto clicked = segments(ui, "export.preset", choices, width)) {
    look.preset = &plot::presets()[*clicked];
    look.size.reset();
    look.scale.reset();
  }
}

void side_field(Ui& ui, const char* name, double& side, bool enabled, float width) {
  const int least = ui.state.dialogs.exporting.look.preset->least_side();
  ImGui::SetNextItemWidth(width);
  const std::string id = std::string("##") + name;
  int whole = static_cast<int>(std::lround(side));
  const float padding = (ui.theme.px(24) - ImGui::GetFontSize()) / 2;  // as high as the choices
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.theme.px(8), padding});
  ImGui::BeginDisabled(!enabled);
  ImGui::InputInt(id.c_str(), &whole, 0, 0, ImGuiInputTextFlags_AutoSelectAll);
  ImGui::EndDisabled();
  ImGui::PopStyleVar();
  if (ImGui::IsItemEdited()) side = whole;
  if (ImGui::IsItemDeactivatedAfterEdit()) side = std::clamp(whole, least, largest_side);
  ui.map.controls[name] = {last_item(), enabled, std::to_string(whole), ImGui::IsItemActive()};
}

void size_fields(Ui& ui, const FileDialog& dialog, float width) {
  ExportOptions& exporting = ui.state.dialogs.exporting;
  const std::size_t figures = ui.state.look.comparing
                                  ? compared_panels.size()
                                  : charts_to_export(ui.state, exporting.chart).size();
  const plot::PictureSize before = plot::size_of(exporting.look, figures);
  plot::PictureSize size = before;
  const float left = ImGui::GetCursorPosX(), gap = ui.theme.px(6);
  const float side = std::floor((width - gap) / 2);
  side_field(ui, "export.width", size.width, !is_html(dialog), side);
  ImGui::SameLine(left + side + gap);
  side_field(ui, "export.height", size.height, !is_html(dialog), side);
  if (size != before) exporting.look.size = size;
}

void format_choice(Ui& ui, FileDialog& dialog, float width) {
  constexpr std::array names{"PNG", "SVG", "PDF", "HTML"};  // in the order of plot::Format
  std::array<Choice, names.size()> choices;
  for (std::size_t i = 0; i < names.size(); ++i)
    choices[i] = {names[i], dialog.format == static_cast<plot::Format>(i)};
  choices[3].help = "A page that shows values under the pointer and zooms, for any browser.";
  if (const auto clicked = segments(ui, "export.format", choices, width))
    set_format(dialog, static_cast<plot::Format>(*clicked));
}

void theme_choice(Ui& ui, const FileDialog& dialog, float width) {
  plot::Theme& theme = ui.state.dialogs.exporting.look.theme;
  std::array<Choice, plot::theme_names.size()> choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto own = static_cast<plot::Theme>(i);
    const bool grey = own == plot::Theme::bw;
    choices[i] = {grey ? "black/white" : std::string(plot::theme_names[i]),
                  theme == own,
                  {},
                  grey && is_html(dialog) ? not_of_html : ""};
  }
  if (is_html(dialog)) choices[0].help = "Light or dark, as the reader's system is.";
  if (const auto clicked = segments(ui, "export.theme", choices, width))
    theme = static_cast<plot::Theme>(*clicked);
}

void scale_choice(Ui& ui, const FileDialog& dialog, float width) {
  plot::PictureSpec& look = ui.state.dialogs.exporting.look;
  const std::string why_not =
      dialog.format == plot::Format::png ? "" : "SVG, PDF and HTML are sharp at any size.";
  std::array<Choice, 4> choices;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const double scale = static_cast<double>(i + 1);
    choices[i] = {std::to_string(i + 1) + "x", plot::scale_of(look) == scale, {}, why_not};
  }
  if (const auto clicked = segments(ui, "export.scale", choices, width))
    look.scale = static_cast<double>(*clicked + 1);
}

/// The heading of the picture: what was measured, in words of one's own, or none.
void title_choice(Ui& ui, FileDialog& dialog, float width) {
  plot::PictureSpec& look = ui.state.dialogs.exporting.look;
  const float left = ImGui::GetCursorPosX(), gap = ui.theme.px(6), side = ui.theme.px(64);
  caption(ui, "Title", "Above the plots; empty: what was measured.", width);
  ImGui::BeginDisabled(!look.title);
  ImGui::SetNextItemWidth(width - side - gap);
  const float padding = (ui.theme.px(24) - ImGui::GetFontSize()) / 2;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.theme.px(8), padding});
  const std::string usual = ui.panels.preview.page.title;
  std::string typed = dialog.title;
  if (ImGui::InputTextWithHint("##heading", usual.c_str(), &typed,
                               ImGuiInputTextFlags_AutoSelectAll))
    dialog.title = as_title(typed);
  ImGui::PopStyleVar();
  ui.map.controls["export.heading"] = {last_item(), look.title, dialog.title,
                                       ImGui::IsItemActive()};
  ImGui::EndDisabled();
  ImGui::SameLine(left + width - side);
  const std::array<Choice, 1> shown{{{"shown", look.title, "A title above the plots."}}};
  if (segments(ui, "export.title", shown, side)) look.title = !look.title;
}

/// What stands around the figures, and beside the picture; each is on or off.
void extras_choice(Ui& ui, const FileDialog& dialog, float width) {
  ExportOptions& exporting = ui.state.dialogs.exporting;
  const plot::PictureSpec& look = exporting.look;
  const std::array<Choice, 3> choices{
      {{"caption", look.caption, "Device, date and conditions below the plots."},
       {"transparent", look.transparent, "No background behind the plots.",
        is_html(dialog) ? not_of_html : ""},
       {"table (.csv)", exporting.data, "The plotted numbers as a CSV file next to it."}}};
  const std::array<bool*, 3> values{&exporting.look.caption, &exporting.look.transparent,
                                    &exporting.data};
  if (const auto clicked = segments(ui, "export.with", choices, width))
    *values[*clicked] = !*values[*clicked];
}

/// A caption above each of two controls side by side.
void captions(Ui& ui, const char* first, const char* second, const std::string& value,
              std::array<float, 2> widths, float gap) {
  const float left = ImGui::GetCursorPosX();
  caption(ui, first, {}, widths[0]);
  ImGui::SameLine(left + widths[0] + gap);
  caption(ui, second, {}, widths[1], value);
}

std::string dots_text(const plot::PictureSpec& look) {
  if (look.scale || !look.preset->printed) return {};
  return std::to_string(std::lround(look.preset->dots_per_inch())) + " dpi";
}

}  // namespace

void draw_export_options(Ui& ui, FileDialog& dialog, float width) {
  const plot::PictureSpec& look = ui.state.dialogs.exporting.look;
  const float left = ImGui::GetCursorPosX(), gap = ui.theme.px(14);
  const float wide = std::floor(0.6F * (width - gap)), narrow = width - gap - wide;
  const float half = std::floor((width - gap) / 2);
  chart_choice(ui, width);
  title_choice(ui, dialog, width);
  captions(ui, "For", look.preset->printed ? "Width × height, points" : "Width × height", {},
           {wide, narrow}, gap);
  preset_choice(ui, dialog, wide);
  ImGui::SameLine(left + wide + gap);
  size_fields(ui, dialog, narrow);
  captions(ui, "Format", "PNG resolution", dots_text(look), {half, half}, gap);
  format_choice(ui, dialog, half);
  ImGui::SameLine(left + half + gap);
  scale_choice(ui, dialog, half);
  captions(ui, "Colours", "With", {}, {half, half}, gap);
  theme_choice(ui, dialog, half);
  ImGui::SameLine(left + half + gap);
  extras_choice(ui, dialog, half);
}

}  // namespace ui
