#include "ui/plot/output/cairo_library.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace plot {

CairoLibrary::CairoLibrary() : handle_(dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr)
    why_not =
        "PNG and PDF need Cairo (libcairo.so.2), which is not here; install libcairo2, or take "
        "SVG or HTML, which need no library";
}

CairoLibrary::Symbol CairoLibrary::symbol(const char* name) {
  if (handle_ == nullptr) return {};
  const Symbol found{dlsym(handle_, name)};
  if (found.address == nullptr)
    why_not = std::string("Cairo lacks ") + name + "; install libcairo2 1.16 or newer";
  return found;
}

namespace {

const Cairo& loaded() {
  static const Cairo instance;
  return instance;
}

}  // namespace

const Cairo& cairo() {
  if (!loaded().why_not.empty()) throw std::runtime_error(loaded().why_not);
  return loaded();
}

const std::string& why_no_cairo() { return loaded().why_not; }

}  // namespace plot
