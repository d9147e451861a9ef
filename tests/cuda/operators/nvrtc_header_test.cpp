// Our declarations of NVRTC and of the driver against their headers, and NVRTC itself where this
// machine has it: what is generated compiles. scripts/check-toolkits.sh runs it with the NVRTC of
// other toolkits, for each architecture that a build with them holds.
#include <cuda.h>
#include <doctest/doctest.h>
#include <nvrtc.h>

#include <string>

#include "kernels/cuda/libraries/nvrtc.hpp"
#include "kernels/cuda/operators/chain_source.hpp"
#include "kernels/device.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "tests/cuda/fakes/same_call.hpp"
#include "tests/cuda/machine_code/sass.hpp"

using namespace kernels;
using Compiler = cuda::nvrtc::Calls;
using Driver = cuda::driver::Calls;

static_assert(same_call<decltype(Compiler::version), decltype(&nvrtcVersion)>);
static_assert(same_call<decltype(Compiler::error_string), decltype(&nvrtcGetErrorString)>);
static_assert(
    same_call<decltype(Compiler::number_of_architectures), decltype(&nvrtcGetNumSupportedArchs)>);
static_assert(same_call<decltype(Compiler::architectures), decltype(&nvrtcGetSupportedArchs)>);
static_assert(same_call<decltype(Compiler::create), decltype(&nvrtcCreateProgram)>);
static_assert(same_call<decltype(Compiler::destroy), decltype(&nvrtcDestroyProgram)>);
static_assert(same_call<decltype(Compiler::compile), decltype(&nvrtcCompileProgram)>);
static_assert(same_call<decltype(Compiler::log_size), decltype(&nvrtcGetProgramLogSize)>);
static_assert(same_call<decltype(Compiler::log), decltype(&nvrtcGetProgramLog)>);
static_assert(same_call<decltype(Compiler::code_size), decltype(&nvrtcGetCUBINSize)>);
static_assert(same_call<decltype(Compiler::code), decltype(&nvrtcGetCUBIN)>);
static_assert(same_call<decltype(Compiler::ptx_size), decltype(&nvrtcGetPTXSize)>);
static_assert(same_call<decltype(Compiler::ptx), decltype(&nvrtcGetPTX)>);
static_assert(static_cast<int>(NVRTC_SUCCESS) == cuda::nvrtc::success);

static_assert(same_call<decltype(Driver::load_data), decltype(&cuModuleLoadData)>);
static_assert(same_call<decltype(Driver::unload), decltype(&cuModuleUnload)>);
static_assert(same_call<decltype(Driver::get_function), decltype(&cuModuleGetFunction)>);
static_assert(same_call<decltype(Driver::max_active_blocks),
                        decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor)>);
static_assert(same_call<decltype(Driver::launch), decltype(&cuLaunchKernel)>);
// What becomes of errors of the driver: check() in runtime.hpp.
static_assert(static_cast<int>(CUDA_SUCCESS) == cudaSuccess);
static_assert(static_cast<int>(CUDA_ERROR_OUT_OF_MEMORY) == cudaErrorMemoryAllocation);
static_assert(static_cast<int>(CUDA_ERROR_INVALID_PTX) == cudaErrorInvalidPtx);
static_assert(static_cast<int>(CUDA_ERROR_NO_BINARY_FOR_GPU) == cudaErrorNoKernelImageForDevice);
static_assert(static_cast<int>(CUDA_ERROR_UNSUPPORTED_PTX_VERSION) ==
              cudaErrorUnsupportedPtxVersion);
static_assert(static_cast<int>(CUDA_ERROR_ILLEGAL_ADDRESS) == cudaErrorIllegalAddress);
static_assert(static_cast<int>(CUDA_ERROR_LAUNCH_TIMEOUT) == cudaErrorLaunchTimeout);
static_assert(static_cast<int>(CUDA_ERROR_LAUNCH_FAILED) == cudaErrorLaunchFailure);
static_assert(static_cast<int>(CUDA_ERROR_NO_DEVICE) == cudaErrorNoDevice);
static_assert(static_cast<int>(CUDA_ERROR_UNKNOWN) == cudaErrorUnknown);

TEST_CASE("NVRTC compiles what is generated of every operator, where this machine has it") {
  const cuda::Nvrtc nvrtc(0);
  if (!nvrtc.why_not().empty()) {
    MESSAGE("skipped: " << nvrtc.why_not());
    return;
  }
  MESSAGE(nvrtc.name() << ", " << nvrtc.file());
  const Ops all{Op::mul,  Op::add,  Op::relu, Op::cos,       Op::exp, Op::reciprocal,
                Op::tanh, Op::silu, Op::gelu, Op::gelu_tanh, Op::sqrt};
  for (const Dtype dtype : {Dtype::fp32, Dtype::fp64}) {
    const Case c{.family = Family::pointwise, .ops = all, .dtype = dtype, .elements = 1};
    for (const int capability : sass::architectures) {
      const std::string code =
          nvrtc.compile(cuda::chain_source(c), "chain.cu", capability, cuda::chain_options());
      CHECK(code.substr(1, 3) == "ELF");
    }
    for (const Activations how : {Activations::kept, Activations::recomputed}) {
      const std::string code =
          nvrtc.compile(cuda::gradient_source(with_activations(c, how)), "gradient.cu",
                        sass::architectures.front(), cuda::chain_options());
      CHECK(code.substr(1, 3) == "ELF");
    }
    // Of a GPU that is newer than the compiler.
    const std::string ptx =
        nvrtc.compile(cuda::chain_source(c), "chain.cu", 999, cuda::chain_options());
    CHECK(ptx.find(".visible .entry ridgepoint_chain") != std::string::npos);
  }
  std::string why;
  try {
    nvrtc.compile("int f( {", "broken.cu", 90, {});
  } catch (const Unsupported& reason) {
    why = reason.what();
  }
  CHECK(why.find("failed: broken.cu(1): error") != std::string::npos);
}
