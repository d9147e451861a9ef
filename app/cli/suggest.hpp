// "Did you mean": the known word nearest to one that is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace app {

/// "; did you mean 'sweep'?" when one of `known` is at most two edits away, else empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace app
