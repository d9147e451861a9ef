// A page of HTML that is complete in itself: charts that show values under the pointer and zoom,
// and their numbers as a table. It asks no network for anything. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/plot/draw.hpp"
#include "ui/plot/output/presets.hpp"

namespace ui {

/// Written from top to bottom. Whatever comes from a file must be escaped before it is added.
class HtmlPage {
 public:
  /// `title` is text; `style` has the rules that this page alone needs. Dark where that is asked
  /// for, else as the reader's system is.
  HtmlPage(const std::string& title, plot::Theme, std::string_view style = {});

  void add(std::string_view markup) { text_ += markup; }
  /// Figures that share a legend and are pointed at together. Each is a drawing where the reader's
  /// program runs no script.
  void add_charts(std::vector<plot::Figure>);

  /// The page with the numbers of its charts as a table, to be downloaded under the name
  /// `data_file`. Nothing can be added afterwards.
  std::string finish(const std::string& data_file);

 private:
  std::string data(const std::string& data_file) const;

  std::string text_;
  std::vector<std::vector<plot::Figure>> groups_;
};

/// A paragraph of a class; empty where the text is.
std::string html_paragraph(std::string_view kind, std::string_view text);
/// Rows of text, of which the first is the head; empty without any.
std::string html_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace ui
