// NVIDIA's run-time compiler and the driver's loading of what it makes, for the emulated machine:
// the compiler of this machine compiles the same text, and kernels run on the host thread by
// thread.
#pragma once

#include <string>
#include <vector>

namespace fake_nvrtc {

struct State {
  int create = 0;   ///< nvrtcResult of nvrtcCreateProgram
  int compile = 0;  ///< and of nvrtcCompileProgram
  std::string log;  ///< of a compilation that fails
  std::vector<int> architectures{75, 80, 86, 89, 90, 100, 120};
  bool empty_code = false;  ///< nothing comes of a compilation
  int load = 0;             ///< CUresult of cuModuleLoadData
  int get_function = 0;     ///< and of cuModuleGetFunction
  int compilations = 0;
  int open_programs = 0, open_modules = 0;
  std::vector<std::string> options;  ///< of the last compilation
  bool as_ptx = false;               ///< what was asked for last
};
State& state();

/// What a function that the driver found was made of.
struct Source {
  std::string kernel;  ///< its name
  std::string text;
};
/// Null: it is not a generated one.
const Source* source_of(const void* function);

/// Puts both on the machine, in the initial state, and the cache folder of this process into the
/// build. Without the driver's functions: an old one.
void install(const char* name = "libnvrtc.so.13", bool whole_driver = true);

}  // namespace fake_nvrtc
