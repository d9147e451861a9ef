// Points above a measured roof: the device was slower while the roof was measured, so the roof is
// none. Pure. Private to the engine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/session.hpp"

namespace engine {

/// Learns while a sweep runs.
class Excess {
 public:
  /// `memory_bytes`: what the memory roof was measured over; smaller working sets are partly in
  /// cache.
  explicit Excess(double memory_bytes) : memory_bytes_(memory_bytes) {}

  /// A newer roof replaces the older one of its name.
  void learn(const Roof& roof) { add_roof(roofs_, roof); }
  /// True when the point lies above a measured roof that bounds it, by more than noise explains.
  bool learn(const Point&);

  /// The measured roofs that points lie above.
  std::vector<Roof> exceeded() const;
  /// The roof of this name as it is known, or nullptr.
  const Roof* find(const std::string& name) const;
  /// The highest rate that points reached for this roof, over the roof's; 0 = none.
  double highest_share(const Roof&) const;

 private:
  bool learn(const std::string& name, double amount, double seconds);

  double memory_bytes_;
  Session roofs_;                        // no points
  std::map<std::string, double> rates_;  // the highest that points surely reached, by roof
};

}  // namespace engine
