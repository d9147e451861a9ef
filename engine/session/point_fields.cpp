// The table of what a point has: JSON reader, JSON writer, CSV and the window's results are driven
// by it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/session/fields.hpp"
#include "engine/session/session_file.hpp"
#include "engine/session/session_names.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

using enum Presence;
using kernels::Case;
using kernels::Span;
using kernels::Work;

constexpr std::size_t max_values = 64;      // of one point
constexpr std::size_t max_spans = 100'000;  // of one point
constexpr double most_at_all = std::numeric_limits<double>::max();

bool is_measured(const Point& point) { return point.status == Status::ok; }

bool is_limited(const Point& point) { return is_measured(point) && point.stop == Stop::time_limit; }

/// The family that Ridgepoint runs; of a point from outside any name.
void read_kernel(const JsonReader& json, Point& point) {
  const std::string name = json.text();
  if (const auto family = kernels::family_named(name)) {
    point.what.family = *family;
  } else if (!point.source.empty()) {
    point.what.family = kernels::Family::outside;
    point.kernel = name;
  } else {
    json.fail("a kernel such as \"chain\" or \"tile\", or a source for other programs");
  }
}

/// The device chooses the size of a peak, and a launch has none.
void read_elements(const JsonReader& json, Point& point) {
  point.what.elements =
      json.whole(point.what.family->sized ? 1 : 0, static_cast<std::uint64_t>(max_whole));
}

Json json_of_sizes(const Point& point) {
  Json sizes(nullptr);
  const auto axes = point.what.family->axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (point.what.more[i] > 0) sizes[std::string(axes[i].name)] = point.what.more[i];
  }
  return sizes;
}

void read_sizes(const JsonReader& json, Point& point) {
  for (const auto& [name, value] : json.members(kernels::most_axes)) {
    const auto axis = point.what.family->axis(name);
    if (!axis && point.what.family->role == kernels::Role::outside) continue;  // not known here
    if (!axis) value.fail(fmt::format("an axis of {}", name_of(point.what.family)));
    const kernels::AxisInfo& info = point.what.family->axes[*axis];
    point.what.more[*axis] = value.whole(info.low, info.high);
  }
}

Json json_of_values(const Point& point) {
  Json values(nullptr);
  for (const kernels::Value& one : point.values) {
    if (std::isfinite(one.value)) values[storable(one.name)] = json_of(one.value);
  }
  return values;
}

void read_values(const JsonReader& json, Point& point) {
  for (const auto& [name, value] : json.members(max_values))
    point.values.push_back({name, value.number(-most_at_all, most_at_all)});
}

constexpr std::array span_fields{
    member_field<&Span::lane>("lane", required),
    member_field<&Span::name>("name", required),
    member_field<&Span::begin, Range{0, max_seconds}>("begin", required),
    read_as<Span>(
        [](const JsonReader& json, Span& s) { s.end = json.number(s.begin, max_seconds); },
        member_field<&Span::end>("end", required)),
};

template <auto member>
Json json_of_spans(const Point& point) {
  std::vector<Span> sound;
  for (const Span& span : point.*member) {
    const bool is_sound = span.begin >= 0 && span.begin <= span.end && span.end <= max_seconds &&
                          !span.lane.empty() && !span.name.empty();
    if (is_sound && sound.size() < max_spans) sound.push_back(span);
  }
  return list_of(span_fields, sound);
}

template <auto member>
void read_spans(const JsonReader& json, Point& point) {
  read_list(span_fields, json, point.*member, max_spans);
}

constexpr std::size_t max_visits = 10'000;  // of one point
constexpr std::size_t max_looks = 10'000;   // of one visit

constexpr std::array look_fields{
    text_field<&Look::roof>("roof", required),
    member_field<&Look::rate>("rate", required),
};

constexpr std::array visit_fields{
    member_field<&Visit::first, Range{0, max_whole}>("first", required),
    member_field<&Visit::at, Range{0, max_seconds}>("at", required),
    member_field<&Visit::pass, Range{0, max_whole}>("pass", optional),
    member_field<&Visit::share>("share", rare),
    list_field<&Visit::looks, look_fields, max_looks>("looks", rare),
    member_field<&Visit::set_aside>("set_aside", rare),
    member_field<&Visit::samples, Range{min_seconds, max_seconds}>("samples", rare),
};

constexpr std::array share_fields{
    text_field<&Share::roof>("roof", required),
    field<Share>("median", "", required, At<&Share::of, &Interval::median>{}),
    read_as<Share>([](const JsonReader& json, Share& s) { s.of.low = json.number(0, s.of.median); },
                   field<Share>("low", "", optional, At<&Share::of, &Interval::low>{})),
    read_as<Share>(
        [](const JsonReader& json, Share& s) { s.of.high = json.number(s.of.median, max_count); },
        field<Share>("high", "", optional, At<&Share::of, &Interval::high>{})),
};

Json json_of_share(const Point& point) {
  return point.share ? object_of<Share>(share_fields, *point.share) : Json(nullptr);
}

void read_share(const JsonReader& json, Point& point) {
  read_object<Share>(share_fields, json, point.share.emplace());
}

Json json_of_visits(const Point& point) {
  std::vector<Visit> visits = point.visits;
  visits.resize(std::min(visits.size(), max_visits));
  return list_of(visit_fields, visits);
}

void read_visits(const JsonReader& json, Point& point) {
  for (const JsonReader& one : json.items(max_visits)) {
    Visit visit{.pass = point.visits.size()};  // of files that do not say
    read_object<Visit>(visit_fields, one, visit);
    one.at("first").whole(0, point.seconds.samples.size());
    point.visits.push_back(std::move(visit));
  }
}

/// A column of what follows from the other fields; empty for a point that was not measured.
constexpr Field<Point> column(std::string_view name, std::string (*cell)(const Point&)) {
  return {.key = "", .column = name, .cell = cell};
}

std::string measured_cell(const Point& point, double value) {
  return is_measured(point) ? number_cell(value) : "";
}

/// Few samples have no interval.
std::string interval_cell(const Point& point, double value) {
  return point.seconds.has_interval() ? measured_cell(point, value) : "";
}

template <class At>
constexpr Field<Point> measured_column(std::string_view name, At) {
  return column(name, [](const Point& p) { return measured_cell(p, At{}(p)); });
}

template <class At>
constexpr Field<Point> column_of(std::string_view name, At) {
  return column(name, [](const Point& p) { return cell_of(At{}(p)); });
}

/// One whose cell says otherwise.
constexpr Field<Point> shown_as(std::string (*cell)(const Point&), Field<Point> field) {
  field.cell = cell;
  return field;
}

std::string stop_cell(const Point& point) {
  return text_cell(is_measured(point) ? names::of<names::stops>(point.stop) : "");
}

std::string limit_cell(const Point& point) {
  return text_cell(is_limited(point) ? names::of<names::limits>(point.limit) : "");
}

constexpr std::array table{
    member_field<&Point::id>("id", rare, "id"),
    member_field<&Point::source>("source", rare, "source"),
    text_field<&Point::lab>("experiment", required, "experiment"),
    special<Point>(
        "kernel", required,
        [](const Point& p) { return Json(storable(std::string(kernel_of(p)))); }, read_kernel,
        "kernel", [](const Point& p) { return text_cell(kernel_of(p)); }),
    field<Point>("op", "op", required, At<&Point::what, &Case::ops>{}),
    field<Point>("dtype", "dtype", required, At<&Point::what, &Case::dtype>{}),
    field<Point>("fusion", "fusion", required, At<&Point::what, &Case::fusion>{}),
    field<Point>("units", "units", required, At<&Point::what, &Case::units>{}),
    field<Point>("by", "by", rare, At<&Point::what, &Case::by>{}),
    read_as<Point>(read_elements, field<Point>("elements", "elements", required,
                                               At<&Point::what, &Case::elements>{})),
    field<Point, Range{1, kernels::max_repeat}>("repeat", "repeat", required,
                                                At<&Point::what, &Case::repeat>{}),
    special<Point>("sizes", rare, json_of_sizes, read_sizes),
    field<Point>("data", "data", optional, At<&Point::what, &Case::data>{}),
    field<Point>("shape", "shape", optional, At<&Point::what, &Case::shape>{}),
    member_field<&Point::label>("label", rare, "label"),
    field<Point>("flops", "flops", required, At<&Point::work, &Work::flops>{}),
    field<Point>("bytes", "bytes", required, At<&Point::work, &Work::bytes>{}),
    field<Point, Range{0, max_whole}>("launches", "launches", required,
                                      At<&Point::work, &Work::launches>{}),
    word_field<&Point::status, names::statuses>("status", required, "status"),
    member_field<&Point::why>("why", optional, "why"),
    member_field<&Point::note>("note", optional, "note"),
    only_if(is_measured, member_field<&Point::launched>("launched", rare, "launched")),
    only_if(is_measured, member_field<&Point::seconds>("seconds", required)),
    only_if(is_measured, special<Point>("share", rare, json_of_share, read_share, "share",
                                        [](const Point& p) {
                                          return p.share ? number_cell(p.share->of.median) : "";
                                        })),
    only_if(is_measured,
            special<Point>("visits", rare, json_of_visits, read_visits, "visits",
                           [](const Point& p) { return cell_of(std::uint64_t{p.visits.size()}); })),
    measured_column("seconds_median", [](auto& p) { return p.seconds.median; }),
    column("seconds_low", [](const Point& p) { return interval_cell(p, p.seconds.low); }),
    column("seconds_high", [](const Point& p) { return interval_cell(p, p.seconds.high); }),
    column_of("samples", [](auto& p) { return p.seconds.samples.size(); }),
    column_of("outliers", [](auto& p) { return p.seconds.outliers.size(); }),
    only_if(is_measured,
            shown_as(stop_cell, word_field<&Point::stop, names::stops>("stop", optional, "stop"))),
    only_if(is_limited, shown_as(limit_cell, word_field<&Point::limit, names::limits>(
                                                 "limit", optional, "limit"))),
    measured_column("flops_per_second", [](auto& p) { return p.flops_per_second(); }),
    measured_column("bytes_per_second", [](auto& p) { return p.bytes_per_second(); }),
    column_of("intensity", [](auto& p) { return p.work.intensity(); }),
    member_field<&Point::checked>("checked", required, "checked"),
    member_field<&Point::cold>("cold", optional, "cold"),
    member_field<&Point::probe>("probe", optional, "probe"),
    member_field<&Point::cached>("cached", optional),
    member_field<&Point::run>("run", optional, "run"),
    member_field<&Point::disturbed>("disturbed", optional, "disturbed"),
    member_field<&Point::discarded>("discarded", optional, "discarded"),
    member_field<&Point::contended>("crowded", optional, "crowded"),
    member_field<&Point::before>("before", optional),
    column_of("before_clock_hz", [](auto& p) { return p.before.clock_hz; }),
    member_field<&Point::conditions>("conditions", optional),
    column_of("clock_hz", [](auto& p) { return p.conditions.clock_hz; }),
    column_of("memory_clock_hz", [](auto& p) { return p.conditions.memory_clock_hz; }),
    column_of("power_w", [](auto& p) { return p.conditions.power_w; }),
    column_of("temperature_c", [](auto& p) { return p.conditions.temperature_c; }),
    column_of("throttled", [](auto& p) { return p.conditions.throttled; }),
    column_of("stolen", [](auto& p) { return p.conditions.stolen; }),
    column_of("other_load", [](auto& p) { return p.conditions.other_load; }),
    column_of("conditions_note", [](auto& p) { return p.conditions.note; }),
    special<Point>("values", rare, json_of_values, read_values),
    special<Point>("spans", rare, json_of_spans<&Point::spans>, read_spans<&Point::spans>),
    special<Point>("phases", rare, json_of_spans<&Point::phases>, read_spans<&Point::phases>),
};

}  // namespace

std::span<const Field<Point>> point_fields() { return table; }

}  // namespace engine
