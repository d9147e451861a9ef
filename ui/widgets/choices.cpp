#include "ui/widgets/choices.hpp"

#include <algorithm>
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
    choices.push_back({label, action.chosen, action.why_not, {}, help});
  }
  return choices;
}

void row(Ui& ui, const char* kind, std::string_view knob, float width) {
  const std::vector<Action> actions = choices_of(ui.state, kind);
  if (const auto clicked = segments(ui, kind, entries(actions, knob_help(knob)), width))
    actions[*clicked].act(ui.state, ui.now);
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

std::vector<std::span<const kernels::DtypeInfo>> in_rows(std::span<const kernels::DtypeInfo> all,
                                                         std::size_t most) {
  std::vector<std::span<const kernels::DtypeInfo>> rows;
  for (; !all.empty(); all = all.subspan(rows.back().size()))
    rows.push_back(all.first(std::min(most, all.size())));
  return rows;
}

void dtype_choice(Ui& ui) {
  caption(ui, "Element types", knob_help("dtype"), full_width());
  constexpr std::size_t per_row = 4;
  const std::vector<Action> actions = choices_of(ui.state, "dtype");
  const auto& colours = ui.theme.plot.series_colours;
  float top = ImGui::GetCursorPosY();
  std::size_t before = 0;
  for (const auto types : in_rows(kernels::dtypes, per_row)) {
    const std::span<const Action> own = std::span(actions).subspan(before, types.size());
    std::vector<Choice> choices = entries(own, knob_help("dtype"));
    for (std::size_t i = 0; i < types.size(); ++i)
      choices[i].mark =
          colours[static_cast<std::size_t>(colour_of(types[i].dtype)) % colours.size()];
    ImGui::SetCursorPosY(top);
    if (const auto clicked = segments(ui, "dtype", choices, full_width())) {
      own[*clicked].act(ui.state, ui.now);
      return;  // the choices are out of date
    }
    before += types.size();
    top += ui.theme.px(24) + 1;
  }
}

void fusion_choice(Ui& ui) {
  caption(ui, "Fusion", knob_help("fusion"), full_width());
  row(ui, "fusion", "fusion", full_width());
}

void units_choice(Ui& ui) {
  caption(ui, std::string(matrix_units_name(current_device(ui.state))), knob_help("units"),
          full_width());
  row(ui, "units", "units", full_width());
}

void data_choice(Ui& ui) {
  caption(ui, "Data", knob_help("data"), full_width());
  row(ui, "data", "data", full_width());
}

}  // namespace ui
