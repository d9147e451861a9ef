// Text, tables and pictures from top to bottom, over as many A4 pages as they take. Knows nothing
// of what they say.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ui/plot/output/document.hpp"

namespace app {

/// In points.
inline constexpr double page_width = 595.28, page_height = 841.89, page_margin = 48;
inline constexpr double text_width = page_width - 2 * page_margin;

/// How letters look.
struct Type {
  double size = 9;
  plot::Colour colour{};
  bool bold = false;
  double line() const { return 1.4 * size; }  ///< from one line to the next
};

struct Column {
  double width = 0;
  plot::Align align = plot::Align::left;
};
struct Cell {
  std::string words;
  Type type;
};

class PdfFlow {
 public:
  /// `name` is the title of the file, and stands in `foot` at the end of every page.
  PdfFlow(const std::string& name, const Type& foot);

  plot::Document& document() { return document_; }
  double y() const { return y_; }  ///< where the next thing begins

  void skip(double height) { y_ += height; }
  /// Goes on to the next page where the rest of this one is not that high.
  void need(double height);
  void rule();
  /// Wrapped; then so much space. Nothing where there are no words.
  void paragraph(std::string_view words, const Type&, double after, double indent = 0);
  /// The row stays on one page. `link`: the place that its first cell leads to; empty: none.
  void row(std::span<const Column>, std::span<const Cell>, const std::string& link = {});

  /// The whole file. Throws std::runtime_error.
  std::string finish();

 private:
  void put(std::string_view line, const Type&, double x, plot::Align = plot::Align::left);
  void end_page();

  std::string name_;
  Type foot_;
  plot::Document document_;
  double y_ = page_margin;
  int pages_ = 0;
};

}  // namespace app
