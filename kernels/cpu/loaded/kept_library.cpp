#include "kernels/cpu/loaded/kept_library.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "kernels/kept/own_folder.hpp"
#include "kernels/kept/sha256.hpp"

namespace kernels::cpu {
namespace {

namespace fs = std::filesystem;

constexpr off_t most_bytes = off_t{1} << 26;  // ours have some ten thousand

/// A file descriptor that is closed at the end.
class Opened {
 public:
  explicit Opened(int descriptor) : descriptor_(descriptor) {}
  ~Opened() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  operator int() const { return descriptor_; }

 private:
  int descriptor_;
};

bool is_ours_alone(const struct stat& file) {
  return file.st_uid == geteuid() && (file.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string last_error() {
  const char* const text = dlerror();
  return text != nullptr ? text : "unknown error";
}

}  // namespace

std::string kept_library(const fs::path& file) {
  // Descriptors: what is checked is what is read, whatever is put under that name meanwhile.
  const Opened folder(open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat found {};
  if (folder < 0 || fstat(folder, &found) != 0 || !is_ours_alone(found)) return {};
  const Opened library(
      openat(folder, file.filename().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (library < 0 || fstat(library, &found) != 0 || !S_ISREG(found.st_mode)) return {};
  if (!is_ours_alone(found) || found.st_size > most_bytes) return {};
  std::string bytes(static_cast<std::size_t>(found.st_size), '\0');
  std::size_t done = 0;
  for (ssize_t count = 0; done < bytes.size(); done += static_cast<std::size_t>(count)) {
    count = read(library, bytes.data() + done, bytes.size() - done);
    if (count <= 0) return {};
  }
  // The SHA-256 is the end of the file. ELF does not care what follows.
  if (bytes.size() < sha256_digits) return {};
  const std::string hash = bytes.substr(bytes.size() - sha256_digits);
  bytes.resize(bytes.size() - sha256_digits);
  return hash == sha256(bytes) ? bytes : std::string();
}

void keep_library(const fs::path& file, const std::string& bytes) {
  static_cast<void>(replace_file(file, bytes + sha256(bytes)));
}

void* symbol_in(const std::string& bytes, const std::string& name, const char* symbol,
                std::string& why_not) {
  const int memory = memfd_create(name.c_str(), MFD_CLOEXEC);
  if (memory < 0 || !write_all(memory, bytes)) {
    why_not = fmt::format("memory to load it from: {}", std::generic_category().message(errno));
    if (memory >= 0) close(memory);
    return nullptr;
  }
  void* const handle =
      dlopen(fmt::format("/proc/self/fd/{}", memory).c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = handle != nullptr ? dlsym(handle, symbol) : nullptr;
  if (found != nullptr)
    return found;  // open: dlopen() takes a second file of this path for the first
  why_not = last_error();
  if (handle != nullptr) dlclose(handle);
  close(memory);
  return nullptr;
}

}  // namespace kernels::cpu
