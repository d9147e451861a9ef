// How the state takes what comes in: events of the worker, and time.
#pragma once

#include "ui/model/app_state.hpp"

namespace ui {

/// Takes one event of the worker; true when something visible changed.
bool apply(AppState&, const engine::Event&);

/// Lets time pass: a picture whose dialog was closed is given up, a slider that has rested asks for
/// its point, a changed sweep starts again, new measurements are autosaved. True when something
/// visible changed.
bool tick(AppState&, double now);
/// When tick() has something to do next; nothing when it has not.
std::optional<double> next_deadline(const AppState&);

}  // namespace ui
