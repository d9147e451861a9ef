// `ridgepoint sweep`: one lab without a window.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/cli/exit_codes.hpp"
#include "app/cli/picture_options.hpp"
#include "app/output/output.hpp"
#include "engine/worker/sweeper.hpp"

namespace app {

struct SweepArguments {
  std::vector<std::pair<std::string, std::string>> knobs;  ///< name as in engine::knobs(), text
  std::string output;
  std::string csv;
  std::string plot;
  PictureText picture;
  bool stream = false;
  bool list = false;
  bool remeasure = false;
};

/// Checks everything that can be checked before a device is opened, then measures. Throws Failure,
/// engine::BadInput, engine::CannotWrite.
Exit sweep_command(const SweepArguments&, Output&,
                   engine::Sweeper::OpenDevices open_devices = kernels::open_devices);

}  // namespace app
