// Which of the opened devices a command measures.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "engine/worker/worker.hpp"

namespace app {

/// How long an interrupt may stay unnoticed.
inline constexpr std::chrono::milliseconds glance{25};

/// Waits for the worker's list of devices; nothing when interrupted first.
std::optional<engine::DevicesOpened> wait_for_devices(engine::Worker&);

/// The device of that id; with an empty id the first usable CUDA GPU, else the CPU. Throws Failure
/// (exit code 3) that lists the devices that are there, and why this one is not.
const engine::Place& choose_device(const engine::DevicesOpened&, const std::string& id);

/// Why the default is not a GPU, in one sentence; empty when it is one.
std::string why_no_gpu(const engine::DevicesOpened&);

}  // namespace app
