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

/// What all rows of one line of a figure begin with.
std::string beginning(const plot::Figure& figure, std::string_view kind, const std::string& name) {
  return fmt::format("{},{},{},", engine::text_cell(figure.title), engine::text_cell(kind),
                     engine::text_cell(name));
}

void add_series(const plot::Figure& figure, const plot::Series& series, std::string& csv) {
  if (series.hidden) return;
  const std::string first = beginning(figure, series.faded ? "earlier run" : "series", series.name);
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    csv += fmt::format("{}{},{},{},{}\r\n", first, value_cell(series.x, i), value_cell(series.y, i),
                       value_cell(series.low, i), value_cell(series.high, i));
  }
}

void add_roof(const plot::Figure& figure, const plot::Roof& roof, std::string& csv) {
  if (roof.thin) return;  // a guide for the eye, computed from the roofs
  const std::string first = beginning(figure, "roof", roof.label);
  for (std::size_t i = 0; i < roof.x.size(); ++i)
    csv += fmt::format("{}{},{},,\r\n", first, value_cell(roof.x, i), value_cell(roof.y, i));
}

std::string axis_text(const plot::Axis& axis) {
  return axis.unit.empty() ? axis.title : fmt::format("{} ({})", axis.title, axis.unit);
}

}  // namespace

std::string csv_of(const plot::Page& page) {
  std::string csv = "panel,kind,name,x,y,y_low,y_high\r\n";
  for (const plot::Figure& figure : page.figures) {
    csv +=
        fmt::format("{}{},{},,\r\n", beginning(figure, "axes", ""),
                    engine::text_cell(axis_text(figure.x)), engine::text_cell(axis_text(figure.y)));
    for (const plot::Series& series : figure.series) add_series(figure, series, csv);
    for (const plot::Roof& roof : figure.roofs) add_roof(figure, roof, csv);
  }
  return csv;
}

}  // namespace ui
