// What is said of a window in which a device was watched: other words than of what was measured.
#pragma once

#include <vector>

#include "ui/screen/hover.hpp"

namespace ui {

/// What its tooltip says: the moment, what limited it, and how much was used of what.
std::vector<Reading> window_readings(const engine::Session&, const engine::Point&);
/// The same, and everything else that was counted.
std::vector<Reading> window_facts(const engine::Session&, const engine::Point&);

}  // namespace ui
