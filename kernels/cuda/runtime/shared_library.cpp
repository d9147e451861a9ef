#include "kernels/cuda/runtime/shared_library.hpp"

#include <dlfcn.h>

namespace kernels::cuda {

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) continue;
    name_ = name;
    return;
  }
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* SharedLibrary::address(const char* symbol) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, symbol);
}

}  // namespace kernels::cuda
