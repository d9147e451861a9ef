// The choices of what is measured: workload, op, element types, fusion, matrix units.
#pragma once

#include "ui/panels/widgets.hpp"

namespace ui {

/// Each is one caption with a row of choices below; `device` is null while none is known.
void workload_choice(Ui&, const engine::DeviceSummary* device);
void dtype_choice(Ui&, const engine::DeviceSummary* device);
void fusion_choice(Ui&, const engine::DeviceSummary* device);
void units_choice(Ui&, const engine::DeviceSummary* device);

}  // namespace ui
