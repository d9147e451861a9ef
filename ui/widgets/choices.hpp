// The choices of what is measured: workload, op, element types, fusion, matrix units.
#pragma once

#include <span>
#include <vector>

#include "ui/widgets/widgets.hpp"

namespace ui {

/// The element types in rows of `most`, the last one perhaps shorter.
std::vector<std::span<const kernels::DtypeInfo>> in_rows(std::span<const kernels::DtypeInfo>,
                                                         std::size_t most);

/// Each is one caption with a row of choices below; `device` is null while none is known.
void workload_choice(Ui&, const engine::Place* device);
void dtype_choice(Ui&, const engine::Place* device);
void fusion_choice(Ui&, const engine::Place* device);
void units_choice(Ui&, const engine::Place* device);

}  // namespace ui
