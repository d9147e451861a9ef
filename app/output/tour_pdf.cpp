#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/output/pdf_flow.hpp"
#include "app/output/tour_report.hpp"
#include "ui/plot/output/presets.hpp"

namespace app {
namespace {

using plot::Align;
using plot::Colour;

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
