// The choices of what is measured: workload, op, element types, and knobs such as fusion.
#pragma once

#include <vector>

#include "ui/widgets/widgets.hpp"

namespace ui {

/// `count` boxes in as few rows of at most `most` as they need, all of them as long or one shorter.
std::vector<std::size_t> in_rows(std::size_t count, std::size_t most);

/// Each is one caption with a row of choices below.
void workload_choice(Ui&);
void dtype_choice(Ui&);
void knob_choice(Ui&, const char* knob, const std::string& title);

}  // namespace ui
