#include "kernels/kept_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sha256.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "kernels/device.hpp"

namespace kernels {
namespace {

namespace fs = std::filesystem;

/// The first 128 bits of SHA-256, in hexadecimal: nobody finds a second text of the same name.
std::string hash_of(const std::string& text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digits.data());
  return std::string(digits.data(), 32);
}

fs::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? fs::path(value) : fs::path();
}

constexpr std::string_view generated_by = "generated and compiled by ";
constexpr std::string_view before_hash = "kernel-";
constexpr std::size_t hash_digits = 32;
constexpr std::string_view temporary = "/tmp/ridgepoint-";
/// Ours have some ten thousand.
constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 20;

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// kernel-0123456789abcdef0123456789abcdef.cpp
bool is_our_name(const fs::path& file) {
  const std::string stem = file.stem().string(), kind = file.extension().string();
  return stem.starts_with(before_hash) && stem.size() == before_hash.size() + hash_digits &&
         std::all_of(stem.end() - hash_digits, stem.end(), is_hex) &&
         (kind == ".cpp" || kind == ".cu");
}

/// Below /tmp, as temporary_folder() makes them.
bool is_temporary(const fs::path& folder) {
  const std::string name = folder.string();
  return name.starts_with(temporary) && name.find('/', temporary.size()) == std::string::npos;
}

/// A folder of its own that others cannot write to.
fs::path temporary_folder() {
  std::string name = fmt::format("{}XXXXXX", temporary);
  return mkdtemp(name.data()) != nullptr ? fs::path(name) : fs::path();
}

}  // namespace

fs::path usual_source_folder() {
  if (const fs::path xdg = folder_in("XDG_CACHE_HOME"); xdg.is_absolute())
    return xdg / "ridgepoint";
  if (const fs::path home = folder_in("HOME"); home.is_absolute())
    return home / ".cache" / "ridgepoint";
  return {};
}

std::string why_not_private(const fs::path& folder) {
  constexpr mode_t by_others = S_IWGRP | S_IWOTH;
  if (folder.empty()) return "no cache folder is known (XDG_CACHE_HOME, HOME)";
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  mkdir(folder.c_str(), S_IRWXU);
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat found{};
  const bool known = opened >= 0 && fstat(opened, &found) == 0;
  const bool ours = known && found.st_uid == geteuid();
  const bool closed = ours && ((found.st_mode & by_others) == 0 ||
                               fchmod(opened, found.st_mode & 07777 & ~by_others) == 0);
  if (opened >= 0) close(opened);
  if (!known || access(folder.c_str(), W_OK | X_OK) != 0)
    return fmt::format("{} cannot be written", folder.string());
  if (!ours) return fmt::format("{} belongs to another user", folder.string());
  return closed ? "" : fmt::format("others may write to {}", folder.string());
}

fs::path source_file(fs::path& folder, const std::string& key, const std::string& extension) {
  if (!why_not_private(folder).empty()) folder = temporary_folder();
  return folder / fmt::format("{}{}{}", before_hash, hash_of(key), extension);
}

void write_source(const fs::path& file, const std::string& text) {
  const fs::path fresh = fmt::format("{}.{}", file.string(), getpid());
  std::error_code error;
  {
    std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
    out << text;
    if (!out.flush()) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) fs::rename(fresh, file, error);
  if (!error) return;
  fs::remove(fresh, error);
  throw Unsupported(fmt::format("{} cannot be written", file.string()));
}

std::string source_note(std::string_view compiler, const fs::path& file) {
  return fmt::format("{}{}: {}", generated_by, compiler, file.string());
}

fs::path source_named_in(std::string_view note) {
  const std::size_t from = note.find(generated_by);
  const std::size_t colon = from == std::string_view::npos ? from : note.find(": /", from);
  return colon == std::string_view::npos ? fs::path() : fs::path(note.substr(colon + 2));
}

KeptSource read_source(const fs::path& file) {
  // The name is a hash of the text, so that the same name in our own folder is the same text.
  std::vector<fs::path> places;
  if (is_our_name(file)) places.push_back(usual_source_folder() / file.filename());
  if (is_our_name(file) && is_temporary(file.parent_path())) places.push_back(file);
  for (const fs::path& place : places) {
    std::error_code error;
    if (!fs::is_regular_file(place, error) || fs::file_size(place, error) > most_bytes) continue;
    std::ifstream in(place, std::ios::binary);
    KeptSource read{{std::istreambuf_iterator<char>(in), {}}, {}};
    if (!read.text.empty()) return read;
  }
  return {{},
          "The source is not here: the file was removed, or the point was measured on another "
          "machine. Measure it again to make the source."};
}

}  // namespace kernels
