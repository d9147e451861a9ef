// Which knobs an experiment reads: one that it does not is no use beside it, and saying so is
// better than silence. Pure.
#pragma once

#include <string>
#include <string_view>

namespace engine {

bool reads_knob(std::string_view experiment, std::string_view knob);

/// "--data, --noise and --max-time": those it reads beside --experiment.
std::string knobs_read_by(std::string_view experiment);

}  // namespace engine
