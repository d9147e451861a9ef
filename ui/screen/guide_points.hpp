// The points that the tour speaks of, and what it says where there are none to rely on. Part of
// guide.cpp. Pure.
#pragma once

#include <string>
#include <string_view>

#include "ui/screen/guide.hpp"

namespace ui {

/// It is of a sweep or of the slider, and was measured.
bool is_measured(const engine::Point&);
/// Why a runtime proves nothing, with a remedy; empty for a sound one.
std::string doubt_of(const engine::Session&, const engine::Point&);

/// The newest measured point of a case that proves something, else the newest measured one.
const engine::Point* best_of(const engine::Session&, const kernels::Case&);
/// The measured point with the fewest ops that differs from a case in the ops alone.
const engine::Point* fewest_ops(const engine::Session&, kernels::Case);

/// A point proves nothing, for this reason; while more is measured it may yet.
GuideResult doubtful(const AppState&, const engine::Point&, const std::string& doubt);
/// A point is not there. `tried`: what became of it; may be null.
GuideResult missing(const AppState&, const engine::Point* tried, std::string_view remedy);

/// The point at the slider, or what to say while there is none to judge.
struct AtSlider {
  const engine::Point* point = nullptr;
  GuideResult instead{};
};
AtSlider at_slider(const AppState&, const engine::Session&, const kernels::Case&);

}  // namespace ui
