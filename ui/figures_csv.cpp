// The numbers behind a page, so that a picture can be drawn again with other tools.
#include <fmt/format.h>

#include <cmath>

#include "engine/csv_cells.hpp"
#include "ui/figures.hpp"

namespace ui {
namespace {

/// Empty for what is not known or not there.
std::string value_cell(const std::vector<double>& values, std::size_t i) {
  return i < values.size() && std::isfinite(values[i]) ? engine::number_cell(values[i]) : "";
}

std::string axis_cell(const plot::Axis& axis) {
  return engine::text_cell(axis.unit.empty() ? axis.title
                                             : fmt::format("{} ({})", axis.title, axis.unit));
}

/// What every row of one line of a figure begins with, so that a table can be filtered.
std::string beginning(const plot::Figure& figure, std::string_view kind, const std::string& name) {
  return fmt::format("{},{},{},{},{},", engine::text_cell(figure.title), engine::text_cell(kind),
                     engine::text_cell(name), axis_cell(figure.x), axis_cell(figure.y));
}

void add_series(const plot::Figure& figure, const plot::Series& series, std::string& csv) {
  if (series.hidden) return;
  const std::string first = beginning(figure, series.faded ? "earlier run" : "series", series.name);
  const plot::Points& points = *series.points;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    csv += fmt::format("{}{},{},{},{}\r\n", first, value_cell(points.x, i), value_cell(points.y, i),
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
    for (const plot::Series& series : figure.series) add_series(figure, series, csv);
    for (const plot::Roof& roof : figure.roofs) add_roof(figure, roof, csv);
  }
  return csv;
}

}  // namespace ui
