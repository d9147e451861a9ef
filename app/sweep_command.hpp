// `ridgepoint sweep`: one experiment without a window.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/exit_codes.hpp"
#include "app/output.hpp"
#include "app/picture_options.hpp"

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
Exit sweep_command(const SweepArguments&, Output&);

}  // namespace app
