#include "engine/experiment_knobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "engine/spec.hpp"

namespace engine {

bool reads_knob(std::string_view experiment, std::string_view knob) {
  // Every roof is measured: no kernel, dtype or size is left to choose.
  static constexpr std::array<std::string_view, 5> of_roofs{"device", "experiment", "noise",
                                                            "max-time", "data"};
  return experiment != "roofs" || std::ranges::find(of_roofs, knob) != of_roofs.end();
}

std::string knobs_read_by(std::string_view experiment) {
  std::vector<std::string> names;
  for (const Knob& knob : knobs()) {
    if (knob.name != "experiment" && reads_knob(experiment, knob.name)) {
      names.push_back(fmt::format("--{}", knob.name));
    }
  }
  const std::string last = std::exchange(names.back(), {});
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

}  // namespace engine
