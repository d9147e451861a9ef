// `ridgepoint plot`: session files -> a picture file, without a display.
#pragma once

#include <string>
#include <vector>

#include "app/exit_codes.hpp"
#include "app/output.hpp"
#include "app/picture_options.hpp"

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
