// One roof after the other: the fastest shape from the cache or a search, then a proper
// measurement. Private to the engine.
#pragma once

#include <optional>
#include <vector>

#include "engine/roof_tasks.hpp"
#include "engine/roofs.hpp"

namespace engine {

class RoofFinder {
 public:
  RoofFinder(const RoofBench& bench, const RoofEvents& events) : bench_(bench), events_(events) {}

  /// Measures and reports one roof, or a problem. Throws Cancelled, DeviceLost.
  void find(const RoofTask&);

  /// Bandwidth of reads against working set: points of it from the cache, the others measured now.
  std::vector<CurvePoint> level_curve(kernels::Data);

  void report_missing(const MissingRoof&);

 private:
  /// With the shape that an earlier search found; nothing when there was none, or it runs no more.
  std::optional<Roof> remembered(const RoofTask&);
  Roof best_roof(const RoofTask&);
  std::vector<kernels::Shape> search(const RoofTask&, std::vector<Point>& tried);
  Roof measured(const RoofTask&, const kernels::Shape&, int rounds, std::vector<Point>& tried);
  void report(Point);
  const Point* cached(const kernels::Case&) const;
  void report_cached(const RoofTask&);
  /// For comparing; a device that idled before needs longer until it is at speed.
  Policy quick_policy(bool after_idling) const;

  const RoofBench& bench_;
  const RoofEvents& events_;
};

}  // namespace engine
