// `ridgepoint tour`: every lab with short settings, and one report of them.
#pragma once

#include <string>

#include "app/cli/exit_codes.hpp"
#include "app/output/output.hpp"
#include "engine/worker/sweeper.hpp"

namespace app {

/// As typed.
struct TourArguments {
  std::string recorded;  ///< SESSION.json to draw instead of measuring; empty: measure
  std::string device;    ///< empty: the first usable GPU, else the CPU
  std::string output;    ///< FILE.html or FILE.pdf
  std::string session;   ///< FILE.json; empty: none
};

/// Report and session are written after every lab, so that a crash leaves what there is. An
/// interrupt ends the lab at hand; the report has what was measured, and says so. A recorded
/// session becomes a report of the labs that have points in it, and nothing is measured. Throws
/// Failure, engine::BadInput, engine::CannotWrite. Tests give devices and a clock of their own.
Exit tour_command(const TourArguments&, Output&,
                  engine::Sweeper::OpenDevices = kernels::open_devices, const engine::Timing& = {});

}  // namespace app
