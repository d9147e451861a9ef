#include "kernels/kept/kept_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "kernels/device.hpp"
#include "kernels/kept/own_folder.hpp"
#include "kernels/kept/sha256.hpp"

namespace kernels {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view generated_by = "generated and compiled by ";
constexpr std::string_view before_hash = "kernel-";
constexpr std::size_t hash_digits = 32;  // 128 bits: nobody finds a second text of the same name
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

}  // namespace

fs::path source_file(const fs::path& folder, const std::string& key, const std::string& extension) {
  return folder / fmt::format("{}{}{}", before_hash, sha256(key).substr(0, hash_digits), extension);
}

void write_source(const fs::path& file, const std::string& text) {
  const std::string why = replace_file(file, text);
  if (!why.empty())
    throw Unsupported(fmt::format("{} cannot be written: {}; name another folder in XDG_CACHE_HOME",
                                  file.string(), why));
}

std::string source_note(std::string_view compiler, const fs::path& file) {
  return fmt::format("{}{}: {}", generated_by, compiler, file.string());
}

fs::path source_named_in(std::string_view note) {
  const std::size_t from = note.find(generated_by);
  const std::size_t colon = note.rfind(": /");  // a compiler's own words may have one, too
  if (from == std::string_view::npos || colon == std::string_view::npos || colon < from) return {};
  return note.substr(colon + 2);
}

KeptSource read_source(const fs::path& file) {
  // The name is a hash of the text, so that the same name in our own folder is the same text.
  std::vector<fs::path> places;
  if (is_our_name(file)) {
    places = further_folders();
    places.insert(places.begin(), cache_folder());
  }
  for (const fs::path& folder : places) {
    const fs::path place = folder / file.filename();
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
