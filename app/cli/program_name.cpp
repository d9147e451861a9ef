#include "app/cli/program_name.hpp"

#include <unistd.h>

#include <cstdlib>
#include <ranges>
#include <system_error>

namespace app {
namespace {

namespace fs = std::filesystem;

/// The file that a shell starts by this name, in whatever folder it is; empty where there is none.
fs::path found_in(std::string_view search_path, const fs::path& name) {
  for (const auto folder : std::views::split(search_path, ':')) {
    const fs::path file = fs::path(folder.begin(), folder.end()) / name;
    std::error_code ignored;
    if (!file.is_absolute()) continue;  // depends on where the shell is
    if (fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

std::string quoted(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%";
  if (word.find_first_not_of(plain) == std::string::npos) return word;
  std::string words = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      words += "'\\''";
    } else {
      words += letter;
    }
  }
  return words + "'";
}

}  // namespace

std::string words_to_start(const fs::path& program, std::string_view search_path) {
  const fs::path found = found_in(search_path, program.filename());
  std::error_code ignored;
  if (!found.empty() && fs::equivalent(found, program, ignored))
    return quoted(program.filename().string());
  return quoted(program.string());
}

std::string own_words_to_start() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed || !fs::exists(program, failed)) return "ridgepoint";
  const char* search_path = std::getenv("PATH");
  return words_to_start(program, search_path != nullptr ? search_path : "");
}

}  // namespace app
