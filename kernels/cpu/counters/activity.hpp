// What the counters of processors and memory controllers tell of all that runs on them.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cpu/counters/perf_events.hpp"
#include "kernels/cpu/machine/processor.hpp"
#include "kernels/cpu/machine/watch.hpp"
#include "kernels/device.hpp"

namespace kernels::cpu {

/// FLOP of vectors by type from the cores' own counters; byte of DRAM from the memory controllers'
/// or, without, from resctrl; how busy the cores are, and their power, from the system. Of all
/// processors of the machine, since memory controllers do not tell whose traffic it is.
class CpuActivity final : public ActivityReader {
 public:
  /// Files are read below `root`. Throws Unsupported with why nothing counts here, or who must
  /// allow it.
  CpuActivity(std::filesystem::path root, const ProcessorModel&,
              const OpenPerfGroup& open = open_perf_group);

  double least_window() const override { return 0.1; }
  std::string why_not() const override { return why_not_; }
  std::optional<Activity> read() override;

 private:
  /// Counters that are read together, and what one count of each is worth.
  struct Counter {
    std::unique_ptr<PerfGroup> group;
    std::vector<double> worth;
    PerfCounts last;
  };
  using Counters = std::vector<Counter>;

  void open_cores(const OpenPerfGroup&);
  void open_memory(const OpenPerfGroup&);
  static void add(Counters&, const OpenPerfGroup&, std::vector<PerfEvent>,
                  std::vector<double> worth, int processor);
  /// FLOP or byte since the last call; nothing where one of them did not count meanwhile.
  static std::optional<double> counted_of(Counters&);
  /// Bytes so far, by file.
  using ByDomain = std::map<std::string, double>;
  ByDomain bytes_by_resctrl() const;
  /// Since the last call; nothing where groups of tasks came or went.
  std::optional<double> resctrl_bytes();

  std::filesystem::path root_;
  WatchedProcessors watched_;
  Counters fp64_, fp32_, memory_;
  ByDomain resctrl_;
  Readings last_;
  std::string why_not_;
};

}  // namespace kernels::cpu
