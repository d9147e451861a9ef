// What a user types to start this program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace app {

/// The file's own name where a shell finds this very file under it in `search_path` (the value of
/// PATH); else its whole path, quoted for a POSIX shell where it must be.
std::string words_to_start(const std::filesystem::path& program, std::string_view search_path);

/// words_to_start() of the running program and environment; "ridgepoint" where the system does not
/// tell which file that is, or it is there no more.
std::string own_words_to_start();

}  // namespace app
