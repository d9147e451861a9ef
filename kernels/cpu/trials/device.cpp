#include "kernels/cpu/trials/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/backends.hpp"
#include "kernels/cpu/counters/activity.hpp"
#include "kernels/cpu/loaded/compiler.hpp"
#include "kernels/cpu/loaded/onednn.hpp"
#include "kernels/cpu/loaded/vector_math.hpp"
#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/machine/topology.hpp"
#include "kernels/cpu/trials/trials.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace kernels::cpu {
namespace {

// Long enough for a processor to leave its idle clock, short enough for nobody to notice.
constexpr double opening_clock_time = 0.02;
constexpr double condition_clock_time = 0.001;

/// Cores for the workers: one per physical core, no more than a control group's quota keeps busy.
std::vector<int> usable_cores(const std::filesystem::path& root) {
  std::vector<int> cores = one_per_core(root, allowed_processors());
  if (const std::optional<double> quota = cpu_quota(root)) {
    const auto most = static_cast<std::size_t>(std::max(1.0, std::floor(*quota)));
    cores.resize(std::min(cores.size(), most));
  }
  return cores;
}

Abilities abilities_here() {
  Abilities abilities{.features = processor_features(), .amx = false, .why_no_amx = {}};
  abilities.amx = amx_usable(abilities.why_no_amx);
  abilities.why_no_vector_math = why_no_vector_math();
  return abilities;
}

DeviceInfo describe_machine(const std::filesystem::path& root, const std::vector<int>& cores,
                            const Abilities& abilities, const Selection& selection) {
  Caches caches = caches_of(root, cores);
  if (root == "/" && caches.l1_bytes <= 0) caches = caches_by_library();
  DeviceInfo info;
  info.id = "cpu";
  info.kind = "cpu";
  info.name = processor_name(root);
  info.driver = operating_system();
  info.instruction_sets = selection.names();
  info.compute_capability = info.instruction_sets.back();
  info.multiprocessors = static_cast<int>(cores.size());
  info.slow_cores = slow_cores(root, cores);
  info.threads = info.multiprocessors;
  info.virtual_machine = on_hypervisor();
  info.memory_nodes = static_cast<int>(memory_nodes(root, cores).size());
  info.memory_bytes = total_memory(root);
  if (on_battery(root))
    info.partition = "on battery: the processor may be slower than on mains power";
  if (const std::optional<double> quota = cpu_quota(root))
    info.partition +=
        fmt::format("{}control group: {} processor{}", info.partition.empty() ? "" : "; ",
                    units::number(*quota), *quota == 1 ? "" : "s");
  info.l1_bytes = caches.l1_bytes;
  info.l2_bytes = caches.l2_bytes;
  info.l3_bytes = caches.l3_bytes;
  if (const std::string file = vector_math_file(); !file.empty())
    info.libraries.push_back({"SLEEF", file});
  const OneDnn& library = OneDnn::instance();
  if (!library.name().empty()) info.libraries.push_back({library.name(), library.file()});
  info.peaks = peaks_of(processor_model(root, cores), abilities.features, abilities.amx);
  return info;
}

/// The mean of all cores' clocks, measured at the same time: one core alone may run faster than all
/// under load.
double mean_clock(Pool& pool, double seconds) {
  std::vector<Padded<double>> clocks(static_cast<std::size_t>(pool.threads()));
  auto measure = [&](int thread) {
    clocks[static_cast<std::size_t>(thread)].value = measure_clock(seconds);
  };
  const Pool::PinnedCaller pinned(pool);
  pool.launch(measure);
  double sum = 0;
  for (const Padded<double>& clock : clocks) sum += clock.value;
  return sum / static_cast<double>(clocks.size());
}

/// Looks at the cores until their pace alone is known, 3 ms.
void learn_pace(Machine& machine) {
  constexpr int looks = 200;
  const Pool::PinnedCaller pinned(machine.pool());
  for (int i = 0; i < looks; ++i) machine.contention();
}

void check_shape(const Case& c) {
  if (const std::string why = refusal_of(c); !why.empty()) throw Unsupported(why);
  if (c.family->sized && c.elements == 0) throw Unsupported("a case needs at least one element");
  // Products with 8 bytes per element and all buffers stay far inside 64 bits.
  if (c.elements > std::uint64_t{1} << 48) {
    throw Unsupported(fmt::format("{} elements do not fit any memory: choose fewer",
                                  units::count(static_cast<double>(c.elements))));
  }
  if (c.repeat < 1 || c.repeat > max_repeat) {
    throw Unsupported(fmt::format("repeat {}: expected 1 to {}", c.repeat, max_repeat));
  }
  if (c.family->sized && c.elements % granule_of(c.family, c.dtype) != 0) {
    throw Unsupported(fmt::format("{} elements do not divide into tiles: choose a multiple of {}",
                                  c.elements, granule_of(c.family, c.dtype)));
  }
}

}  // namespace

CpuDevice::CpuDevice(const std::filesystem::path& root)
    : CpuDevice(root, usable_cores(root), abilities_here(), Selection(abilities_here())) {}

CpuDevice::CpuDevice(const std::filesystem::path& root, const std::vector<int>& cores,
                     const Abilities& abilities, Selection selection)
    : root_(root),
      watched_{cores, siblings_of(root, cores)},
      selection_(std::move(selection)),
      kernels_(selection_.kernels()),
      info_(describe_machine(root, cores, abilities, selection_)),
      machine_(
          root, cores,
          cache_borders(info_.last_level_cache(), info_.virtual_machine, info_.multiprocessors)) {
  info_.clock_hz = mean_clock(machine_.pool(), opening_clock_time);
  learn_pace(machine_);
  watch();
}

std::vector<ShapeAxis> CpuDevice::shape_axes(const Case& c) const {
  const FamilyOnCpu* here = on_cpu(c.family);
  if (here == nullptr || here->axes == nullptr) return {};
  return here->axes(selection_, machine_, c);
}

std::unique_ptr<Trial> CpuDevice::prepare(const Case& c, std::stop_token stop) {
  if (c.family->prepare_on_host != nullptr) return c.family->prepare_on_host(c, info_.kind, stop);
  check_shape(c);
  machine_.check_fits(c);
  const Kernel* kernel = find_kernel(kernels_, c);
  if (kernel != nullptr && !kernel->runs) throw Unsupported(kernel->why_not);
  const Choice* choice = c.by == By::library ? nullptr : selection_.find(c);
  const FamilyOnCpu* here = on_cpu(c.family);
  const bool needs_none = c.by == By::library || (here != nullptr && !here->by_tables());
  if (choice == nullptr && (kernel == nullptr || !needs_none))
    throw Unsupported(fmt::format("the CPU has no kernel for {}", describe(c)));
  return here->prepare({machine_, selection_, choice, c, stop});
}

Readings CpuDevice::readings() {
  Readings now = readings_of(root_, watched_);
  now.missed_seconds = machine_.pool().missed_seconds();
  return now;
}

void CpuDevice::watch() { since_ = readings(); }

Conditions CpuDevice::conditions() {
  Conditions now;
  add_changes(since_, readings(), watched_.processors.size(), now);
  now.clock_hz = mean_clock(machine_.pool(), condition_clock_time);
  now.temperature_c = package_temperature(root_);
  return now;
}

std::unique_ptr<ActivityReader> CpuDevice::activity(Counters which) {
  if (which == Counters::at_once) return Device::activity(which);  // many files must be opened
  return std::make_unique<CpuActivity>(root_, processor_model(root_, watched_.processors));
}

double CpuDevice::free_bytes() const { return machine_.free_bytes(); }

double CpuDevice::seconds_compiling() const { return shared_compiler().seconds(); }

}  // namespace kernels::cpu

namespace kernels {

std::unique_ptr<Device> open_cpu() { return std::make_unique<cpu::CpuDevice>("/"); }

}  // namespace kernels
