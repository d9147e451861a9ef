// Sentences for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace engine {

/// One sentence as lines of at most 100 columns: the first begins with `begin`, the others with as
/// many spaces.
std::string wrapped(const std::string& begin, std::string_view text);

}  // namespace engine
