// What the worker does now, in words that name its device when another one is chosen. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "ui/model/app_state.hpp"

namespace ui {

/// "12 of 34: roof L2", of a device that is not the chosen one "cuda:0, 12 of 34: roof L2".
std::string progress_text(const AppState&);

/// s that what runs still takes, with all labs of a tour; an estimate.
double seconds_left(const AppState&);

/// Which of the chosen series have no swept points on screen of the chosen device and size: "Press
/// Space to measure fp64 fused"; empty: all have, or files alone are looked at.
std::string unswept_text(const AppState&);

/// Why a lab that nobody measures now has no points, and what to do.
std::string no_points_text(const AppState&);

/// Of the button that ends a sweep: "Stop", or "Stop cuda:0" when another device is chosen.
std::string stop_text(const AppState&);

/// Why no search for kernel shapes can start now; else empty.
std::string why_no_search(const AppState&);

/// The points of a lab's newest run in a session that were skipped or failed.
struct Unmeasured {
  std::size_t count = 0;
  std::string why;  ///< a line for each of the first few
};
Unmeasured unmeasured_of(const engine::Session&, std::string_view lab);

}  // namespace ui
