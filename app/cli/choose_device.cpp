#include "app/cli/choose_device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/exit_codes.hpp"
#include "app/output/signals.hpp"

namespace app {
namespace {

/// The reason that belongs to this id, else the one that holds for all GPUs.
std::string why_missing(const engine::DevicesOpened& devices, const std::string& id) {
  for (const kernels::Unavailable& gone : devices.unavailable) {
    if (gone.id == id || gone.id == "cuda") return " (" + gone.why + ")";
  }
  return "";
}

bool is_gpu(const engine::Place& device) { return device.info.kind == "cuda"; }

}  // namespace

std::optional<engine::DevicesOpened> wait_for_devices(engine::Worker& worker) {
  while (!interrupted()) {
    if (!worker.wait(glance)) continue;
    for (const engine::Event& event : worker.drain()) {
      if (const auto* opened = std::get_if<engine::DevicesOpened>(&event)) return *opened;
    }
  }
  return std::nullopt;
}

const engine::Place& choose_device(const engine::DevicesOpened& devices, const std::string& id) {
  const auto& usable = devices.usable;
  if (usable.empty()) throw Failure(Exit::no_device, "no device is usable; see ridgepoint devices");
  if (id.empty()) {
    const auto gpu = std::ranges::find_if(usable, is_gpu);
    return gpu != usable.end() ? *gpu : usable.back();
  }
  std::vector<std::string> ids;
  for (const engine::Place& device : usable) {
    if (device.info.id == id) return device;
    ids.push_back(device.info.id);
  }
  throw Failure(Exit::no_device, fmt::format("there is no device '{}'{}; available: {}", id,
                                             why_missing(devices, id), fmt::join(ids, ", ")));
}

std::string why_no_gpu(const engine::DevicesOpened& devices) {
  if (std::ranges::any_of(devices.usable, is_gpu)) return "";
  for (const kernels::Unavailable& gone : devices.unavailable) {
    if (gone.id.starts_with("cuda")) return gone.why;
  }
  return "";
}

}  // namespace app
