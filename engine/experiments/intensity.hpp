// The experiment `intensity`: points along the axis of ops per element.
#pragma once

#include "engine/spec.hpp"

namespace engine {

Experiment intensity_experiment();

}  // namespace engine
