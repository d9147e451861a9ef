// A session as Markdown, as people paste it into an issue. Pure.
#pragma once

#include <string>
#include <string_view>

#include "engine/session/session.hpp"

namespace app {

/// As text of one line: nothing in it is markup, and nobody is called by an "@".
std::string markdown_escaped(std::string_view text);

/// The device, what was measured, what limits each series, verdicts, the points where they are few,
/// roofs, and what was left out.
std::string markdown_of(const engine::Session&);

}  // namespace app
