// `ridgepoint explain`: what limits the points of a session, in words.
#pragma once

#include <string>

#include "app/cli/exit_codes.hpp"
#include "app/output/output.hpp"

namespace app {

/// Throws Failure, engine::BadInput.
Exit explain_command(const std::string& session_path, Output&);

}  // namespace app
