// The ceilings of a device: measured on it, and from its datasheet.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/labs/lab.hpp"
#include "engine/measure/measure.hpp"
#include "engine/roofs/roof_cache.hpp"
#include "engine/session/session.hpp"

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

/// What looking for a roof brought.
struct FoundRoof {
  std::optional<Roof> roof;
  std::vector<Point> tried{};  ///< shapes and working sets
  std::string why_not{};       ///< one sentence where there is no roof, and someone should know
};

/// Whether the device offers the shape of a case.
bool is_offered(const kernels::Device&, const kernels::Case&);

/// The fastest shape from the cache or a search, then a proper measurement. Throws Cancelled,
/// DeviceLost.
FoundRoof find_roof(const RoofBench&, RoofTask);

/// One short visit: a working set of the level curve, or a shape of a search. A device that idled
/// before needs longer until it is at speed.
inline constexpr VisitPlan brief_visit{.runs = 3, .most_runs = 16, .seconds = 0.005};
Point measure_once(const RoofBench&, const kernels::Case&, bool after_idling,
                   const VisitPlan& = brief_visit);

/// Where caches are larger than the system says, the working sets of the memory roofs grow until
/// one of twice the size is read as fast. The sentence that says so; mostly empty.
std::string grow_beyond_caches(const RoofBench&, std::vector<RoofTask>&);

/// Nearer than this, short measurements are alike.
inline constexpr double alike_rates = 0.95;

/// The rate of a roof: median of its rounds, with its interval where there are enough, and the
/// best.
void set_rounds(Roof&, std::vector<double> rates);

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
