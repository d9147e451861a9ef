// Shared libraries that a test puts on the emulated machine.
#pragma once

#include <map>
#include <string>

namespace fake_library {

using Function = void (*)();
/// Functions by name.
using Library = std::map<std::string, Function>;

/// Libraries by file name; none unless a test adds one.
std::map<std::string, Library>& installed();

template <class F>
Function entry(F* function) {
  return reinterpret_cast<Function>(function);
}

}  // namespace fake_library
