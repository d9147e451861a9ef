// Takes data out of every cache of the processor.
#pragma once

#include <cstddef>

namespace kernels::cpu {

/// Whether there is an instruction for it here.
bool can_flush();
/// Writes back and drops every line of these bytes; returns when that is done.
void flush(const void* data, std::size_t bytes);

}  // namespace kernels::cpu
