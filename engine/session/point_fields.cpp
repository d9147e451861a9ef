// The table of what a point has: JSON reader, JSON writer, CSV and the window's results are driven
// by it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/session/csv_cells.hpp"
#include "engine/session/fields.hpp"
#include "engine/session/session_names.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

using enum Presence;

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
    point.what.family = *kernels::family_named(kernels::outside_family.name);
    point.kernel = name;
  } else {
    json.fail("a kernel such as \"chain\" or \"tile\", or a source for other programs");
  }
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

constexpr std::array<Field<kernels::Span>, 4> span_fields{{
    field<kernels::Span>(
        "lane", "", "", required, [](auto& s) -> auto& { return s.lane; }),
    field<kernels::Span>(
        "name", "", "", required, [](auto& s) -> auto& { return s.name; }),
    field<kernels::Span, Range{0, max_seconds}>(
        "begin", "", "s", required, [](auto& s) -> auto& { return s.begin; }),
    {.key = "end",
     .column = "",
     .unit = "s",
     .presence = required,
     .json = [](const kernels::Span& s) { return json_of(s.end); },
     .read = [](const JsonReader& json,
                kernels::Span& s) { s.end = json.number(s.begin, max_seconds); }},
}};

template <auto member>
Json json_of_spans(const Point& point) {
  Json spans(nullptr);
  for (const kernels::Span& span : point.*member) {
    const bool sound = span.begin >= 0 && span.begin <= span.end && span.end <= max_seconds &&
                       !span.lane.empty() && !span.name.empty();
    if (sound && spans.size() < max_spans)
      spans.push_back(object_of<kernels::Span>(span_fields, span));
  }
  return spans;
}

template <auto member>
void read_spans(const JsonReader& json, Point& point) {
  for (const JsonReader& one : json.items(max_spans)) {
    kernels::Span span;
    read_object<kernels::Span>(span_fields, one, span);
    (point.*member).push_back(std::move(span));
  }
}

constexpr std::size_t max_visits = 10'000;  // of one point
constexpr std::size_t max_looks = 10'000;   // of one visit

Json json_of_interval(const Interval& interval) {
  return {{"median", json_of(interval.median)},
          {"low", json_of(interval.low)},
          {"high", json_of(interval.high)}};
}

Interval read_interval(const JsonReader& json) {
  Interval interval{json.at("median").number(0, max_count)};
  if (const auto low = json.find("low")) interval.low = low->number(0, interval.median);
  if (const auto high = json.find("high")) interval.high = high->number(interval.median, max_count);
  return interval;
}

Json json_of_share(const Point& point) {
  if (!point.share) return nullptr;
  Json share{{"roof", storable(point.share->roof)}};
  share.update(json_of_interval(point.share->of));
  return share;
}

void read_share(const JsonReader& json, Point& point) {
  point.share = Share{json.at("roof").text(), read_interval(json)};
}

Json json_of_visits(const Point& point) {
  Json visits(nullptr);
  for (const Visit& visit : point.visits) {
    if (visits.size() >= max_visits) break;
    Json one{{"first", visit.first}, {"at", json_of(visit.at)}};
    if (visit.share > 0) one["share"] = json_of(visit.share);
    for (const Look& look : visit.looks)
      one["looks"].push_back({{"roof", storable(look.roof)}, {"rate", json_of(look.rate)}});
    if (!visit.set_aside.empty()) one["set_aside"] = storable(visit.set_aside);
    if (!visit.samples.empty()) one["samples"] = json_of(visit.samples);
    visits.push_back(std::move(one));
  }
  return visits;
}

void read_visits(const JsonReader& json, Point& point) {
  for (const JsonReader& one : json.items(max_visits)) {
    Visit visit;
    visit.first = one.at("first").whole(0, point.seconds.samples.size());
    visit.at = one.at("at").number(0, max_seconds);
    if (const auto share = one.find("share")) visit.share = share->number(0, max_count);
    if (const auto looks = one.find("looks")) {
      for (const JsonReader& look : looks->items(max_looks))
        visit.looks.push_back({look.at("roof").text(), look.at("rate").number(0, max_count)});
    }
    if (const auto why = one.find("set_aside")) visit.set_aside = why->text();
    if (const auto samples = one.find("samples"))
      visit.samples = samples->numbers(min_seconds, max_seconds);
    point.visits.push_back(std::move(visit));
  }
}

Json json_of_launched(const Point& point) {
  const std::string_view word = name_of(point.launched);
  return word.empty() ? Json(nullptr) : Json(word);
}

void read_launched(const JsonReader& json, Point& point) {
  point.launched = json.choice(kernels::launched_named, "\"threads\", \"stream\" or \"graph\"");
}

/// A row that no accessor describes.
constexpr Field<Point> special(std::string_view key, std::string_view column, Presence presence,
                               Json (*json)(const Point&), void (*read)(const JsonReader&, Point&),
                               std::string (*cell)(const Point&) = nullptr) {
  return {.key = key,
          .column = column,
          .unit = "",
          .presence = presence,
          .json = json,
          .read = read,
          .cell = cell};
}

constexpr Field<Point> only_if(bool (*applies)(const Point&), Field<Point> field) {
  field.applies = applies;
  return field;
}

/// A column of what follows from the other fields; empty for a point that was not measured.
constexpr Field<Point> column(std::string_view name, std::string_view unit,
                              std::string (*cell)(const Point&)) {
  return {.key = "", .column = name, .unit = unit, .cell = cell};
}

std::string measured_cell(const Point& point, double value) {
  return is_measured(point) ? number_cell(value) : "";
}

/// Few samples have no interval.
std::string interval_cell(const Point& point, double value) {
  return point.seconds.has_interval() ? measured_cell(point, value) : "";
}

template <class At>
constexpr Field<Point> measured_column(std::string_view name, std::string_view unit, At) {
  return column(name, unit, [](const Point& p) { return measured_cell(p, At{}(p)); });
}

template <class At>
constexpr Field<Point> column_of(std::string_view name, std::string_view unit, At) {
  return column(name, unit, [](const Point& p) { return cell_of(At{}(p)); });
}

constexpr std::array table{
    field<Point>(
        "id", "id", "", rare, [](auto& p) -> auto& { return p.id; }),
    field<Point>(
        "source", "source", "", rare, [](auto& p) -> auto& { return p.source; }),
    special(
        "experiment", "experiment", required, [](const Point& p) { return Json(storable(p.lab)); },
        [](const JsonReader& json, Point& p) { p.lab = json.text(); },
        [](const Point& p) { return text_cell(p.lab); }),
    special(
        "kernel", "kernel", required,
        [](const Point& p) { return Json(storable(std::string(kernel_of(p)))); }, read_kernel,
        [](const Point& p) { return text_cell(kernel_of(p)); }),
    field<Point>(
        "op", "op", "", required, [](auto& p) -> auto& { return p.what.ops; }),
    field<Point>(
        "dtype", "dtype", "", required, [](auto& p) -> auto& { return p.what.dtype; }),
    field<Point>(
        "fusion", "fusion", "", required, [](auto& p) -> auto& { return p.what.fusion; }),
    field<Point>(
        "units", "units", "", required, [](auto& p) -> auto& { return p.what.units; }),
    special(
        "by", "by", rare,
        [](const Point& p) {
          return p.what.by == kernels::By::own ? Json(nullptr) : Json(name_of(p.what.by));
        },
        [](const JsonReader& json, Point& p) { read_into(json, p.what.by); },
        [](const Point& p) { return text_cell(name_of(p.what.by)); }),
    // The device chooses the size of a peak, and a launch has none.
    special(
        "elements", "elements", required, [](const Point& p) { return Json(p.what.elements); },
        [](const JsonReader& json, Point& p) {
          p.what.elements =
              json.whole(p.what.family->sized ? 1 : 0, static_cast<std::uint64_t>(max_whole));
        },
        [](const Point& p) { return cell_of(p.what.elements); }),
    field<Point, Range{1, kernels::max_repeat}>(
        "repeat", "repeat", "", required, [](auto& p) -> auto& { return p.what.repeat; }),
    special("sizes", "", rare, json_of_sizes, read_sizes),
    field<Point>(
        "data", "data", "", optional, [](auto& p) -> auto& { return p.what.data; }),
    field<Point>(
        "shape", "shape", "", optional, [](auto& p) -> auto& { return p.what.shape; }),
    field<Point>(
        "label", "label", "", rare, [](auto& p) -> auto& { return p.label; }),
    field<Point>(
        "flops", "flops", "FLOP", required, [](auto& p) -> auto& { return p.work.flops; }),
    field<Point>(
        "bytes", "bytes", "B", required, [](auto& p) -> auto& { return p.work.bytes; }),
    field<Point, Range{0, max_whole}>(
        "launches", "launches", "", required, [](auto& p) -> auto& { return p.work.launches; }),
    special(
        "status", "status", required,
        [](const Point& p) { return Json(names::of<names::statuses>(p.status)); },
        [](const JsonReader& json, Point& p) {
          p.status =
              json.choice(names::parse<names::statuses>, "\"ok\", \"skipped\" or \"failed\"");
        },
        [](const Point& p) { return text_cell(names::of<names::statuses>(p.status)); }),
    field<Point>(
        "why", "why", "", optional, [](auto& p) -> auto& { return p.why; }),
    field<Point>(
        "note", "note", "", optional, [](auto& p) -> auto& { return p.note; }),
    only_if(is_measured, special("launched", "launched", rare, json_of_launched, read_launched,
                                 [](const Point& p) { return text_cell(name_of(p.launched)); })),
    only_if(is_measured,
            field<Point>(
                "seconds", "", "s", required, [](auto& p) -> auto& { return p.seconds; })),
    only_if(is_measured,
            special("share", "share", rare, json_of_share, read_share,
                    [](const Point& p) { return p.share ? number_cell(p.share->of.median) : ""; })),
    only_if(is_measured,
            special("visits", "visits", rare, json_of_visits, read_visits,
                    [](const Point& p) { return cell_of(std::uint64_t{p.visits.size()}); })),
    measured_column("seconds_median", "s", [](auto& p) { return p.seconds.median; }),
    column("seconds_low", "s", [](const Point& p) { return interval_cell(p, p.seconds.low); }),
    column("seconds_high", "s", [](const Point& p) { return interval_cell(p, p.seconds.high); }),
    column_of("samples", "", [](auto& p) { return p.seconds.samples.size(); }),
    column_of("outliers", "", [](auto& p) { return p.seconds.outliers.size(); }),
    only_if(is_measured,
            special(
                "stop", "stop", optional,
                [](const Point& p) { return Json(names::of<names::stops>(p.stop)); },
                [](const JsonReader& json, Point& p) {
                  p.stop =
                      json.choice(names::parse<names::stops>, "\"noise_goal\" or \"time_limit\"");
                },
                [](const Point& p) {
                  return text_cell(is_measured(p) ? names::of<names::stops>(p.stop) : "");
                })),
    only_if(is_limited,
            special(
                "limit", "limit", optional,
                [](const Point& p) { return Json(names::of<names::limits>(p.limit)); },
                [](const JsonReader& json, Point& p) {
                  p.limit = json.choice(names::parse<names::limits>,
                                        "\"time\", \"samples\", \"others\" or \"stopped\"");
                },
                [](const Point& p) {
                  return text_cell(is_limited(p) ? names::of<names::limits>(p.limit) : "");
                })),
    measured_column("flops_per_second", "FLOP/s", [](auto& p) { return p.flops_per_second(); }),
    measured_column("bytes_per_second", "B/s", [](auto& p) { return p.bytes_per_second(); }),
    column_of("intensity", "FLOP/B", [](auto& p) { return p.work.intensity(); }),
    field<Point>(
        "checked", "checked", "", required, [](auto& p) -> auto& { return p.checked; }),
    field<Point>(
        "cold", "cold", "", optional, [](auto& p) -> auto& { return p.cold; }),
    field<Point>(
        "probe", "probe", "", optional, [](auto& p) -> auto& { return p.probe; }),
    field<Point>(
        "cached", "", "", optional, [](auto& p) -> auto& { return p.cached; }),
    field<Point>(
        "run", "run", "", optional, [](auto& p) -> auto& { return p.run; }),
    field<Point>(
        "disturbed", "disturbed", "", optional, [](auto& p) -> auto& { return p.disturbed; }),
    field<Point>(
        "discarded", "discarded", "", optional, [](auto& p) -> auto& { return p.discarded; }),
    field<Point>(
        "crowded", "crowded", "", optional, [](auto& p) -> auto& { return p.contended; }),
    field<Point>(
        "before", "", "", optional, [](auto& p) -> auto& { return p.before; }),
    column_of("before_clock_hz", "Hz", [](auto& p) { return p.before.clock_hz; }),
    field<Point>(
        "conditions", "", "", optional, [](auto& p) -> auto& { return p.conditions; }),
    column_of("clock_hz", "Hz", [](auto& p) { return p.conditions.clock_hz; }),
    column_of("memory_clock_hz", "Hz", [](auto& p) { return p.conditions.memory_clock_hz; }),
    column_of("power_w", "W", [](auto& p) { return p.conditions.power_w; }),
    column_of("temperature_c", "degree C", [](auto& p) { return p.conditions.temperature_c; }),
    column_of("throttled", "", [](auto& p) { return p.conditions.throttled; }),
    column_of("stolen", "", [](auto& p) { return p.conditions.stolen; }),
    column_of("other_load", "", [](auto& p) { return p.conditions.other_load; }),
    column_of("conditions_note", "", [](auto& p) { return p.conditions.note; }),
    special("values", "", rare, json_of_values, read_values),
    special("spans", "", rare, json_of_spans<&Point::spans>, read_spans<&Point::spans>),
    special("phases", "", rare, json_of_spans<&Point::phases>, read_spans<&Point::phases>),
};

}  // namespace

std::span<const Field<Point>> point_fields() { return table; }

}  // namespace engine
