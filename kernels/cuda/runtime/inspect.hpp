// Looks at results: poison before a run, what it left unwritten or wrote beyond the end, and
// samples to compare with the reference.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/check.hpp"
#include "kernels/cuda/runtime/gpu.hpp"

namespace kernels::cuda {

/// Fills a buffer and the guard behind it.
void poison(Gpu&, const Buffer&, std::uint8_t byte);

/// Poisons `out`, calls `run`, and counts: the Check is not ok when elements stayed unwritten, or
/// when the guard behind the end was written. A value that happens to look like the poison is told
/// apart by a second run with another one: unwritten is what holds both.
Check check_coverage(Gpu&, const Buffer& out, std::size_t element_bytes,
                     const std::function<void()>& run);

/// Copies bytes of device memory to the host.
std::vector<unsigned char> read_bytes(Gpu&, const void* data, std::size_t bytes);

/// Elements of a tensor, as values.
std::vector<double> read_values(Gpu&, const Buffer&, Dtype, const Window&);

}  // namespace kernels::cuda
