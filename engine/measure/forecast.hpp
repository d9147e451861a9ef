// How long one run of a case will take, from the roofs and from what was measured so far.
// Private to the engine.
#pragma once

#include <string>

#include "engine/measure/measure.hpp"
#include "engine/session/session.hpp"

namespace engine {

/// Learns while a sweep runs.
class Forecast {
 public:
  Forecast(const Policy& policy, const kernels::DeviceInfo& device) : policy_(policy) {
    known_.device = device;
  }

  void learn(const Roof& roof) { add_roof(known_, roof); }
  void learn(const Point& point) { add_point(known_, point); }

  /// Roofs and points learned.
  const Session& known() const { return known_; }

  /// Seconds of one run: at the roofs, or longer where earlier points of its series say so. 0 =
  /// nothing is known.
  double run_seconds(const kernels::Case&) const;

  /// Why this case is not worth starting, or empty: one run would take longer than the time limit.
  std::string too_slow(const kernels::Case&) const;

 private:
  double series_seconds(const kernels::Case&) const;
  double seconds_at_roofs(const kernels::Case&) const;

  Policy policy_;
  Session known_;  // the device, and roofs and points of this sweep alone
};

}  // namespace engine
