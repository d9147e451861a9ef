// What a desktop sets on its screen for all programs.
#pragma once

#include <string>

/// Xft.dpi: 96 is scale 1.
void set_dots_per_inch(const std::string& display, int);
