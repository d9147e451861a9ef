// A page of charts as a file: a picture, or a page of HTML. Pure.
#pragma once

#include <string>

#include "ui/figures/figures.hpp"
#include "ui/plot/output/presets.hpp"

namespace ui {

/// The page with its table, with what the sessions say in words, and its numbers as a table that
/// can be downloaded under the name `data_file`. All of it is text.
std::string page_html(const plot::Page&, const Sessions&, plot::Theme,
                      const std::string& data_file);

/// The bytes of the file that `path` names. Throws as plot::render() does.
std::string file_of(const plot::Page&, const Sessions&, const plot::PictureSpec&, plot::Format,
                    const std::string& path);

}  // namespace ui
