#include "ui/widgets/choices.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/families/family.hpp"
#include "ui/actions/intents.hpp"
#include "ui/figures/parts.hpp"
#include "ui/model/availability.hpp"

namespace ui {

using engine::FusionChoice;
using engine::Place;
using engine::UnitsChoice;
using kernels::Family;
using kernels::Op;

namespace {

float full_width() { return ImGui::GetContentRegionAvail().x; }

std::string without_device(const Place* device) {
  return device == nullptr ? still_looking : std::string();
}

void family_choice(Ui& ui, const Place* device, float width) {
  const std::vector<Family> families = engine::workloads();
  std::vector<Choice> choices;
  for (const Family family : families) {
    choices.push_back({std::string(family->name),
                       ui.state.spec.family() == family,
                       device != nullptr ? why_not_family(*device, family) : still_looking,
                       {},
                       knob_help("kernel")});
  }
  if (const auto clicked = segments(ui, "family", choices, width)) {
    set_family(ui.state, families[*clicked], ui.now);
  }
}

void op_choice(Ui& ui, const Place* device, float width) {
  const std::vector<Op> ops = engine::ops_to_choose();
  const bool chooses = ui.state.spec.family()->chooses_op;
  std::vector<Choice> choices;
  for (const Op op : ops) {
    choices.push_back({std::string(op->name),
                       chooses && ui.state.spec.op == op,
                       device != nullptr ? why_not_op(*device, ui.state.spec, op) : still_looking,
                       {},
                       knob_help("op")});
  }
  if (const auto clicked = segments(ui, "op", choices, width))
    set_op(ui.state, ops[*clicked], ui.now);
}

}  // namespace

void workload_choice(Ui& ui, const Place* device) {
  const float left = ImGui::GetCursorPosX();
  const float width = full_width();
  const float gap = ui.theme.px(10);
  const float first = std::round((width - gap) * 0.42F);
  caption(ui, "Kernel", knob_help("kernel"), first);
  ImGui::SameLine(left + first + gap);
  caption(ui, "Op", knob_help("op"), width - first - gap);
  family_choice(ui, device, first);
  ImGui::SameLine(left + first + gap);
  op_choice(ui, device, width - first - gap);
}

std::vector<std::span<const kernels::DtypeInfo>> in_rows(std::span<const kernels::DtypeInfo> all,
                                                         std::size_t most) {
  std::vector<std::span<const kernels::DtypeInfo>> rows;
  for (; !all.empty(); all = all.subspan(rows.back().size()))
    rows.push_back(all.first(std::min(most, all.size())));
  return rows;
}

void dtype_choice(Ui& ui, const Place* device) {
  caption(ui, "Element types", knob_help("dtype"), full_width());
  const engine::Spec spec = spec_on_screen(ui.state);
  constexpr std::size_t per_row = 4;
  float top = ImGui::GetCursorPosY();
  for (const auto row : in_rows(kernels::dtypes, per_row)) {
    std::vector<Choice> choices;
    for (const kernels::DtypeInfo& info : row) {
      const bool chosen =
          std::find(spec.dtypes.begin(), spec.dtypes.end(), info.dtype) != spec.dtypes.end();
      const auto& colours = ui.theme.plot.series_colours;
      choices.push_back(
          {std::string(info.name), chosen,
           device != nullptr ? why_not_dtype(*device, spec, info.dtype) : still_looking,
           colours[static_cast<std::size_t>(colour_of(info.dtype)) % colours.size()],
           knob_help("dtype")});
    }
    ImGui::SetCursorPosY(top);
    if (const auto clicked = segments(ui, "dtype", choices, full_width())) {
      toggle_dtype(ui.state, row[*clicked].dtype, ui.now);
      return;  // the choices are out of date
    }
    top += ui.theme.px(24) + 1;
  }
}

void fusion_choice(Ui& ui, const Place* device) {
  caption(ui, "Fusion", knob_help("fusion"), full_width());
  const FusionChoice now = ui.state.spec.fusion;
  const std::string why_not = without_device(device);
  const std::string help = knob_help("fusion");
  const std::array<Choice, 3> choices{{{"fused", now == FusionChoice::fused, why_not, {}, help},
                                       {"unfused", now == FusionChoice::unfused, why_not, {}, help},
                                       {"both", now == FusionChoice::both, why_not, {}, help}}};
  if (const auto clicked = segments(ui, "fusion", choices, full_width())) {
    set_fusion(ui.state, static_cast<FusionChoice>(*clicked), ui.now);
  }
}

void units_choice(Ui& ui, const Place* device) {
  const std::string name =
      device != nullptr ? std::string(matrix_units_name(*device)) : "Tensor cores";
  const std::string help = knob_help("units");
  caption(ui, name, help, full_width());
  const UnitsChoice now = spec_on_screen(ui.state).units;
  const std::string why_not =
      device != nullptr ? why_not_units(*device, UnitsChoice::matrix) : still_looking;
  const std::array<Choice, 3> choices{
      {{"off", now == UnitsChoice::vector, without_device(device), {}, help},
       {"on", now == UnitsChoice::matrix, why_not, {}, help},
       {"both", now == UnitsChoice::both, why_not, {}, help}}};
  if (const auto clicked = segments(ui, "units", choices, full_width())) {
    set_units(ui.state, static_cast<UnitsChoice>(*clicked), ui.now);
  }
}

}  // namespace ui
