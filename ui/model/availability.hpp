// Why a control cannot apply to the chosen device, and a spec made to fit it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/model/app_state.hpp"

namespace ui {

/// What a knob does, in one sentence.
inline std::string knob_help(std::string_view knob) {
  return std::string(engine::find_knob(knob)->help);
}

/// Why nothing can be chosen before the devices are known.
inline constexpr const char* still_looking = "Still looking for devices.";

/// That, while no device is known; else empty.
std::string why_no_device(const AppState&);

/// "Tensor cores" on a GPU, "AMX" on a CPU that has it, else "Matrix units"; null: as on a GPU.
std::string_view matrix_units_name(const engine::Place*);

/// The reason in one sentence, empty when the choice applies. Nothing can run without a device.
std::string why_no_lab(const engine::Place*, const engine::Lab&);
std::string why_not_family(const engine::Place&, kernels::Family);
std::string why_not_op(const engine::Place&, const engine::Spec&, kernels::Op);
std::string why_not_dtype(const engine::Place&, const engine::Spec&, kernels::Dtype);
std::string why_not_units(const engine::Place&, engine::UnitsChoice);

/// What a device has no kernel for at all: an element type, or matrix units.
struct Lack {
  std::string name;
  std::string why;  ///< one sentence
};
std::vector<Lack> lacks_of(const engine::Place&);
/// Why the device has no kernel of this type, whatever else is set; empty: it has.
std::string why_never(const engine::Place&, kernels::Dtype);

/// True when the device has a kernel for these.
bool runs(const engine::Place&, kernels::Family, kernels::Op, kernels::Dtype, kernels::Units);

/// The spec with what cannot run on this device replaced by what can: family, units, op, then
/// dtypes. What can run is left as it is. `changes` gets one sentence for each replacement.
engine::Spec adapted(engine::Spec, const engine::Place&, std::vector<std::string>& changes);
/// Makes the spec fit the chosen device and says what was changed.
void adapt_to_device(AppState&);

/// Whether a choice includes these units.
bool includes(engine::UnitsChoice, kernels::Units);

/// Most elements a slider may ask for: footprint within half of the device's free memory.
double most_elements(const engine::Place&, const engine::Spec&);

}  // namespace ui
