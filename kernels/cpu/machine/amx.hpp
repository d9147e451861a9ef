// Whether this process may use AMX (Advanced Matrix Extensions).
#pragma once

#include <string>

namespace kernels::cpu {

/// True when processor and operating system support AMX tiles with bf16 and int8, and this process
/// got the permission to use them, which the first call asks for (Linux needs that before the first
/// tile instruction; it then holds for all threads). Otherwise false, and `why_not` is one
/// sentence.
bool amx_usable(std::string& why_not);

}  // namespace kernels::cpu
