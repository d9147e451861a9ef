#include "kernels/cuda/libraries/library_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace kernels::cuda {
namespace {

namespace fs = std::filesystem;
using Folders = std::vector<fs::path>;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void add(Folders& folders, const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return;
  if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
}

/// The folders of a list as PATH is one; an empty entry names none.
Folders folders_in(std::string_view list) {
  Folders folders;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) add(folders, fs::path(list.substr(0, end)));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return folders;
}

/// Folders in `folder` in the order of their names; none where it cannot be read.
Folders children(const fs::path& folder) {
  Folders found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    add(found, entry->path());
  }
  std::ranges::sort(found);
  return found;
}

void add_toolkit(Folders& folders, const fs::path& toolkit) {
  add(folders, toolkit / "lib64");
  add(folders, toolkit / "lib");
}

/// NVIDIA's wheels are nvidia/PART/lib; older wheels of PyTorch bring the libraries themselves.
void add_wheels(Folders& folders, const fs::path& packages) {
  for (const fs::path& part : children(packages / "nvidia")) add(folders, part / "lib");
  add(folders, packages / "torch" / "lib");
}

/// What pip installs below a prefix: lib/python3.12/site-packages, and Debian's dist-packages.
void add_packages(Folders& folders, const fs::path& prefix) {
  for (const char* const lib : {"lib", "lib64"}) {
    for (const fs::path& python : children(prefix / lib)) {
      if (!python.filename().string().starts_with("python3")) continue;
      add_wheels(folders, python / "site-packages");
      add_wheels(folders, python / "dist-packages");
    }
  }
}

bool holds_python(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "python3", error) || fs::exists(folder / "python", error);
}

}  // namespace

std::vector<std::string> names_for_driver(const std::string& library, int driver_version) {
  std::vector<std::string> names{library + ".so.13", library + ".so.12"};
  if (driver_version > 0 && driver_version < 13000) std::ranges::reverse(names);
  return names;
}

LibrarySurroundings library_surroundings() {
  return {.named = variable(library_variable),
          .cuda_home = variable("CUDA_HOME"),
          .cuda_path = variable("CUDA_PATH"),
          .path = variable("PATH"),
          .home = variable("HOME")};
}

std::vector<fs::path> named_folders(const LibrarySurroundings& around) {
  return folders_in(around.named);
}

std::vector<fs::path> further_folders(const LibrarySurroundings& around) {
  Folders folders;
  if (!around.cuda_home.empty()) add_toolkit(folders, around.cuda_home);
  if (!around.cuda_path.empty()) add_toolkit(folders, around.cuda_path);
  const fs::path root(around.root);
  add_toolkit(folders, root / "usr/local/cuda");
  add(folders, root / "usr/lib/wsl/lib");
  bool any_python = false;
  for (const fs::path& bin : folders_in(around.path)) {
    if (!holds_python(bin)) continue;
    any_python = true;
    const fs::path prefix = bin.parent_path();
    add_packages(folders, prefix);
    add_packages(folders, prefix / "local");  // where pip of Debian's /usr/bin/python3 installs
    std::error_code error;  // conda keeps libraries in the lib of the environment itself
    if (fs::is_directory(prefix / "conda-meta", error)) add(folders, prefix / "lib");
  }
  if (any_python && !around.home.empty()) add_packages(folders, fs::path(around.home) / ".local");
  return folders;
}

}  // namespace kernels::cuda
