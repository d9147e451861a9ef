#include "tests/cuda/fakes/libraries/fake_library.hpp"

#include "kernels/cuda/libraries/shared_library.hpp"

namespace fake_library {

std::map<std::string, Library>& installed() {
  static std::map<std::string, Library> libraries;
  return libraries;
}

}  // namespace fake_library

namespace kernels::cuda {

SharedLibrary::SharedLibrary(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto found = fake_library::installed().find(name);
    if (found == fake_library::installed().end()) continue;
    handle_ = &found->second;
    name_ = name;
    file_ = "/emulated/" + name;
    return;
  }
}

SharedLibrary::~SharedLibrary() = default;

void* SharedLibrary::address(const char* symbol) const {
  if (handle_ == nullptr) return nullptr;
  const auto& library = *static_cast<const fake_library::Library*>(handle_);
  const auto found = library.find(symbol);
  return found == library.end() ? nullptr : reinterpret_cast<void*>(found->second);
}

}  // namespace kernels::cuda
