#include "ui/widgets/choices.hpp"

#include <cmath>

#include "ui/actions/actions.hpp"
#include "ui/figures/parts.hpp"
#include "ui/model/availability.hpp"

namespace ui {

namespace {

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

}  // namespace

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

std::vector<std::size_t> in_rows(std::size_t count, std::size_t most) {
  std::vector<std::size_t> rows;
  for (std::size_t left = (count + most - 1) / most; left > 0; --left) {
    rows.push_back((count + left - 1) / left);
    count -= rows.back();
  }
  return rows;
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

}  // namespace ui
