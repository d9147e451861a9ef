#include "tests/cuda/fakes/libraries/fake_nvrtc.hpp"

#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>

#include "kernels/cpu/loaded/compiler.hpp"
#include "kernels/cuda/libraries/nvrtc_calls.hpp"
#include "tests/cuda/fakes/fake_machine.hpp"
#include "tests/cuda/fakes/libraries/fake_library.hpp"

namespace fake_nvrtc {

State& state() {
  static State instance;
  return instance;
}

namespace {

using fake_cuda::called;
using kernels::cuda::driver::Function;
using kernels::cuda::driver::Module;
using kernels::cuda::nvrtc::Program;

// ---- the compiler: its code is the text

struct Text {
  std::string text;
  std::string log;
};
Text& text_of(Program program) { return *static_cast<Text*>(program); }

int version(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
const char* error_string(int) { return "NVRTC_ERROR_EMULATED"; }
int number_of_architectures(int* count) {
  *count = static_cast<int>(state().architectures.size());
  return 0;
}
int architectures(int* list) {
  std::copy(state().architectures.begin(), state().architectures.end(), list);
  return 0;
}
int create(Program* program, const char* text, const char*, int, const char* const*,
           const char* const*) {
  if (state().create != 0) return state().create;
  ++state().open_programs;
  *program = new Text{text, ""};
  return 0;
}
int destroy(Program* program) {
  --state().open_programs;
  delete &text_of(*program);
  *program = nullptr;
  return 0;
}
int compile(Program program, int count, const char* const* options) {
  ++state().compilations;
  state().options.assign(options, options + count);
  text_of(program).log = state().log;
  return state().compile;
}
int size_of(const std::string& text, std::size_t* size) {
  *size = text.size() + 1;
  return 0;
}
int copy(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return 0;
}
int log_size(Program program, std::size_t* size) { return size_of(text_of(program).log, size); }
int log(Program program, char* to) { return copy(text_of(program).log, to); }
int code_size(Program program, std::size_t* size) {
  if (state().empty_code) return *size = 0, 0;
  state().as_ptx = false;
  return size_of(text_of(program).text, size);
}
int ptx_size(Program program, std::size_t* size) {
  state().as_ptx = true;
  return size_of(text_of(program).text, size);
}
int code(Program program, char* to) { return copy(text_of(program).text, to); }

// ---- the driver

/// Runs a kernel by its name; returns the bytes of its arguments, 0 where there is none.
using Run = std::size_t (*)(const char* kernel, const void* arguments, unsigned long long blocks);

/// Of modules, and what functions were made of.
std::map<Module, std::string>& texts() {
  static std::map<Module, std::string> all;
  return all;
}
std::map<const void*, Source>& sources() {
  static std::map<const void*, Source> all;
  return all;
}

std::string on_host(std::string text) {
  for (const char* const kind : {"\"+f\"", "\"+d\""}) {
    const auto at = text.find(kind);
    if (at != std::string::npos) text.replace(at, 4, "\"+x\"");
  }
  std::string calls;
  const std::regex kernel(R"(__global__ void __launch_bounds__\([^)]*\) (\w+)\(Arguments args\))");
  for (std::sregex_iterator one(text.begin(), text.end(), kernel), end; one != end; ++one)
    calls += "  if (std::strcmp(kernel, \"" + (*one)[1].str() +
             "\") == 0) run = " + (*one)[1].str() + ";\n";
  return std::string(R"(#include <cmath>
#include <cstring>
#define __global__
#define __launch_bounds__(...)
struct Place { unsigned x; };
static Place blockIdx, threadIdx;
)") + text +
         R"(
extern "C" unsigned long run_on_host(const char* kernel, const void* bytes,
                                     unsigned long long blocks) {
  void (*run)(Arguments) = nullptr;
)" + calls +
         R"(
  if (run == nullptr || bytes == nullptr) return run == nullptr ? 0 : sizeof(Arguments);
  Arguments arguments;
  std::memcpy(&arguments, bytes, sizeof arguments);
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) run(arguments);
  return sizeof arguments;
}
)";
}

int load_data(Module* module, const void* image) {
  if (const auto error = called("cuModuleLoadData", __builtin_return_address(0))) return error;
  if (state().load != 0) return state().load;
  static kernels::cpu::Compiler compiler(
      {.programs = {"c++", "g++", "clang++"}, .folder = RIDGEPOINT_FAKE_FOLDER});
  const std::string text = static_cast<const char*>(image);
  *module = compiler.load(on_host(text), {"-O1"}, "run_on_host", {}).function;
  texts()[*module] = text;
  ++state().open_modules;
  return 0;
}
int unload(Module) {
  if (const auto error = called("cuModuleUnload", __builtin_return_address(0))) return error;
  --state().open_modules;
  return 0;
}
int get_function(Function* function, Module module, const char* name) {
  if (const auto error = called("cuModuleGetFunction", __builtin_return_address(0))) return error;
  if (state().get_function != 0) return state().get_function;
  const auto run = reinterpret_cast<Run>(module);
  const std::size_t bytes = run(name, nullptr, 0);
  if (bytes == 0) return cudaErrorSymbolNotFound;
  *function = const_cast<void*>(fake_cuda::add_kernel(
      bytes, [run, kernel = std::string(name)](const void* arguments, std::uint64_t blocks) {
        run(kernel.c_str(), arguments, blocks);
      }));
  sources()[*function] = {name, texts()[module]};
  return 0;
}
int max_active_blocks(int* blocks, Function, int, std::size_t) {
  if (const auto error =
          called("cuOccupancyMaxActiveBlocksPerMultiprocessor", __builtin_return_address(0)))
    return error;
  *blocks = fake_cuda::state().blocks_per_multiprocessor;
  return 0;
}
int launch(Function function, unsigned blocks, unsigned, unsigned, unsigned, unsigned, unsigned,
           unsigned, cudaStream_t stream, void** arguments, void**) {
  if (const auto error = called("cuLaunchKernel", __builtin_return_address(0))) return error;
  return fake_cuda::enqueue(function, blocks, arguments, stream);
}

}  // namespace

const Source* source_of(const void* function) {
  const auto found = sources().find(function);
  return found == sources().end() ? nullptr : &found->second;
}

void install(const char* name, bool whole_driver) {
  setenv("XDG_CACHE_HOME", RIDGEPOINT_FAKE_FOLDER, 1);
  state() = {};
  using fake_library::entry;
  fake_library::installed()[name] = {{"nvrtcVersion", entry(version)},
                                     {"nvrtcGetErrorString", entry(error_string)},
                                     {"nvrtcGetNumSupportedArchs", entry(number_of_architectures)},
                                     {"nvrtcGetSupportedArchs", entry(architectures)},
                                     {"nvrtcCreateProgram", entry(create)},
                                     {"nvrtcDestroyProgram", entry(destroy)},
                                     {"nvrtcCompileProgram", entry(compile)},
                                     {"nvrtcGetProgramLogSize", entry(log_size)},
                                     {"nvrtcGetProgramLog", entry(log)},
                                     {"nvrtcGetCUBINSize", entry(code_size)},
                                     {"nvrtcGetCUBIN", entry(code)},
                                     {"nvrtcGetPTXSize", entry(ptx_size)},
                                     {"nvrtcGetPTX", entry(code)}};
  fake_library::Library& driver = fake_library::installed()["libcuda.so.1"];
  driver = {{"cuModuleLoadData", entry(load_data)}, {"cuModuleUnload", entry(unload)}};
  if (!whole_driver) return;
  driver["cuModuleGetFunction"] = entry(get_function);
  driver["cuOccupancyMaxActiveBlocksPerMultiprocessor"] = entry(max_active_blocks);
  driver["cuLaunchKernel"] = entry(launch);
}

}  // namespace fake_nvrtc
