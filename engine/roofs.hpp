// The ceilings of a device: measured on it, and from its data sheet.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

#include "engine/measure.hpp"
#include "engine/session.hpp"
#include "engine/spec.hpp"

namespace engine {

/// Measured roofs that a sweep needs: "DRAM copy", "launch", and the compute roof of each dtype and
/// units in `cases`. `have` are not measured again. `report` gets each as it comes. A roof
/// that fails is left out with its reason in `problems`.
void measure_roofs(kernels::Device&, const std::vector<kernels::Case>& cases,
                   const std::vector<Roof>& have, const Policy&, std::stop_token,
                   const std::function<void(const Roof&)>& report,
                   std::vector<std::string>& problems);

/// Datasheet roofs: a GPU by name from assets/gpu_specs.json, a CPU from DeviceInfo::peaks x cores
/// x clock. Empty for a device nobody knows. Assets that are missing or broken give none and a
/// sentence in `problems`.
std::vector<Roof> datasheet_roofs(const kernels::DeviceInfo&,
                                  std::vector<std::string>* problems = nullptr);

/// Where assets live: $RIDGEPOINT_ASSETS, beside the build, or installed. Throws BadInput when
/// nowhere.
std::filesystem::path assets_folder();

}  // namespace engine
