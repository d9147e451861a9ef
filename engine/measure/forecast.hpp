// How long one run of a case will take, from the roofs and from what was measured so far.
// Private to the engine.
#pragma once

#include <string>
#include <utility>

#include "engine/measure/measure.hpp"
#include "engine/session/session.hpp"

namespace engine {

/// Learns while a sweep runs.
class Forecast {
 public:
  /// `kind` of the device, DeviceInfo::kind.
  explicit Forecast(const Policy& policy, std::string kind = {})
      : policy_(policy), kind_(std::move(kind)) {}

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

  Policy policy_;
  std::string kind_;
  Session known_;  // roofs and points of this sweep alone
};

}  // namespace engine
