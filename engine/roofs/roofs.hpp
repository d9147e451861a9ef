// The ceilings of a device: measured on it, and from its datasheet.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/measure/measure.hpp"
#include "engine/roofs/roof_cache.hpp"
#include "engine/session/session.hpp"
#include "engine/spec.hpp"

namespace engine {

/// What measuring roofs needs.
struct RoofBench {
  kernels::Device& device;
  Policy policy{};
  std::stop_token stop{};
  Timing timing{};
  RoofCache* cache = nullptr;  ///< shapes found earlier, and those found now; may be null
  bool remeasure = false;      ///< search again, whatever is in the cache
  std::size_t rounds = 7;      ///< of each roof
};

/// Who is told; what nobody asks for may be empty.
struct RoofEvents {
  std::function<void(const Roof&)> roof;
  /// Shapes and working sets tried, as points.
  std::function<void(Point)> tried{};
  /// One sentence for a roof that is left out.
  std::function<void(std::string)> problem{};
  /// Before each: how many are done, of how many, and which is next.
  std::function<void(std::size_t done, std::size_t total, std::string next)> progress{};
};

/// Measured roofs that a sweep needs: "DRAM copy", "launch", and the compute roof of each dtype and
/// units in `cases`; `have` are not measured again. Throws Cancelled, DeviceLost.
void measure_roofs(const RoofBench&, const std::vector<kernels::Case>& cases,
                   const std::vector<Roof>& have, const RoofEvents&);

/// What the kernels of `cases` take at their smallest size, where that may bound them: one
/// short round each. `known`: the device with the roofs above; overheads in it are not measured
/// again. Throws Cancelled, DeviceLost.
void measure_overheads(const RoofBench&, const Session& known,
                       const std::vector<kernels::Case>& cases, const RoofEvents&);

/// Every roof of the device: memory and its levels, launches, arithmetic. Those that it has no
/// kernel for become skipped points. Throws Cancelled, DeviceLost.
void measure_all_roofs(const RoofBench&, kernels::Data, const RoofEvents&);

/// Datasheet roofs: a GPU by name from assets/gpu_specs.json, a CPU from DeviceInfo::peaks x cores
/// x clock. Empty for a device nobody knows. Assets that are missing or broken give none and a
/// sentence in `problems`.
std::vector<Roof> datasheet_roofs(const kernels::DeviceInfo&,
                                  std::vector<std::string>* problems = nullptr);

/// The theoretical peak of a CPU at the clock at which a roof was measured; nothing where the CPU,
/// its peak or that clock is not known.
std::optional<Roof> theoretical_roof(kernels::DeviceInfo, const Roof& measured);

/// A device that assets/gpu_specs.json describes: roofs that nobody here has measured.
struct SheetDevice {
  std::string name;
  std::vector<Roof> roofs;
  double cache_bytes = 0;  ///< of the last level; 0 = not stated
};
/// All that have both a bandwidth and a peak, in the file's order; missing or broken assets as
/// above.
std::vector<SheetDevice> datasheet_devices(std::vector<std::string>* problems = nullptr);

/// Where assets live: $RIDGEPOINT_ASSETS, beside the build, or installed. Throws BadInput when
/// nowhere.
std::filesystem::path assets_folder();

}  // namespace engine
