#include "kernels/cuda/libraries/nvrtc.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/libraries/library_folders.hpp"
#include "kernels/device.hpp"
#include "kernels/units.hpp"

namespace kernels::cuda {
namespace {

/// A text whose length NVRTC tells beforehand, the end of C strings included.
std::string text_of(nvrtc::Program program, nvrtc::Size size_of, nvrtc::Bytes get) {
  std::size_t size = 0;
  if (size_of(program, &size) != nvrtc::success || size == 0) return "";
  std::string text(size, '\0');
  return get(program, text.data()) == nvrtc::success ? text : "";
}

/// The line that says what is wrong.
std::string error_in(const std::string& log) {
  constexpr std::size_t longest = 160;
  const auto at = log.find("error");
  const auto before = at == std::string::npos ? at : log.rfind('\n', at);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  const std::string line =
      log.substr(begin, log.find_first_of(std::string("\n\0", 2), begin) - begin);
  return units::printable(units::shortened(line, longest));
}

/// Destroyed however a compilation ends.
struct OneProgram {
  const nvrtc::Calls& calls;
  nvrtc::Program program = nullptr;
  ~OneProgram() {
    if (program != nullptr) static_cast<void>(calls.destroy(&program));
  }
};

bool find_all(const SharedLibrary& l, nvrtc::Calls& c) {
  return l.find("nvrtcVersion", c.version) && l.find("nvrtcGetErrorString", c.error_string) &&
         l.find("nvrtcGetNumSupportedArchs", c.number_of_architectures) &&
         l.find("nvrtcGetSupportedArchs", c.architectures) &&
         l.find("nvrtcCreateProgram", c.create) && l.find("nvrtcDestroyProgram", c.destroy) &&
         l.find("nvrtcCompileProgram", c.compile) && l.find("nvrtcGetProgramLogSize", c.log_size) &&
         l.find("nvrtcGetProgramLog", c.log) && l.find("nvrtcGetCUBINSize", c.code_size) &&
         l.find("nvrtcGetCUBIN", c.code) && l.find("nvrtcGetPTXSize", c.ptx_size) &&
         l.find("nvrtcGetPTX", c.ptx);
}

}  // namespace

Nvrtc::Nvrtc(int driver_version) : LibraryCalls(names_for_driver("libnvrtc", driver_version)) {
  if (!library_.is_open()) {
    why_not_ = fmt::format(
        "NVRTC (libnvrtc.so.13 or .12) was not found; install the CUDA Toolkit, `pip install "
        "nvidia-cuda-nvrtc`, or name its folder in {}{}",
        library_variable, library_.passed_over());
  } else if (!find_all(library_, calls_)) {
    why_not_ =
        fmt::format("{} lacks required functions; install NVRTC 12.4 or newer", library_.name());
  } else {
    int major = 0, minor = 0;
    calls_.version(&major, &minor);
    name_ = fmt::format("NVRTC {}.{}", major, minor);
  }
}

std::vector<int> Nvrtc::architectures() const {
  int count = 0;
  if (calls_.number_of_architectures(&count) != nvrtc::success || count <= 0) return {};
  std::vector<int> known(static_cast<std::size_t>(count));
  if (calls_.architectures(known.data()) != nvrtc::success) return {};
  return known;
}

std::string Nvrtc::compile(const std::string& text, const std::string& name, int capability,
                           const std::vector<std::string>& options) const {
  if (!why_not_.empty()) throw Unsupported(why_not_);
  int nearest = 0;
  for (const int one : architectures()) {
    if (one <= capability) nearest = std::max(nearest, one);
  }
  if (nearest == 0)
    throw Unsupported(fmt::format("{} does not compile for compute capability {}.{}", name_,
                                  capability / 10, capability % 10));
  const bool exact = nearest == capability;
  const std::string architecture =
      fmt::format("--gpu-architecture={}_{}", exact ? "sm" : "compute", nearest);
  std::vector<const char*> words{architecture.c_str()};
  for (const std::string& option : options) words.push_back(option.c_str());
  OneProgram one{calls_};
  nvrtc::Status status =
      calls_.create(&one.program, text.c_str(), name.c_str(), 0, nullptr, nullptr);
  if (status == nvrtc::success)
    status = calls_.compile(one.program, static_cast<int>(words.size()), words.data());
  if (status != nvrtc::success) {
    const std::string why =
        one.program == nullptr ? "" : error_in(text_of(one.program, calls_.log_size, calls_.log));
    throw Unsupported(
        fmt::format("{} failed: {}", name_, why.empty() ? calls_.error_string(status) : why));
  }
  const std::string image = exact ? text_of(one.program, calls_.code_size, calls_.code)
                                  : text_of(one.program, calls_.ptx_size, calls_.ptx);
  if (image.empty()) throw Unsupported(fmt::format("{} generated no code for {}", name_, name));
  return image;
}

}  // namespace kernels::cuda
