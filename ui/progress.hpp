// What the worker does now, in words that name its device when another one is chosen. Pure.
#pragma once

#include <string>

#include "ui/app_state.hpp"

namespace ui {

/// "12 of 34: roof L2", of a device that is not the chosen one "cuda:0, 12 of 34: roof L2".
std::string progress_text(const AppState&);

/// Of the button that ends a sweep: "Stop", or "Stop cuda:0" when another device is chosen.
std::string stop_text(const AppState&);

/// Why no search for kernel shapes can start now; else empty.
std::string why_no_search(const AppState&);

}  // namespace ui
