// The way from the command line into the desktop window. gui.cpp opens it; no_gui.cpp, in a build
// without GLFW, says that there is none. Knows nothing of ImGui or GLFW.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/exit_codes.hpp"
#include "engine/measure/measure.hpp"
#include "engine/session/session.hpp"
#include "kernels/device.hpp"
#include "ui/model/commands.hpp"

namespace app {

/// A session file that has been read and checked.
struct OpenedSession {
  std::filesystem::path path;
  engine::Session session;
};

/// What `ridgepoint [SESSION.json ...]` asks of the window.
struct GuiOptions {
  std::string program = "ridgepoint";       ///< what a user types to start this program
  std::vector<OpenedSession> sessions;      ///< shown as overlays, the first in front; may be empty
  std::optional<ui::PlayRecording> replay;  ///< then no device is opened
  std::function<kernels::Devices()> open_devices = kernels::open_devices;  ///< on the worker thread
  engine::Timing timing{};  ///< what it measures with
};

/// No window can be opened; `reason` is a clause such as "DISPLAY is not set". The sentence names
/// the command that measures without a window. Exit code 1.
struct NoWindow : Failure {
  explicit NoWindow(const std::string& reason)
      : Failure(
            Exit::failed,
            "cannot open the window: " + reason +
                "; to measure without one: ridgepoint sweep -o session.json --plot roofline.png") {}
};

/// Shows the window until it is closed. Throws NoWindow.
Exit run_gui(const GuiOptions&);

}  // namespace app
