#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/output/tour_report.hpp"
#include "kernels/units.hpp"
#include "ui/plot/output/document.hpp"
#include "ui/plot/output/presets.hpp"

namespace app {
namespace {

using plot::Align;
using plot::Colour;

/// In points.
constexpr double page_width = 595.28, page_height = 841.89, page_margin = 48;
constexpr double text_width = page_width - 2 * page_margin;

/// How letters look.
struct Type {
  double size = 9;
  Colour colour{};
  bool bold = false;
  double line() const { return 1.4 * size; }  ///< from one line to the next
};

struct Column {
  double width = 0;
  Align align = Align::left;
};
struct Cell {
  std::string words;
  Type type;
};

constexpr Colour rule_colour{0.82F, 0.84F, 0.87F, 1};
/// The foot lies below.
constexpr double lower_end = page_height - page_margin - 14;

/// How much of a text fits, at least one character; at a space where there is one.
std::size_t fitting(plot::Canvas& canvas, std::string_view text, const Type& type, double width) {
  const auto fits = [&](std::size_t end) {
    return canvas.text_extent(text.substr(0, end), type.size, type.bold).x <= width;
  };
  if (fits(text.size())) return text.size();
  std::size_t space = 0, letter = 0;
  for (std::size_t end = 1; end < text.size(); ++end) {
    const bool starts_letter = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (!starts_letter) continue;
    if (!fits(end)) break;
    letter = end;
    if (text[end] == ' ') space = end;
  }
  if (space > 0) return space;
  return letter > 0 ? letter : std::max<std::size_t>(text.find_first_of(" \n", 1), 1);
}

std::vector<std::string> lines_of(plot::Canvas& canvas, std::string_view words, const Type& type,
                                  double width) {
  const std::string whole = units::printable(words);
  std::string_view rest = whole;
  std::vector<std::string> lines;
  while (!rest.empty()) {
    const std::size_t end = std::min(fitting(canvas, rest, type, width), rest.size());
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
  }
  return lines;
}

/// Text, tables and pictures from top to bottom, over as many A4 pages as they take.
class PdfFlow {
 public:
  /// `name` is the title of the file, and stands in `foot` at the end of every page.
  PdfFlow(const std::string& name, const Type& foot)
      : name_(units::printable(name)), foot_(foot), document_(page_width, page_height, name_) {}

  plot::Document& document() { return document_; }
  double y() const { return y_; }  ///< where the next thing begins

  void skip(double height) { y_ += height; }

  /// Goes on to the next page where the rest of this one is not that high.
  void need(double height) {
    if (y_ + height <= lower_end || y_ <= page_margin) return;
    end_page();
    document_.next_page();
    y_ = page_margin;
  }

  void rule() {
    const std::array line{plot::Vec{page_margin, y_}, plot::Vec{page_width - page_margin, y_}};
    document_.canvas().path(line, rule_colour, 0.6, plot::Dash::solid, false);
  }

  /// Wrapped; then so much space. Nothing where there are no words.
  void paragraph(std::string_view words, const Type& type, double after, double indent = 0) {
    for (const std::string& line : lines_of(document_.canvas(), words, type, text_width - indent)) {
      need(type.line());
      put(line, type, page_margin + indent);
      y_ += type.line();
    }
    if (!words.empty()) y_ += after;
  }

  /// The row stays on one page. `link`: the place that its first cell leads to; empty: none.
  void row(std::span<const Column> columns, std::span<const Cell> cells,
           const std::string& link = {}) {
    constexpr double gap = 10, air = 2.5;
    std::vector<std::vector<std::string>> lines;
    double height = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      lines.push_back(
          lines_of(document_.canvas(), cells[i].words, cells[i].type, columns[i].width - gap));
      height = std::max(height, static_cast<double>(lines[i].size()) * cells[i].type.line());
    }
    need(height + 2 * air);
    skip(air);
    const double top = y_;
    double left = page_margin;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto draw = [&] {
        for (const std::string& line : lines[i]) {
          const bool right = columns[i].align == Align::right;
          const bool last = i + 1 == columns.size();
          put(line, cells[i].type, right ? left + columns[i].width - (last ? 0 : gap) : left,
              columns[i].align);
          skip(cells[i].type.line());
        }
      };
      if (i == 0 && !link.empty()) {
        document_.link(link, draw);
      } else {
        draw();
      }
      skip(top - y_);
      left += columns[i].width;
    }
    skip(height + air);
    rule();
  }

  /// The whole file. Throws std::runtime_error.
  std::string finish() {
    end_page();
    return document_.finish();
  }

 private:
  void put(std::string_view line, const Type& type, double x, Align align = Align::left) {
    document_.canvas().text({x, y_ + type.line() / 2}, line, type.size, type.colour, align, 0,
                            type.bold);
  }

  void end_page() {
    y_ = page_height - page_margin;
    constexpr double for_number = 40;
    const auto lines = lines_of(document_.canvas(), name_, foot_, text_width - for_number);
    if (!lines.empty()) put(lines.front(), foot_, page_margin);
    put(std::to_string(++pages_), foot_, page_width - page_margin, Align::right);
  }

  std::string name_;
  Type foot_;
  plot::Document document_;
  double y_ = page_margin;
  int pages_ = 0;
};

// ---- what stands in it

constexpr Colour ink{0.11F, 0.12F, 0.14F, 1}, dim{0.34F, 0.38F, 0.42F, 1};
constexpr Colour good{0.10F, 0.50F, 0.22F, 1}, bad{0.70F, 0.35F, 0, 1};

constexpr Type heading{20, ink, true}, title{14, ink, true}, question{10.5, ink, true};
constexpr Type body{9, ink}, dim_body{9, dim}, warning{9, bad}, label{8.5, dim}, small{8, dim};

/// Of an outcome, or of what a row says.
Type type_of(std::string_view word) {
  if (word == engine::word_of(engine::Says::holds)) return {9, good, true};
  return {9, word == engine::word_of(engine::Says::differs) ? bad : dim, true};
}

/// Words, then two columns of numbers, then what they say.
void draw_table(PdfFlow& flow, const TourRow& head, const std::vector<TourRow>& rows) {
  if (rows.empty()) return;
  constexpr std::array columns{
      Column{0.46 * text_width, Align::left}, Column{0.14 * text_width, Align::right},
      Column{0.28 * text_width, Align::right}, Column{0.12 * text_width, Align::right}};
  const auto draw = [&](const TourRow& row, const Type& type) {
    flow.row(columns, std::array{Cell{row[0], type}, Cell{row[1], type}, Cell{row[2], type},
                                 Cell{row[3], type_of(row[3])}});
  };
  flow.need(3 * body.line());
  draw(head, label);
  for (const TourRow& row : rows) draw(row, body);
  flow.skip(8);
}

void draw_contents(PdfFlow& flow, const TourReport& report) {
  constexpr std::array columns{Column{0.22 * text_width}, Column{0.15 * text_width},
                               Column{0.63 * text_width}};
  flow.row(columns, std::array{Cell{"Lab", label}, Cell{"Claim here", label}, Cell{}});
  for (const TourSection& section : report.sections) {
    flow.row(columns,
             std::array{Cell{section.title, body}, Cell{section.outcome, type_of(section.outcome)},
                        Cell{section.reason, body}},
             section.name);
  }
  flow.skip(8);
}

/// Long words below bars need all the width.
bool is_wide(const plot::Figure& chart) {
  constexpr std::size_t longest = 12;
  return std::ranges::any_of(chart.x.words,
                             [](const std::string& word) { return word.size() > longest; });
}

/// Two side by side; one that is left over is as wide as the page.
void draw_charts(PdfFlow& flow, const std::vector<plot::Figure>& charts) {
  constexpr double gap = 12, height = 190;
  const plot::Style style =
      plot::style_of(plot::PictureSpec{.preset = plot::preset_named("paper")});
  for (std::size_t i = 0; i < charts.size();) {
    const bool pair = i + 1 < charts.size() && !is_wide(charts[i]) && !is_wide(charts[i + 1]);
    const std::size_t beside = pair ? 2 : 1;
    const double width =
        (text_width - gap * static_cast<double>(beside - 1)) / static_cast<double>(beside);
    flow.need(height);
    for (std::size_t k = 0; k < beside; ++k, ++i) {
      const plot::Rect where{page_margin + static_cast<double>(k) * (width + gap), flow.y(), width,
                             height};
      plot::draw_page({.title = {}, .figures = {charts[i]}}, where, style,
                      flow.document().canvas());
    }
    flow.skip(height + gap);
  }
}

void begin_section(PdfFlow& flow, const std::string& name, const std::string& words) {
  flow.need(170);  // no title without something below it
  if (flow.y() > page_margin) {
    flow.skip(10);
    flow.rule();
    flow.skip(12);
  }
  flow.document().add_place(name, words);
  flow.paragraph(words, title, 2);
}

void draw_section(PdfFlow& flow, const TourSection& section) {
  begin_section(flow, section.name, section.title);
  flow.paragraph(section.question, question, 4);
  if (!section.claim.empty()) {
    flow.paragraph(section.claim, body, 0, 12);
    flow.paragraph(section.source, small, 6, 12);
  }
  flow.paragraph(section.verdict, type_of(section.outcome), 4);
  draw_table(flow, {"", "claim", "this machine", ""}, section.rows);
  for (const std::string& advice : section.advice) flow.paragraph(advice, body, 4);
  flow.paragraph(section.about, dim_body, 8);
  draw_charts(flow, section.charts);
  for (const std::string& words : section.warnings) flow.paragraph(words, small, 2);
}

}  // namespace

std::string tour_pdf(const TourReport& report) {
  const std::string name = "Ridgepoint tour: " + report.machine;
  PdfFlow flow(name, small);
  flow.paragraph(name, heading, 6);
  for (const std::string& fact : report.facts) flow.paragraph(fact, dim_body, 0);
  flow.skip(6);
  flow.paragraph(report.note, warning, 6);
  draw_contents(flow, report);
  for (const TourSection& section : report.sections) draw_section(flow, section);
  if (!report.roofs.empty()) {
    begin_section(flow, "measured-roofs", "Measured roofs");
    draw_table(flow, {"roof", "median", "best", ""}, report.roofs);
  }
  return flow.finish();
}

}  // namespace app
