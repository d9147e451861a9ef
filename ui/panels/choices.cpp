#include "ui/panels/choices.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/availability.hpp"
#include "ui/figures_parts.hpp"
#include "ui/intents.hpp"

namespace ui {

using engine::DeviceSummary;
using engine::FusionChoice;
using engine::UnitsChoice;
using kernels::Family;
using kernels::Op;

namespace {

float full_width() { return ImGui::GetContentRegionAvail().x; }

std::string without_device(const DeviceSummary* device) {
  return device == nullptr ? still_looking : std::string();
}

void family_choice(Ui& ui, const DeviceSummary* device, float width) {
  std::array<Choice, 2> choices;
  constexpr std::array families{Family::chain, Family::tile};
  for (std::size_t i = 0; i < families.size(); ++i) {
    choices[i] = {std::string(kernels::name_of(families[i])),
                  ui.state.spec.family() == families[i],
                  device != nullptr ? why_not_family(*device, families[i]) : still_looking,
                  {},
                  knob_help(experiment_shown(ui.state), "kernel")};
  }
  if (const auto clicked = segments(ui, "family", choices, width)) {
    set_family(ui.state, families[*clicked], ui.now);
  }
}

void op_choice(Ui& ui, const DeviceSummary* device, float width) {
  std::array<Choice, 3> choices;
  constexpr std::array ops{Op::mul, Op::add, Op::fma};
  const bool chain = ui.state.spec.family() == Family::chain;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    choices[i] = {std::string(kernels::name_of(ops[i])),
                  chain && ui.state.spec.op == ops[i],
                  device != nullptr ? why_not_op(*device, ui.state.spec, ops[i]) : still_looking,
                  {},
                  knob_help(experiment_shown(ui.state), "op")};
  }
  if (const auto clicked = segments(ui, "op", choices, width))
    set_op(ui.state, ops[*clicked], ui.now);
}

}  // namespace

void workload_choice(Ui& ui, const DeviceSummary* device) {
  const float left = ImGui::GetCursorPosX();
  const float width = full_width();
  const float gap = ui.theme.px(10);
  const float first = std::round((width - gap) * 0.42F);
  caption(ui, "Kernel", knob_help(experiment_shown(ui.state), "kernel"), first);
  ImGui::SameLine(left + first + gap);
  caption(ui, "Op", knob_help(experiment_shown(ui.state), "op"), width - first - gap);
  family_choice(ui, device, first);
  ImGui::SameLine(left + first + gap);
  op_choice(ui, device, width - first - gap);
}

void dtype_choice(Ui& ui, const DeviceSummary* device) {
  caption(ui, "Element types", knob_help(experiment_shown(ui.state), "dtype"), full_width());
  const engine::Spec& spec = ui.state.spec;
  constexpr std::size_t per_row = 4;
  const float top = ImGui::GetCursorPosY();
  for (std::size_t row = 0; row * per_row < kernels::dtypes.size(); ++row) {
    std::array<Choice, per_row> choices;
    for (std::size_t i = 0; i < per_row; ++i) {
      const kernels::DtypeInfo& info = kernels::dtypes[row * per_row + i];
      const bool chosen =
          std::find(spec.dtypes.begin(), spec.dtypes.end(), info.dtype) != spec.dtypes.end();
      const auto& colours = ui.theme.plot.series_colours;
      choices[i] = {std::string(info.name), chosen,
                    device != nullptr ? why_not_dtype(*device, spec, info.dtype) : still_looking,
                    colours[static_cast<std::size_t>(colour_of(info.dtype)) % colours.size()],
                    knob_help(experiment_shown(ui.state), "dtype")};
    }
    ImGui::SetCursorPosY(top + static_cast<float>(row) * (ui.theme.px(24) + 1));
    if (const auto clicked = segments(ui, "dtype", choices, full_width())) {
      toggle_dtype(ui.state, kernels::dtypes[row * per_row + *clicked].dtype, ui.now);
      return;  // the choices are out of date
    }
  }
}

void fusion_choice(Ui& ui, const DeviceSummary* device) {
  caption(ui, "Fusion", knob_help(experiment_shown(ui.state), "fusion"), full_width());
  const FusionChoice now = ui.state.spec.fusion;
  const std::string why_not = without_device(device);
  const std::string help = knob_help(experiment_shown(ui.state), "fusion");
  const std::array<Choice, 3> choices{{{"fused", now == FusionChoice::fused, why_not, {}, help},
                                       {"unfused", now == FusionChoice::unfused, why_not, {}, help},
                                       {"both", now == FusionChoice::both, why_not, {}, help}}};
  if (const auto clicked = segments(ui, "fusion", choices, full_width())) {
    set_fusion(ui.state, static_cast<FusionChoice>(*clicked), ui.now);
  }
}

void units_choice(Ui& ui, const DeviceSummary* device) {
  const std::string name =
      device != nullptr ? std::string(matrix_units_name(*device)) : "Tensor cores";
  const std::string help = knob_help(experiment_shown(ui.state), "units");
  caption(ui, name, help, full_width());
  const UnitsChoice now = ui.state.spec.units;
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
