#include "kernels/cuda/runtime/open_reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace kernels::cuda {
namespace {

// cudaError_t values, from driver_types.h of CUDA 12 and 13 alike.
constexpr int insufficient_driver = 35;
constexpr int no_device = 100;
constexpr int system_not_ready = 802;
constexpr int driver_mismatch = 803;

}  // namespace

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string open_reason(const OpenFailure& failure) {
  if (failure.driver_version == 0) {
    return "no NVIDIA driver is installed; install one to measure an NVIDIA GPU";
  }
  switch (failure.error) {
    case insufficient_driver:
      return fmt::format(
          "the NVIDIA driver supports CUDA {}, but this program was built with CUDA {}; update the "
          "driver, or build with an older CUDA Toolkit",
          version_text(failure.driver_version), version_text(failure.runtime_version));
    case no_device:
      if (failure.visible_devices) {
        return fmt::format("CUDA_VISIBLE_DEVICES=\"{}\" hides every GPU; unset it to see them",
                           *failure.visible_devices);
      }
      return "the driver finds no NVIDIA GPU; check whether `nvidia-smi` lists one";
    case system_not_ready:
      return "the NVIDIA driver is not ready; on machines with NVSwitch start nvidia-fabricmanager";
    case driver_mismatch:
      return "the NVIDIA kernel module and the driver library differ in version; restart the "
             "machine";
    default:
      return fmt::format("CUDA does not start: {} (error {}); check whether `nvidia-smi` works",
                         failure.error_text, failure.error);
  }
}

std::vector<BuiltCode> built_code_of(std::string_view architectures) {
  std::vector<BuiltCode> built;
  std::istringstream words{std::string(architectures)};
  for (std::string word; words >> word;) {
    std::size_t digits = 0;
    const int number = std::stoi(word, &digits);
    built.push_back({.architecture = 10 * number,
                     .machine_code = !word.ends_with("-virtual"),
                     .ptx = !word.ends_with("-real"),
                     .alone = word.substr(digits).starts_with("a")});
  }
  return built;
}

int expected_architecture(int capability, std::span<const BuiltCode> built) {
  const int gpu = 10 * capability;
  const auto runs = [&](const BuiltCode& code) {
    if (code.alone) return code.architecture == gpu;
    const bool same_major = code.architecture / 100 == gpu / 100;
    return code.architecture <= gpu && (code.ptx || (code.machine_code && same_major));
  };
  int expected = 0;
  for (const BuiltCode& code : built) {
    if (runs(code)) expected = std::max(expected, code.architecture);
  }
  return expected;
}

std::string too_old_reason(const std::string& name, int major, int minor) {
  return fmt::format(
      "{} has compute capability {}.{}, but at least {}.{} is needed; choose another device", name,
      major, minor, lowest_capability / 10, lowest_capability % 10);
}

std::string no_image_reason(const std::string& name, int major, int minor) {
  return fmt::format(
      "this build holds no code for {} (compute capability {}.{}); build it with "
      "-DCMAKE_CUDA_ARCHITECTURES={}{}",
      name, major, minor, major, minor);
}

}  // namespace kernels::cuda
