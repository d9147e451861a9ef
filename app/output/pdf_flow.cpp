#include "app/output/pdf_flow.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/units.hpp"

namespace app {
namespace {

constexpr plot::Colour rule_colour{0.82F, 0.84F, 0.87F, 1};
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

}  // namespace

PdfFlow::PdfFlow(const std::string& name, const Type& foot)
    : name_(units::printable(name)), foot_(foot), document_(page_width, page_height, name_) {}

void PdfFlow::need(double height) {
  if (y_ + height <= lower_end || y_ <= page_margin) return;
  end_page();
  document_.next_page();
  y_ = page_margin;
}

void PdfFlow::rule() {
  const std::array line{plot::Vec{page_margin, y_}, plot::Vec{page_width - page_margin, y_}};
  document_.canvas().path(line, rule_colour, 0.6, plot::Dash::solid, false);
}

void PdfFlow::paragraph(std::string_view words, const Type& type, double after, double indent) {
  for (const std::string& line : lines_of(document_.canvas(), words, type, text_width - indent)) {
    need(type.line());
    put(line, type, page_margin + indent);
    y_ += type.line();
  }
  if (!words.empty()) y_ += after;
}

void PdfFlow::row(std::span<const Column> columns, std::span<const Cell> cells,
                  const std::string& link) {
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
        const bool right = columns[i].align == plot::Align::right;
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

std::string PdfFlow::finish() {
  end_page();
  return document_.finish();
}

void PdfFlow::put(std::string_view line, const Type& type, double x, plot::Align align) {
  document_.canvas().text({x, y_ + type.line() / 2}, line, type.size, type.colour, align, 0,
                          type.bold);
}

void PdfFlow::end_page() {
  y_ = page_height - page_margin;
  constexpr double for_number = 40;
  const auto lines = lines_of(document_.canvas(), name_, foot_, text_width - for_number);
  if (!lines.empty()) put(lines.front(), foot_, page_margin);
  put(std::to_string(++pages_), foot_, page_width - page_margin, plot::Align::right);
}

}  // namespace app
