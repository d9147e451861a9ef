// Why there is no CUDA device, in one sentence with a remedy. Plain C++: knows error numbers, not
// CUDA.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernels::cuda {

/// What cudaGetDeviceCount and its surroundings said.
struct OpenFailure {
  int error = 0;            ///< cudaError_t
  std::string error_text;   ///< cudaGetErrorString
  int driver_version = 0;   ///< cudaDriverGetVersion: 13000 = 13.0; 0 = no driver
  int runtime_version = 0;  ///< of this build
  std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES, when set
};
std::string open_reason(const OpenFailure&);

/// 13000 -> "13.0".
std::string version_text(int version);

/// Code that this program holds for an architecture.
struct BuiltCode {
  int architecture = 0;  ///< its __CUDA_ARCH__: 900 is 9.0
  bool machine_code = false, ptx = false;
  bool alone = false;  ///< it runs on that architecture and no later one (90a)
  bool operator==(const BuiltCode&) const = default;
};
/// What CMake was told, separated by spaces: "75-real 80 90a-real 100-virtual".
std::vector<BuiltCode> built_code_of(std::string_view architectures);
/// All the code in this program.
std::vector<BuiltCode> built_code();

/// __CUDA_ARCH__ of the code that a GPU of this compute capability (major * 10 + minor) should run:
/// machine code of its major version, or PTX, the newest that is not newer than the GPU. 0: there
/// is none.
int expected_architecture(int capability, std::span<const BuiltCode> built);

/// The lowest compute capability that the kernels are built for, as major * 10 + minor.
inline constexpr int lowest_capability = 75;
std::string too_old_reason(const std::string& name, int major, int minor);

/// cudaErrorNoKernelImageForDevice and cudaErrorUnsupportedPtxVersion: the build holds no code for
/// the device.
std::string no_image_reason(const std::string& name, int major, int minor);

}  // namespace kernels::cuda
