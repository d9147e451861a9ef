// The part of NVRTC, and of the driver that loads what it makes, which is used, as their
// documentation declares it for versions 12 and 13; a test compares it with the headers where there
// are any.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace kernels::cuda::nvrtc {

/// nvrtcResult.
using Status = int;
inline constexpr Status success = 0;
/// nvrtcProgram.
using Program = void*;

using Version = Status (*)(int* major, int* minor);
using ErrorString = const char* (*)(Status);
using NumberOfArchitectures = Status (*)(int*);
using Architectures = Status (*)(int*);
using Create = Status (*)(Program*, const char* text, const char* name, int headers,
                          const char* const* header_texts, const char* const* header_names);
using Destroy = Status (*)(Program*);
using Compile = Status (*)(Program, int options, const char* const*);
using Size = Status (*)(Program, std::size_t*);
using Bytes = Status (*)(Program, char*);

struct Calls {
  Version version;
  ErrorString error_string;
  NumberOfArchitectures number_of_architectures;
  Architectures architectures;
  Create create;
  Destroy destroy;
  Compile compile;
  Size log_size, code_size, ptx_size;
  Bytes log, code, ptx;
};

}  // namespace kernels::cuda::nvrtc

namespace kernels::cuda::driver {

/// CUresult, whose values are those of cudaError_t.
using Status = int;
/// CUmodule and CUfunction.
using Module = void*;
using Function = void*;

using LoadData = Status (*)(Module*, const void* image);
using Unload = Status (*)(Module);
using GetFunction = Status (*)(Function*, Module, const char* name);
using MaxActiveBlocks = Status (*)(int* blocks, Function, int threads, std::size_t shared_bytes);
using Launch = Status (*)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned shared_bytes, cudaStream_t, void** arguments, void** extra);

struct Calls {
  LoadData load_data;
  Unload unload;
  GetFunction get_function;
  MaxActiveBlocks max_active_blocks;
  Launch launch;
};

}  // namespace kernels::cuda::driver
