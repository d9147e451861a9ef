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
  /// A newer roof replaces the older one of its name.
  void learn(const Roof& roof) { add_roof(roofs_, roof); }
  void learn(const Point&);

  /// The measured roofs that points lie above by more than noise explains.
  std::vector<Roof> exceeded() const;
  /// All others, data sheet's included.
  std::vector<Roof> held() const;
  /// The highest point over this rate, for the roof of this name; 0 = none.
  double highest_over(const std::string& name, double rate) const;

 private:
  bool is_exceeded(const Roof&) const;

  Session roofs_;                        // no points
  std::map<std::string, double> rates_;  // the highest that points reached, by roof
};

}  // namespace engine
