// The experiment `roofs`: every ceiling of a device, measured.
#pragma once

#include "engine/spec.hpp"

namespace engine {

Experiment roofs_experiment();

}  // namespace engine
