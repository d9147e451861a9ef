// One roof after the other: the fastest shape from the cache or a search, then a proper
// measurement. Private to the engine.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/roofs/roof_rounds.hpp"
#include "engine/roofs/roof_tasks.hpp"
#include "engine/roofs/roofs.hpp"

namespace engine {

class RoofFinder {
 public:
  RoofFinder(const RoofBench& bench, const RoofEvents& events) : bench_(bench), events_(events) {}

  /// Measures and reports one roof, or a problem. Throws Cancelled, DeviceLost.
  void find(const RoofTask&);

  /// By how much the working set of a roof of the memory has to grow until one of twice the size is
  /// read as fast: 1, 2, 4, ...; where memory ends before, as far as it goes.
  std::uint64_t growth_beyond_caches(const RoofTask& read);

  /// Bandwidth of reads against working set; on GPUs also of reads past the L1.
  std::vector<CurvePoint> level_curve(kernels::Data);

  void report_missing(const MissingRoof&);
  /// No memory is faster than the cache above it: marks the roofs of DRAM that seem to be.
  void doubt_memory(kernels::Data);
  /// Says which roofs found so far had no round that nobody disturbed.
  void report_disturbed() const;

 private:
  struct Searched {
    std::vector<kernels::Shape> shapes;  ///< the fastest first
    bool whole = true;  ///< false: its time was over before it came to an end, or it was disturbed
  };

  /// With the shape that an earlier search found; nothing when there was none, when it runs no
  /// more, or when it is no longer the better one.
  std::optional<Roof> remembered(const RoofTask&, std::vector<Point>& tried);
  void refuse_cached(const RoofTask&) const;
  Roof best_roof(const RoofTask&, std::vector<Point>& tried);
  Searched search(const RoofTask&, std::vector<Point>& tried);
  /// The task over the working set on which this shape is faster, where there is another one.
  RoofTask at_faster_size(const RoofTask&, const kernels::Shape&, std::vector<Point>& tried);
  /// Of the first that runs.
  Roof first_of(const RoofTask&, const std::vector<kernels::Shape>&, std::vector<Point>& tried);
  /// From a short measurement, on a smaller working set where that tells as much; 0: it does not
  /// run.
  double quick_rate(const RoofTask&, const kernels::Shape&, std::vector<Point>& tried);
  Roof measured(const RoofTask&, const kernels::Shape&, std::size_t rounds,
                std::vector<Point>& tried);
  /// Whether its shape is ours to choose.
  bool is_searched(const RoofTask&) const;
  void report(Point);
  void report_cached(const RoofTask&);
  /// A device that idled before needs longer until it is at speed.
  Policy policy(bool after_idling) const;

  const RoofBench& bench_;
  const RoofEvents& events_;
  std::vector<std::string> disturbed_, over_quota_;  // names
  std::vector<Roof> memory_;                         // of DRAM
  std::map<std::string, double> rates_;              // of what was found, by name
};

}  // namespace engine
