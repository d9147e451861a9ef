#include "kernels/cuda/libraries/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <system_error>

#include "kernels/cuda/libraries/library_folders.hpp"

namespace kernels::cuda {
namespace {

std::string file_of(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return "";
  return map->l_name;
}

}  // namespace

SharedLibrary::SharedLibrary(std::initializer_list<const char*> names) {
  const auto open_in = [&](const std::vector<std::filesystem::path>& folders) {
    for (const std::filesystem::path& folder : folders) {
      for (const char* const name : names) {
        std::error_code error;
        const std::filesystem::path file = folder / name;
        if (std::filesystem::exists(file, error) && open(file.string(), name)) return true;
      }
    }
    return false;
  };
  const LibrarySurroundings around = library_surroundings();
  if (open_in(named_folders(around))) return;
  for (const char* const name : names) {
    if (open(name, name)) return;
  }
  open_in(further_folders(around));
}

bool SharedLibrary::open(const std::string& path, const char* name) {
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) return false;
  name_ = name;
  file_ = file_of(handle_);
  return true;
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* SharedLibrary::address(const char* symbol) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, symbol);
}

}  // namespace kernels::cuda
