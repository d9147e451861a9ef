// A session as Markdown, as people paste it into an issue. Pure.
#pragma once

#include <string>

#include "engine/session/session.hpp"

namespace app {

/// The device, what was measured, what limits each series, verdicts, the points where they are few,
/// roofs, and what was left out.
std::string markdown_of(const engine::Session&);

}  // namespace app
