// `ridgepoint plot`: session files -> a picture file, without a display.
#pragma once

#include <string>
#include <vector>

#include "app/cli/exit_codes.hpp"
#include "app/cli/picture_options.hpp"
#include "app/output/output.hpp"

namespace app {

struct PlotArguments {
  std::vector<std::string> sessions;
  std::string output;
  bool data = false;  ///< the numbers behind the picture too, beside it
  PictureText picture;
};

/// Throws Failure, engine::BadInput, engine::CannotWrite.
Exit plot_command(const PlotArguments&, Output&);

}  // namespace app
