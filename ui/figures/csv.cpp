// The numbers behind a page, so that a picture can be drawn again with other tools.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/session/session_file.hpp"
#include "ui/figures/figures.hpp"

namespace ui {
namespace {

/// Empty for what is not known or not there.
std::string value_cell(const std::vector<double>& values, std::size_t i) {
  return i < values.size() && std::isfinite(values[i]) ? engine::number_cell(values[i]) : "";
}

std::string axis_cell(const plot::Axis& axis) {
  const bool plain = axis.unit.empty() || axis.unit == "%";  // a share is a number of 1
  return engine::text_cell(plain ? axis.title : fmt::format("{} ({})", axis.title, axis.unit));
}

/// What every row of one line of a figure begins with, so that a table can be filtered.
std::string beginning(const plot::Figure& figure, std::string_view kind, const std::string& name) {
  return fmt::format("{},{},{},{},{},", engine::text_cell(figure.title), engine::text_cell(kind),
                     engine::text_cell(name), axis_cell(figure.x), axis_cell(figure.y));
}

/// A number, or the word that lies there.
std::string x_cell(const plot::Figure& figure, const plot::Points& points, std::size_t i) {
  const auto word = static_cast<std::size_t>(std::max(0.0, std::round(points.x[i])));
  return word < figure.x.words.size() ? engine::text_cell(figure.x.words[word])
                                      : value_cell(points.x, i);
}

/// Of a stacked bar its own height.
std::string y_cell(const plot::Points& points, std::size_t i) {
  if (i >= points.from.size()) return value_cell(points.y, i);
  return engine::number_cell(points.y[i] - points.from[i]);
}

void add_spans(const plot::Figure& figure, const plot::Series& series, std::string& csv) {
  for (const plot::Span& span : series.spans) {
    const std::string first = beginning(figure, "span", span.name);
    const auto lane = static_cast<std::size_t>(std::max(0.0, span.lane));
    const std::string name = lane < figure.y.words.size() ? figure.y.words[lane] : "";
    csv += fmt::format("{}{},{},{},{}\r\n", first, engine::number_cell(span.begin),
                       engine::text_cell(name), engine::number_cell(span.begin),
                       engine::number_cell(span.end));
  }
}

void add_series(const plot::Figure& figure, const plot::Series& series, std::string& csv) {
  if (series.hidden) return;
  const std::string first = beginning(figure, series.faded ? "earlier run" : "series", series.name);
  const plot::Points& points = *series.points;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    csv += fmt::format("{}{},{},{},{}\r\n", first, x_cell(figure, points, i), y_cell(points, i),
                       value_cell(points.low, i), value_cell(points.high, i));
  }
}

void add_roof(const plot::Figure& figure, const plot::Roof& roof, std::string& csv) {
  if (roof.thin) return;  // a guide for the eye, computed from the roofs
  const std::string first = beginning(figure, "roof", roof.id);
  for (std::size_t i = 0; i < roof.x.size(); ++i)
    csv += fmt::format("{}{},{},,\r\n", first, value_cell(roof.x, i), value_cell(roof.y, i));
}

}  // namespace

std::string csv_of(const plot::Page& page) {
  std::string csv = "panel,kind,name,x_axis,y_axis,x,y,y_low,y_high\r\n";
  for (const plot::Figure& figure : page.figures) {
    for (const plot::Series& series : figure.series) {
      add_series(figure, series, csv);
      if (!series.hidden) add_spans(figure, series, csv);
    }
    for (const plot::Roof& roof : figure.roofs) add_roof(figure, roof, csv);
  }
  return csv;
}

}  // namespace ui
