// A build without the window: no GLFW, no OpenGL, no X.
#include "app/gui.hpp"

namespace app {

Exit run_gui(const GuiOptions&) {
  throw NoWindow(
      "this ridgepoint was built without it (install the GLFW and Dear ImGui packages, rebuild)");
}

}  // namespace app
