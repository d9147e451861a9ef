// Hardware counters of processors and memory controllers, as the kernel's perf events give them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace kernels::cpu {

/// One counter: `type` of the part that counts, `config` of what (perf_event_open(2)).
struct PerfEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  bool operator==(const PerfEvent&) const = default;
};

/// Since a group was opened. Of the time that it was to count, s, it did so while `running`: the
/// kernel shares few counters among many events in turn.
struct PerfCounts {
  double enabled = 0, running = 0;
  std::vector<std::uint64_t> counts;  ///< in the order of its events
};

/// Events that are counted at the same times, of all that runs on one processor.
class PerfGroup {
 public:
  virtual ~PerfGroup() = default;
  /// Throws std::system_error.
  virtual PerfCounts read() = 0;
};

/// Throws std::system_error with why the kernel opens none.
using OpenPerfGroup =
    std::function<std::unique_ptr<PerfGroup>(std::span<const PerfEvent>, int processor)>;
std::unique_ptr<PerfGroup> open_perf_group(std::span<const PerfEvent>, int processor);

/// A counter of bytes that Linux describes in a folder of sys/bus/event_source/devices.
struct NamedEvent {
  PerfEvent event;
  double unit = 1;              ///< byte that one count stands for
  std::vector<int> processors;  ///< those to open it on, one for each part that counts
};

/// Reads `events/NAME`, its scale and unit, `type`, `format` and `cpumask` of such a folder. Empty
/// processors: it has no such event, or counts no bytes with it.
NamedEvent named_event(const std::filesystem::path& folder, std::string_view name);

}  // namespace kernels::cpu
