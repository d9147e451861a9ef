// Why a control cannot apply to the chosen device, and a spec made to fit it. Pure functions of the
// device's kernel table.
#pragma once

#include <string>
#include <string_view>

#include "engine/sweeper.hpp"

namespace ui {

/// What a knob does, and that it does nothing where the experiment does not read it.
std::string knob_help(std::string_view experiment, std::string_view knob);

/// Why nothing can be chosen before the devices are known.
inline constexpr const char* still_looking = "Devices are still being looked for.";

/// "Tensor cores" on a GPU, "AMX" on a CPU.
std::string_view matrix_units_name(const engine::DeviceSummary&);

/// Each returns the reason in one sentence; empty when the choice applies.
std::string why_not_family(const engine::DeviceSummary&, kernels::Family);
std::string why_not_op(const engine::DeviceSummary&, const engine::Spec&, kernels::Op);
std::string why_not_dtype(const engine::DeviceSummary&, const engine::Spec&, kernels::Dtype);
std::string why_not_units(const engine::DeviceSummary&, engine::UnitsChoice);

/// True when the device has a kernel for these.
bool runs(const engine::DeviceSummary&, kernels::Family, kernels::Op, kernels::Dtype,
          kernels::Units);

/// The spec with what cannot run on this device replaced by what can: family, units, op, then
/// dtypes. Anything that can run is left as it is. `changes` gets one sentence for each
/// replacement.
engine::Spec adapted(engine::Spec, const engine::DeviceSummary&, std::vector<std::string>& changes);

/// The op that a family runs for this spec: `mma` for tiles.
kernels::Op op_of(const engine::Spec&);
/// Whether a choice includes these units.
bool includes(engine::UnitsChoice, kernels::Units);

/// Most elements a slider may ask for: footprint within half of the device's free memory.
double most_elements(const engine::DeviceSummary&, const engine::Spec&);

}  // namespace ui
