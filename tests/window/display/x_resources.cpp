#include "tests/window/display/x_resources.hpp"

#include <X11/Xatom.h>
#include <X11/Xlib.h>

#include <stdexcept>

void set_dots_per_inch(const std::string& name, int dots) {
  Display* const display = XOpenDisplay(name.c_str());
  if (display == nullptr) throw std::runtime_error("no display " + name);
  const std::string text = "Xft.dpi:\t" + std::to_string(dots) + "\n";
  XChangeProperty(display, DefaultRootWindow(display), XA_RESOURCE_MANAGER, XA_STRING, 8,
                  PropModeReplace, reinterpret_cast<const unsigned char*>(text.data()),
                  static_cast<int>(text.size()));
  XCloseDisplay(display);
}
