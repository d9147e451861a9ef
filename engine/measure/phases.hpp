// What the worker spends its time on, as spans: allocating, verifying, measuring, waiting.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device.hpp"

namespace engine {

/// One phase at a time, so that spans do not overlap. Reads the clock only between timed regions.
class Phases {
 public:
  /// Time counts from now on; where the devices were opened for this, from `opening` seconds ago.
  explicit Phases(std::function<double()> now, double opening = 0);

  /// This is done from now on, until the next call; empty: nothing worth telling.
  void enter(std::string_view phase);
  /// So many seconds of the present phase were spent on something else, such as waiting. That may
  /// be hundreds of times: all are one span, at its end.
  void spent_on(std::string_view other, double seconds) { aside_[std::string(other)] += seconds; }
  /// Ends the present phase. All spans since the last call, in lanes by phase, named for whom they
  /// were.
  std::vector<kernels::Span> take(std::string_view whom);

 private:
  void end(double at);

  std::function<double()> now_;
  double origin_;
  double begin_;                         // of the present phase
  std::map<std::string, double> aside_;  // s in it, by lane
  std::string phase_;                    // empty: none
  std::vector<kernels::Span> spans_;
};

}  // namespace engine
