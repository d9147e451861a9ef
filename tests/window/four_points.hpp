#pragma once

#include <string>

/// The path of a session with four points, two fused and two unfused, for tests that need something
/// to look at. It is made up: a real sweep takes minutes on a busy machine.
const std::string& four_points();
