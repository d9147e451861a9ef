#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "engine/labs/lab.hpp"
#include "kernels/units.hpp"
#include "ui/actions/actions.hpp"
#include "ui/actions/intents.hpp"
#include "ui/figures/parts.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/model/availability.hpp"
#include "ui/panels/panels.hpp"
#include "ui/screen/progress.hpp"

namespace ui {

using engine::Place;

namespace {

std::vector<MenuRow> device_rows(const AppState& state) {
  std::vector<MenuRow> rows;
  for (const Place& device : state.worker.devices) {
    const std::string& id = device.info.id;
    const bool chosen = id == state.spec.device;
    rows.push_back({"device." + id, fmt::format("{}: {}", id, device.info.name), chosen,
                    chosen ? "chosen" : ""});
  }
  for (const kernels::Unavailable& missing : state.worker.unavailable)
    rows.push_back({.name = {}, .label = missing.id, .help = missing.why, .enabled = false});
  return rows;
}

void device_choice(Ui& ui) {
  const Place* device = current_device(ui.state);
  // Beside an opened file it must not look as if the file were of this device.
  caption(ui, is_view_only(ui.state) ? "This machine" : "Device", knob_help("device"), full_width(),
          "Ctrl+P: commands · F1: keys", false);
  const std::string shown = device != nullptr ? device->info.name : "Looking for devices...";
  ImGui::BeginDisabled(device == nullptr);
  const auto taken = menu(ui,
                          {.name = "device",
                           .shown = shown,
                           .width = full_width(),
                           .help = shown,
                           .value = ui.state.spec.device,
                           .enabled = device != nullptr},
                          [&] { return device_rows(ui.state); });
  ImGui::EndDisabled();
  if (taken) set_device(ui.state, ui.state.worker.devices[*taken].info.id, ui.now);
}

void run_button(Ui& ui) {
  const bool runs = ui.state.worker.running.sweep;
  const std::string label = runs                     ? stop_text(ui.state) + "  (Space)"
                            : is_view_only(ui.state) ? "Measure this machine  (Space)"
                                                     : "Run  (Space)";
  const std::string why_not =
      runs ? "" : why_no_lab(current_device(ui.state), lab_on_screen(ui.state));
  if (coloured_button(ui, "run", label, {full_width(), ui.theme.px(32)},
                      runs ? ui.theme.stop : ui.theme.run,
                      runs ? ui.theme.stop_hover : ui.theme.run_hover, why_not))
    toggle_run(ui.state);
}

/// The actions of one kind as entries of a row: "both" of "fusion.both".
std::vector<Choice> entries(std::span<const Action> actions, const std::string& help) {
  std::vector<Choice> choices;
  for (const Action& action : actions) {
    const std::string label = action.name.substr(action.name.find('.') + 1);
    choices.push_back({label, action.chosen, help, action.why_not});
  }
  return choices;
}

void row(Ui& ui, const char* kind, std::string_view knob, float width) {
  const std::vector<Action> actions = choices_of(ui.state, kind);
  if (const auto clicked = segments(ui, kind, entries(actions, knob_help(knob)), width))
    actions[*clicked].act(ui.state, ui.now);
}

/// Those that the device has, and those that are chosen all the same.
std::vector<Action> shown_dtypes(const AppState& state) {
  std::vector<Action> all = choices_of(state, "dtype");
  const engine::Place* device = current_device(state);
  if (device == nullptr) return all;
  std::erase_if(all, [&](const Action& action) {
    const auto dtype = kernels::dtype_named(action.name.substr(action.name.find('.') + 1));
    return !action.chosen && dtype && !why_never(*device, *dtype).empty();
  });
  return all;
}

void workload_choice(Ui& ui) {
  const float left = ImGui::GetCursorPosX();
  const float width = full_width();
  const float gap = ui.theme.px(10);
  const float first = std::round((width - gap) * 0.42F);
  caption(ui, "Kernel", knob_help("kernel"), first);
  ImGui::SameLine(left + first + gap);
  caption(ui, "Op", knob_help("op"), width - first - gap);
  row(ui, "family", "kernel", first);
  ImGui::SameLine(left + first + gap);
  row(ui, "op", "op", width - first - gap);
}

void dtype_choice(Ui& ui) {
  caption(ui, "Element types", knob_help("dtype"), full_width());
  constexpr std::size_t per_row = 4;
  const std::vector<Action> actions = shown_dtypes(ui.state);
  std::vector<Choice> choices = entries(actions, knob_help("dtype"));
  const auto& colours = ui.theme.plot.series_colours;
  for (Choice& choice : choices)
    if (const auto dtype = kernels::dtype_named(choice.label))
      choice.mark = colours[static_cast<std::size_t>(colour_of(*dtype)) % colours.size()];
  float top = ImGui::GetCursorPosY();
  std::size_t before = 0;
  for (const std::size_t count : in_rows(choices.size(), per_row)) {
    ImGui::SetCursorPosY(top);
    const auto row = std::span(choices).subspan(before, count);
    if (const auto clicked = segments(ui, "dtype", row, full_width())) {
      actions[before + *clicked].act(ui.state, ui.now);
      return;  // the choices are out of date
    }
    before += count;
    top += ui.theme.px(24) + 1;
  }
}

void knob_choice(Ui& ui, const char* knob, const std::string& title) {
  caption(ui, title, knob_help(knob), full_width());
  row(ui, knob, knob, full_width());
}

void intensity_slider(Ui& ui, const Place* device) {
  std::string value = ops_text(ui.state.cursor_repeat);
  if (const auto what = cursor_case(ui.state)) {
    const std::string_view kind = device != nullptr ? device->info.kind : std::string_view();
    value += fmt::format(" · {}", units::intensity(kernels::work_of(*what, kind).intensity(),
                                                   kernels::info_of(what->dtype).integer));
  }
  const std::string help = is_view_only(ui.state)
                               ? "Where the cursor is: what the opened session holds there."
                               : "Where the cursor is. Pause there to measure this point.";
  caption(ui, "Ops per element", help, full_width(), value);
  double repeat = static_cast<double>(ui.state.cursor_repeat);
  constexpr double most = kernels::max_repeat;
  const SliderRange range{1, most, "1", units::count(most), 2};
  if (log_slider(ui, "intensity", repeat, range, full_width(), ui.theme.accent,
                 why_no_device(ui.state), help)) {
    set_cursor(ui.state, static_cast<std::uint64_t>(std::lround(repeat)), ui.now);
  }
}

double two_digits(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::round(value / unit) * unit;
}

/// Quarters of an octave, whole tiles: numbers that read well and that every family takes.
std::uint64_t round_elements(double value) {
  const double octave = std::exp2(std::floor(std::log2(value)));
  const double quarters = std::round(value / octave * 4) / 4;
  return static_cast<std::uint64_t>(std::max(4096.0, octave * quarters));
}

void elements_slider(Ui& ui, const Place* device) {
  const std::uint64_t chosen = ui.state.spec.elements;
  const auto what = cursor_case(ui.state);
  const double count = what ? static_cast<double>(what->elements) : 1 << 26;
  const float left = ImGui::GetCursorPosX();
  const float width = full_width();
  const float automatic = ui.theme.px(48);
  caption(ui, "Elements", knob_help("elements"), width, units::count(count));
  double value = count;
  const double low = engine::find_knob("elements")->low;
  const double high =
      device != nullptr ? std::max(most_elements(*device, ui.state.spec), 2 * low) : 1e9;
  const SliderRange range{low, high, units::count(low), units::count(two_digits(high))};
  if (log_slider(ui, "elements", value, range, width - automatic - ui.theme.px(8), ui.theme.chosen,
                 why_no_device(ui.state), knob_help("elements"))) {
    set_elements(ui.state, round_elements(value), ui.now);
  }
  ImGui::SameLine(left + width - automatic);
  const std::array<Choice, 1> choice{
      {{"auto", chosen == 0, "As many as fit the device.", why_no_device(ui.state)}}};
  if (segments(ui, "elements", choice, automatic, 20)) {
    set_elements(ui.state, chosen == 0 ? round_elements(count) : 0, ui.now);
  }
}

/// How precisely is measured.
void quality_slider(Ui& ui, const char* title, const char* name, double engine::Spec::*quality,
                    std::string (*text_of)(double)) {
  const engine::Knob& knob = *engine::find_knob(name);
  double value = ui.state.spec.*quality;
  caption(ui, title, knob.help, full_width(), text_of(value));
  const SliderRange range{knob.low, knob.high, text_of(knob.low), text_of(knob.high)};
  if (log_slider(ui, name, value, range, full_width(), ui.theme.chosen, {}, std::string(knob.help)))
    set_quality(ui.state, quality, two_digits(value));
}

std::string percent_text(double share) { return units::percent(share); }
std::string seconds_text(double seconds) { return units::seconds(seconds, 2); }

/// What the chosen device cannot do, and why on hover.
void lacks(Ui& ui, const Place& device) {
  const std::vector<Lack> all = lacks_of(device);
  if (all.empty()) return;
  std::string names, reasons;
  for (const Lack& lack : all) {
    names += (names.empty() ? "" : ", ") + lack.name;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "\n", lack.name, lack.why);
  }
  wrapped(ui, fmt::format("Not on this device: {}", names), full_width(), ui.theme.text_dim);
  report(ui, "lacks", {last_item(), true, reasons});
  tip_on_hover(ui, reasons, TipClick::shows);
}

/// What few people set, folded away.
void advanced(Ui& ui, const Place* device, bool data) {
  bool& open = ui.state.look.division.advanced_open;
  const std::string goals = fmt::format("noise {}, {}", percent_text(ui.state.spec.noise),
                                        seconds_text(ui.state.spec.max_time));
  if (fold(ui, "advanced", "Advanced", open ? std::string() : goals, open)) open = !open;
  if (!open) return;
  quality_slider(ui, "Noise goal", "noise", &engine::Spec::noise, percent_text);
  quality_slider(ui, "Time limit", "max-time", &engine::Spec::max_time, seconds_text);
  if (data) knob_choice(ui, "data", "Data");
  if (device != nullptr) lacks(ui, *device);
}

void own_choice(Ui& ui, const engine::LabKnob& knob, const std::string& now) {
  constexpr std::array<std::string_view, 2> flags{"off", "on"};
  const bool flag = knob.kind == engine::LabKnob::Kind::flag;
  const std::span<const std::string_view> words = flag ? flags : knob.choices;
  std::vector<Choice> choices;
  for (const std::string_view word : words)
    choices.push_back({std::string(word), word == now, std::string(knob.help)});
  if (const auto clicked = segments(ui, std::string(knob.name), choices, full_width()))
    set_own_knob(ui.state, knob.name, words[*clicked], ui.now);
}

void own_number(Ui& ui, const engine::LabKnob& knob, const std::string& now) {
  const auto low = static_cast<double>(std::max<std::uint64_t>(1, knob.low));
  double value = std::max(low, std::strtod(now.c_str(), nullptr));  // of "auto" 0
  const auto high = static_cast<double>(knob.high);
  const SliderRange range{low, high, units::count(low), units::count(high)};
  if (log_slider(ui, std::string(knob.name), value, range, full_width(), ui.theme.chosen, {},
                 std::string(knob.help)))
    set_own_knob(ui.state, knob.name, fmt::format("{}", std::llround(value)), ui.now);
}

/// A list of numbers or a text, as on the command line; Enter sets it.
void own_text(Ui& ui, const engine::LabKnob& knob, std::string now) {
  ImGui::SetNextItemWidth(full_width());
  const std::string id = fmt::format("##{}", knob.name);
  const bool entered = ImGui::InputText(id.c_str(), &now, ImGuiInputTextFlags_EnterReturnsTrue);
  report(ui, std::string(knob.name), {last_item(), true, now, ImGui::IsItemActive()});
  tip_on_hover(ui, fmt::format("{} Press Enter to set it.", knob.help));
  if (entered) set_own_knob(ui.state, knob.name, now, ui.now);
}

/// A knob's name as a title: "Image size" of "image-size".
std::string title_of(const engine::LabKnob& knob) {
  std::string title(knob.name);
  std::ranges::replace(title, '-', ' ');
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  return title;
}

/// A knob that this lab alone has.
void own_knob(Ui& ui, const engine::LabKnob& knob) {
  const std::string now = engine::text_of(ui.state.spec, knob);
  using Kind = engine::LabKnob::Kind;
  const bool number = knob.kind == Kind::number;
  caption(ui, title_of(knob), knob.help, full_width(), number ? now : "");
  if (number) return own_number(ui, knob, now);
  if (knob.kind == Kind::choice || knob.kind == Kind::flag) return own_choice(ui, knob, now);
  own_text(ui, knob, now);
}

void file_buttons(Ui& ui) {
  const float left = ImGui::GetCursorPosX();
  const float width = full_width();
  struct Entry {
    const char* name;
    const char* label;
    void (*act)(AppState&);
    const char* help;
  };
  constexpr std::array<Entry, 4> entries{
      {{"clear", "Clear", clear,
        "Remove all points, opened files and measured roofs of this device; Ctrl+Z restores them."},
       {"open", "Open", show_open, "Show the points of a session file beside these (Ctrl+O)."},
       {"save", "Save", show_save, "Save points and roofs as a session file (Ctrl+S)."},
       {"export", "Export", show_export,
        "Export the plots to a PNG, SVG, PDF or HTML file (Ctrl+E)."}}};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const float share = width / static_cast<float>(entries.size());
    if (i > 0) ImGui::SameLine(left + std::round(share * static_cast<float>(i)));
    if (button(ui, entries[i].name, entries[i].label,
               {std::round(share) - ui.theme.px(4), ui.theme.px(26)}, {}, entries[i].help)) {
      entries[i].act(ui.state);
    }
  }
}

/// What scrolls where the window is low. Its edge has room for the frame around a control.
void begin_knobs(Ui& ui, float bottom) {
  const float edge = ui.theme.px(6);
  const ImVec2 at = ImGui::GetCursorPos();
  const ImVec2 size{full_width() + 2 * edge, bottom - at.y - edge};
  ImGui::SetCursorPosX(at.x - edge);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {edge, 0});
  begin_padded_child("knobs", size, ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();
}

}  // namespace

void draw_controls(Ui& ui) {
  const Place* device = current_device(ui.state);
  const engine::Lab& lab = lab_on_screen(ui.state);
  const float bottom = ImGui::GetCursorPosY() + ImGui::GetContentRegionAvail().y - ui.theme.px(26);
  // What is left over beyond the least height spreads between the groups.
  const float spare = (bottom - ui.theme.px(500)) / ui.theme.px(10);
  const float gap = std::clamp(spare, 0.0F, 12.0F);
  const auto reads = [&](std::string_view knob) { return engine::reads_knob(lab, knob); };
  const auto group = [&](bool wanted, const auto& draw) {
    if (!wanted) return;
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ui.theme.px(gap));  // without a widget's spacing
    draw();
  };
  begin_knobs(ui, bottom);
  device_choice(ui);
  group(true, [&] { run_button(ui); });
  group(reads("kernel") || reads("op"), [&] { workload_choice(ui); });
  group(reads("dtype"), [&] { dtype_choice(ui); });
  group(reads("fusion"), [&] { knob_choice(ui, "fusion", "Fusion"); });
  const bool has_units = device == nullptr || ui.state.spec.units != engine::UnitsChoice::vector ||
                         why_not_units(*device, engine::UnitsChoice::matrix).empty();
  group(reads("units") && has_units,
        [&] { knob_choice(ui, "units", std::string(matrix_units_name(device))); });
  group(!lab.slider.empty(), [&] { intensity_slider(ui, device); });
  group(reads("elements"), [&] { elements_slider(ui, device); });
  for (const engine::LabKnob& knob : lab.knobs) group(true, [&] { own_knob(ui, knob); });
  group(!lab.watches, [&] { advanced(ui, device, reads("data")); });
  ImGui::EndChild();
  ImGui::SetCursorPosY(bottom);
  file_buttons(ui);
}

}  // namespace ui
