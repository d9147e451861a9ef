// A page of HTML, complete in itself: charts that show values and zoom, and their numbers. It asks
// no network for anything. A page of charts as a file: a picture, or such a page. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/figures/figures.hpp"
#include "ui/plot/draw.hpp"
#include "ui/plot/output/presets.hpp"

namespace ui {

/// Written from top to bottom. Whatever comes from a file must be escaped before it is added.
class HtmlPage {
 public:
  /// `title` is text, `style` the page's own rules. Dark if asked, else as the reader's system.
  HtmlPage(const std::string& title, plot::Theme, std::string_view style = {});

  void add(std::string_view markup) { text_ += markup; }
  /// Figures that share a legend and are pointed at together; without scripts, drawings.
  void add_charts(std::vector<plot::Figure>);

  /// The page with its numbers as a table, to be downloaded as `data_file`. Ends the page.
  std::string finish(const std::string& data_file);

 private:
  std::string text_;
  std::vector<std::vector<plot::Figure>> groups_;
};

/// A paragraph of a class; empty where the text is.
std::string html_paragraph(std::string_view kind, std::string_view text);

/// The page with its table, what the sessions say in words, and its numbers as `data_file`. All of
/// it is text, which is escaped here.
std::string page_html(const plot::Page&, const Sessions&, plot::Theme,
                      const std::string& data_file);

/// The bytes of the file that `path` names. Throws as plot::render() does.
std::string file_of(const plot::Page&, const Sessions&, const plot::PictureSpec&, plot::Format,
                    const std::string& path);

}  // namespace ui
