// The tile and peak tables that tests run: those this processor can, the portable one and AMX over
// its model.
#pragma once

#include <string>
#include <vector>

#include "kernels/cpu/simd/isa.hpp"

namespace kernels::cpu {

/// baseline.cpp as other processors than x86-64 compile it, under this name.
extern const Isa isa_portable;

/// Every table that can run here.
std::vector<Isa> runnable_tables();

/// One sentence for each table that can't run here.
std::vector<std::string> tables_left_out();

}  // namespace kernels::cpu
