// Points as a table for spreadsheets and scripts: RFC 4180, SI units, an empty cell for what is not
// known.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>

#include "engine/session/fields.hpp"
#include "engine/session/session_file.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

struct Column {
  std::string name;
  std::function<std::string(const CsvRow&)> cell;
};

/// A column of its own for each name that occurs.
void add_columns(std::vector<Column>& columns, std::string_view prefix,
                 const std::vector<std::string>& names,
                 std::string (*cell)(const Point&, const std::string& name)) {
  for (const std::string& name : names) {
    columns.push_back({text_cell(fmt::format("{}{}", prefix, name)),
                       [=](const CsvRow& row) { return cell(row.point, name); }});
  }
}

void add_name(std::vector<std::string>& names, std::string_view name) {
  if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
}

std::string size_cell(const Point& point, const std::string& axis) {
  const auto value = kernels::size(point.what, axis);
  return value && *value > 0 ? cell_of(*value) : "";
}

std::string value_cell(const Point& point, const std::string& name) {
  return cell_of(told(point, name));
}

/// The axes that families have beside elements and repeat, and the extra values.
void add_named_columns(std::span<const CsvRow> rows, std::vector<Column>& columns) {
  std::vector<std::string> axes, values;
  for (const CsvRow& row : rows) {
    for (const kernels::AxisInfo& axis : row.point.what.family->axes) add_name(axes, axis.name);
    for (const kernels::Value& value : row.point.values) add_name(values, value.name);
  }
  add_columns(columns, "size_", axes, size_cell);
  add_columns(columns, "value_", values, value_cell);
}

/// Rare fields have a column only where a row has one, after all others: tables stay as they were.
std::vector<Column> columns_of(std::span<const CsvRow> rows) {
  std::vector<Column> columns{
      {"device", [](const CsvRow& row) { return text_cell(row.session.device.name); }},
      {"created", [](const CsvRow& row) { return text_cell(row.session.created); }}};
  std::vector<Column> rare;
  for (const Field<Point>& field : point_fields()) {
    if (field.column.empty()) continue;
    const auto has_one = [&](const CsvRow& row) { return !written(field, row.point).is_null(); };
    const bool is_rare = field.presence == Presence::rare;
    if (is_rare && std::ranges::none_of(rows, has_one)) continue;
    (is_rare ? rare : columns).push_back({std::string(field.column), [&field](const CsvRow& row) {
                                            return field.cell(row.point);
                                          }});
  }
  std::ranges::move(rare, std::back_inserter(columns));
  add_named_columns(rows, columns);
  return columns;
}

}  // namespace

std::string text_cell(std::string_view text) {
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

std::string number_cell(double value) { return fmt::format("{}", value); }

std::string to_csv(std::span<const CsvRow> rows) {
  const std::vector<Column> columns = columns_of(rows);
  std::string text;
  const auto add_line = [&](auto cell) {
    text += fmt::format("{}\r\n", fmt::join(columns | std::views::transform(cell), ","));
  };
  add_line(&Column::name);
  for (const CsvRow& row : rows) add_line([&](const Column& column) { return column.cell(row); });
  return text;
}

std::string to_csv(const Session& session) {
  std::vector<CsvRow> rows;
  rows.reserve(session.points.size());
  for (const Point& point : session.points) rows.push_back({session, point});
  return to_csv(rows);
}

}  // namespace engine
