// The tile and peak tables that tests run: those this processor can, the portable one and AMX over
// its model.
#pragma once

#include <string>
#include <vector>

#include "kernels/cpu/isa.hpp"

namespace kernels::cpu {

/// tile_portable.cpp, which the tests compile under this name on every processor.
Isa tile_portable();

/// Every table that can run here.
std::vector<Isa> runnable_tables();

/// One sentence for each table that can't run here.
std::vector<std::string> tables_left_out();

}  // namespace kernels::cpu
