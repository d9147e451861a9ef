// The resolution that a PNG tells, so that a page sets it at its physical size.
#pragma once

#include <string>

namespace plot {

/// The same PNG with a pHYs chunk (PNG specification, 11.3.4.3) behind its header.
std::string with_resolution(std::string png, double pixels_per_inch);

}  // namespace plot
