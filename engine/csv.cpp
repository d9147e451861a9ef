// Points as a table for spreadsheets and scripts: RFC 4180, SI units, an empty cell for what is not
// known.
#include <fmt/format.h>

#include <array>

#include "engine/csv_cells.hpp"
#include "engine/session_file.hpp"
#include "engine/session_names.hpp"

namespace engine {
namespace {

std::string optional_cell(const std::optional<double>& value) {
  return value ? number_cell(*value) : "";
}

std::string truth_cell(bool value) { return value ? "true" : "false"; }

/// A cell that means nothing when the point was not measured.
std::string measured_cell(const Point& point, double value) {
  return point.status == Status::ok ? number_cell(value) : "";
}

/// One column: its name and the cell of a point.
struct Column {
  std::string_view name;
  std::string (*cell)(const Session&, const Point&);
};

constexpr std::array columns{
    Column{"device", [](const Session& s, const Point&) { return text_cell(s.device.name); }},
    Column{"created", [](const Session& s, const Point&) { return text_cell(s.created); }},
    Column{"experiment", [](const Session&, const Point& p) { return text_cell(p.experiment); }},
    Column{"kernel",
           [](const Session&, const Point& p) { return text_cell(name_of(p.what.family)); }},
    Column{"op", [](const Session&, const Point& p) { return text_cell(name_of(p.what.op)); }},
    Column{"dtype",
           [](const Session&, const Point& p) { return text_cell(name_of(p.what.dtype)); }},
    Column{"fusion",
           [](const Session&, const Point& p) { return text_cell(name_of(p.what.fusion)); }},
    Column{"units",
           [](const Session&, const Point& p) { return text_cell(name_of(p.what.units)); }},
    Column{"elements",
           [](const Session&, const Point& p) { return fmt::format("{}", p.what.elements); }},
    Column{"repeat",
           [](const Session&, const Point& p) { return fmt::format("{}", p.what.repeat); }},
    Column{"data", [](const Session&, const Point& p) { return text_cell(name_of(p.what.data)); }},
    Column{"shape",
           [](const Session&, const Point& p) { return text_cell(text_of(p.what.shape)); }},
    Column{"flops", [](const Session&, const Point& p) { return number_cell(p.work.flops); }},
    Column{"bytes", [](const Session&, const Point& p) { return number_cell(p.work.bytes); }},
    Column{"launches", [](const Session&, const Point& p) { return number_cell(p.work.launches); }},
    Column{"status",
           [](const Session&, const Point& p) {
             return text_cell(names::of<names::statuses>(p.status));
           }},
    Column{"why", [](const Session&, const Point& p) { return text_cell(p.why); }},
    Column{"note", [](const Session&, const Point& p) { return text_cell(p.note); }},
    Column{"seconds_median",
           [](const Session&, const Point& p) { return measured_cell(p, p.seconds.median); }},
    Column{"seconds_low",
           [](const Session&, const Point& p) { return measured_cell(p, p.seconds.low); }},
    Column{"seconds_high",
           [](const Session&, const Point& p) { return measured_cell(p, p.seconds.high); }},
    Column{"samples", [](const Session&,
                         const Point& p) { return fmt::format("{}", p.seconds.samples.size()); }},
    Column{"outliers", [](const Session&,
                          const Point& p) { return fmt::format("{}", p.seconds.outliers.size()); }},
    Column{"stop", [](const Session&,
                      const Point& p) { return text_cell(names::of<names::stops>(p.stop)); }},
    Column{"limit",
           [](const Session&, const Point& p) {
             return text_cell(p.stop == Stop::time_limit ? names::of<names::limits>(p.limit) : "");
           }},
    Column{"flops_per_second",
           [](const Session&, const Point& p) { return measured_cell(p, p.flops_per_second()); }},
    Column{"bytes_per_second",
           [](const Session&, const Point& p) { return measured_cell(p, p.bytes_per_second()); }},
    Column{"intensity",
           [](const Session&, const Point& p) { return number_cell(p.work.intensity()); }},
    Column{"checked", [](const Session&, const Point& p) { return truth_cell(p.checked); }},
    Column{"cold", [](const Session&, const Point& p) { return truth_cell(p.cold); }},
    Column{"probe", [](const Session&, const Point& p) { return truth_cell(p.probe); }},
    Column{"run", [](const Session&, const Point& p) { return fmt::format("{}", p.run); }},
    Column{"disturbed", [](const Session&, const Point& p) { return truth_cell(p.disturbed); }},
    Column{"discarded",
           [](const Session&, const Point& p) { return fmt::format("{}", p.discarded); }},
    Column{"crowded", [](const Session&, const Point& p) { return fmt::format("{}", p.crowded); }},
    Column{"before_clock_hz",
           [](const Session&, const Point& p) { return optional_cell(p.before.clock_hz); }},
    Column{"clock_hz",
           [](const Session&, const Point& p) { return optional_cell(p.conditions.clock_hz); }},
    Column{
        "memory_clock_hz",
        [](const Session&, const Point& p) { return optional_cell(p.conditions.memory_clock_hz); }},
    Column{"power_w",
           [](const Session&, const Point& p) { return optional_cell(p.conditions.power_w); }},
    Column{
        "temperature_c",
        [](const Session&, const Point& p) { return optional_cell(p.conditions.temperature_c); }},
    Column{"throttled",
           [](const Session&, const Point& p) {
             const auto& throttled = p.conditions.throttled;
             return throttled ? truth_cell(*throttled) : "";
           }},
    Column{"stolen",
           [](const Session&, const Point& p) { return optional_cell(p.conditions.stolen); }},
    Column{"other_load",
           [](const Session&, const Point& p) { return optional_cell(p.conditions.other_load); }},
    Column{"conditions_note",
           [](const Session&, const Point& p) { return text_cell(p.conditions.note); }},
};

}  // namespace

std::string to_csv(const Session& session) {
  std::string text;
  for (const Column& column : columns) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", column.name);
  }
  text += "\r\n";
  for (const Point& point : session.points) {
    std::string row;
    for (const Column& column : columns) {
      if (&column != columns.data()) row += ',';
      row += column.cell(session, point);
    }
    text += row + "\r\n";
  }
  return text;
}

}  // namespace engine
