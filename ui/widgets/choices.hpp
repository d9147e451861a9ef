// The choices of what is measured: workload, op, element types, fusion, matrix units, data.
#pragma once

#include <span>
#include <vector>

#include "ui/widgets/widgets.hpp"

namespace ui {

/// The element types in rows of `most`, the last one perhaps shorter.
std::vector<std::span<const kernels::DtypeInfo>> in_rows(std::span<const kernels::DtypeInfo>,
                                                         std::size_t most);

/// Each is one caption with a row of choices below.
void workload_choice(Ui&);
void dtype_choice(Ui&);
void fusion_choice(Ui&);
void units_choice(Ui&);
void data_choice(Ui&);

}  // namespace ui
