// A build without the window: no GLFW, no OpenGL, no X.
#include "app/window/gui.hpp"

namespace app {

Exit run_gui(const GuiOptions&) {
  throw NoWindow("this build has no window (install the GLFW and Dear ImGui packages, rebuild)");
}

}  // namespace app
