// Additions of one number in an interpreter: what programs of the host take for an operation,
// beside what a device takes.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string_view>

#include "kernels/case.hpp"
#include "kernels/device.hpp"

namespace kernels {

enum class Interpreter : std::uint8_t { python = 1, pytorch };

/// So many additions: of floats by Python, or of tensors of one element by PyTorch.
Case interpreter_case(Interpreter, std::uint64_t additions);

/// Starts `python3` from PATH, a process of its own, for a device of that kind: PyTorch adds on a
/// GPU where it has one. Throws Unsupported with why there is no such row, after 10 s at most;
/// Cancelled.
std::unique_ptr<Trial> prepare_interpreter(const Case&, std::string_view kind, std::stop_token);

}  // namespace kernels
