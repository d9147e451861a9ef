#include "kernels/kept_source.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

#include "kernels/device.hpp"

namespace kernels {
namespace {

namespace fs = std::filesystem;

/// FNV-1a, 64 bit (Fowler, Noll, Vo).
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

fs::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? fs::path(value) : fs::path();
}

/// A folder of its own that others cannot write to.
fs::path temporary_folder() {
  std::string name = "/tmp/ridgepoint-XXXXXX";
  return mkdtemp(name.data()) != nullptr ? fs::path(name) : fs::path();
}

/// Makes it, and says whether files can be written there.
bool is_writable(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return !folder.empty() && access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

fs::path usual_source_folder() {
  if (const fs::path xdg = folder_in("XDG_CACHE_HOME"); xdg.is_absolute())
    return xdg / "ridgepoint";
  if (const fs::path home = folder_in("HOME"); home.is_absolute())
    return home / ".cache" / "ridgepoint";
  return {};
}

fs::path source_file(fs::path& folder, const std::string& key, const std::string& extension) {
  if (!is_writable(folder)) folder = temporary_folder();
  return folder / fmt::format("kernel-{:016x}{}", hash_of(key), extension);
}

void write_source(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) throw Unsupported(fmt::format("{} cannot be written", file.string()));
}

}  // namespace kernels
