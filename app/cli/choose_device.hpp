// Which of the opened devices a sweep uses.
#pragma once

#include <string>

#include "engine/worker/worker.hpp"

namespace app {

/// The device of that id; with an empty id the first usable CUDA GPU, else the CPU. Throws Failure
/// (exit code 3) that lists the devices that are there, and why this one is not.
const engine::Place& choose_device(const engine::DevicesOpened&, const std::string& id);

/// Why the default is not a GPU, in one sentence; empty when it is one.
std::string why_no_gpu(const engine::DevicesOpened&);

}  // namespace app
