#include "kernels/cuda/libraries/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "kernels/cuda/libraries/library_folders.hpp"
#include "kernels/kept/own_folder.hpp"

namespace kernels::cuda {
namespace {

std::string file_of(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return "";
  return map->l_name;
}

}  // namespace

SharedLibrary::SharedLibrary(const std::vector<std::string>& names) {
  const auto open_in = [&](const std::vector<std::filesystem::path>& folders,
                           const std::string& name) {
    return std::ranges::any_of(folders, [&](const std::filesystem::path& folder) {
      std::error_code error;
      const std::filesystem::path file = folder / name;
      if (!std::filesystem::exists(file, error)) return false;
      for (const std::filesystem::path& part : {folder, file}) {
        if (!others_may_write(part)) continue;
        passed_over_ = fmt::format("; {} was passed over, because others may write to {}",
                                   file.string(), part.string());
        return false;
      }
      return open(file.string(), name);
    });
  };
  const LibrarySurroundings around = library_surroundings();
  for (const std::string& name : names) {
    if (open_in(named_folders(around), name)) return;
  }
  const auto further = further_folders(around);
  for (const std::string& name : names) {
    if (open(name, name) || open_in(further, name)) return;
  }
}

bool SharedLibrary::open(const std::string& path, const std::string& name) {
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
