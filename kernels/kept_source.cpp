#include "kernels/kept_source.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
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

constexpr std::string_view generated_by = "generated and compiled by ";
constexpr std::string_view before_hash = "kernel-";
constexpr std::size_t hash_digits = 16;
constexpr std::string_view temporary = "/tmp/ridgepoint-";
/// Ours have some ten thousand.
constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 20;

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// kernel-0123456789abcdef.cpp
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
  return folder / fmt::format("{}{:016x}{}", before_hash, hash_of(key), extension);
}

void write_source(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) throw Unsupported(fmt::format("{} cannot be written", file.string()));
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
