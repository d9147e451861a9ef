// A page of charts as one file of HTML that shows values under the pointer, zooms and sorts, and
// asks no network for anything. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/session/session.hpp"
#include "ui/plot/output/presets.hpp"

namespace app {

/// "plot.html".
bool is_html(std::string_view file_name);

/// The page with these words as lines below its charts, what the sessions say in words, and its
/// numbers as a table that can be downloaded under the name `data_file`; dark where that is asked
/// for, else as the reader's system is. All that comes from a session is text.
std::string page_html(const plot::Page&, std::span<const engine::Session* const>, plot::Theme,
                      const std::string& data_file, std::string_view words = {});

}  // namespace app
