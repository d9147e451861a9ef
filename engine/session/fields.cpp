#include "engine/session/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/session/csv_cells.hpp"

namespace engine {
namespace {

constexpr std::size_t max_axes = 32;  // of a kernel's shape

template <class At>
constexpr Field<kernels::Conditions> clock(std::string_view key, At at) {
  Field<kernels::Conditions> clock =
      field<kernels::Conditions>(key, "", "Hz", Presence::optional, at);
  clock.read = [](const JsonReader& json, kernels::Conditions& conditions) {
    At{}(conditions) = read_clock(json);
  };
  return clock;
}

constexpr std::array condition_fields{
    clock(
        "clock_hz", [](auto& c) -> auto& { return c.clock_hz; }),
    clock(
        "memory_clock_hz", [](auto& c) -> auto& { return c.memory_clock_hz; }),
    field<kernels::Conditions>(
        "power_w", "", "W", Presence::optional, [](auto& c) -> auto& { return c.power_w; }),
    field<kernels::Conditions, Range{.low = -273.15}>(
        "temperature_c", "", "degree C", Presence::optional,
        [](auto& c) -> auto& { return c.temperature_c; }),
    field<kernels::Conditions>(
        "throttled", "", "", Presence::optional, [](auto& c) -> auto& { return c.throttled; }),
    field<kernels::Conditions>(
        "power_limited", "", "", Presence::rare, [](auto& c) -> auto& { return c.power_limited; }),
    field<kernels::Conditions>(
        "stolen", "", "", Presence::optional, [](auto& c) -> auto& { return c.stolen; }),
    field<kernels::Conditions>(
        "other_load", "", "", Presence::optional, [](auto& c) -> auto& { return c.other_load; }),
    field<kernels::Conditions>(
        "quota", "", "", Presence::rare, [](auto& c) -> auto& { return c.quota; }),
    field<kernels::Conditions>(
        "others", "", "", Presence::rare, [](auto& c) -> auto& { return c.others; }),
    field<kernels::Conditions>(
        "note", "", "", Presence::optional, [](auto& c) -> auto& { return c.note; }),
};

/// Older sessions call a power limit throttling, with this as its only reason.
bool was_power_limit(const kernels::Conditions& conditions) {
  constexpr std::string_view only_reason = "clocks lowered: power cap";
  const std::string_view note = conditions.note;
  return conditions.throttled.value_or(false) && note.starts_with(only_reason) &&
         (note.size() == only_reason.size() || note[only_reason.size()] == ';');
}

constexpr std::array<Field<Seconds>, 5> seconds_fields{{
    field<Seconds, Range{min_seconds, max_seconds}>(
        "median", "", "s", Presence::required, [](auto& s) -> auto& { return s.median; }),
    {.key = "low",
     .column = "",
     .unit = "s",
     .presence = Presence::optional,
     .json = [](const Seconds& s) { return s.has_interval() ? json_of(s.low) : Json(nullptr); },
     .read = [](const JsonReader& json,
                Seconds& s) { s.low = json.number(min_seconds, s.median); }},
    {.key = "high",
     .column = "",
     .unit = "s",
     .presence = Presence::optional,
     .json = [](const Seconds& s) { return s.has_interval() ? json_of(s.high) : Json(nullptr); },
     .read = [](const JsonReader& json,
                Seconds& s) { s.high = json.number(s.median, max_seconds); }},
    field<Seconds, Range{min_seconds, max_seconds}>(
        "samples", "", "s", Presence::required, [](auto& s) -> auto& { return s.samples; }),
    {.key = "outliers",
     .column = "",
     .unit = "",
     .presence = Presence::optional,
     .json = [](const Seconds& s) { return Json(s.outliers); },
     .read =
         [](const JsonReader& json, Seconds& s) {
           for (const auto& index : json.items(s.samples.size()))
             s.outliers.push_back(index.whole(0, s.samples.size() - 1));
         }},
}};

}  // namespace

/// Whole numbers without ".0"; others as the shortest text that reads back as the same double.
Json json_of(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < max_whole)
    return static_cast<std::int64_t>(value);
  return value;
}

Json json_of(bool value) { return value; }

Json json_of(std::uint64_t value) { return value; }

Json json_of(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(storable(text));
}

Json json_of(const std::optional<double>& value) { return value ? json_of(*value) : Json(nullptr); }

Json json_of(const std::optional<bool>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const std::vector<double>& values) {
  Json all = Json::array();
  for (const double value : values) all.push_back(json_of(value));
  return all;
}

/// {"chains": "8", "unroll": "256"}, or null for the device's defaults.
Json json_of(const kernels::Shape& shape) {
  Json json(nullptr);
  for (const auto& [axis, value] : shape) json[storable(axis)] = storable(value);
  return json;
}

Json json_of(const kernels::Conditions& conditions) {
  return object_of<kernels::Conditions>(condition_fields, conditions);
}

Json json_of(const Seconds& seconds) { return object_of<Seconds>(seconds_fields, seconds); }

std::string cell_of(double value) { return number_cell(value); }

std::string cell_of(bool value) { return value ? "true" : "false"; }

std::string cell_of(std::uint64_t value) { return fmt::format("{}", value); }

std::string cell_of(const std::string& text) { return text_cell(text); }

std::string cell_of(const std::optional<double>& value) { return value ? number_cell(*value) : ""; }

std::string cell_of(const std::optional<bool>& value) { return value ? cell_of(*value) : ""; }

double read_clock(const JsonReader& json) {
  const double clock = json.number(0, max_count);
  if (clock > 0 && clock < 1) json.fail("0 or a clock of at least 1 Hz");
  return clock;
}

void read_into(const JsonReader& json, std::string& text) { text = json.text(); }

void read_into(const JsonReader& json, bool& value) { value = json.boolean(); }

void read_into(const JsonReader& json, std::optional<bool>& value) { value = json.boolean(); }

void read_into(const JsonReader& json, kernels::Dtype& dtype) {
  std::string expected;
  for (const auto& info : kernels::dtypes)
    expected += fmt::format("{}{}", expected.empty() ? "" : ", ", info.name);
  dtype = json.choice(kernels::dtype_named, "one of " + expected);
}

void read_into(const JsonReader& json, kernels::Fusion& fusion) {
  fusion = json.choice(kernels::fusion_named, "\"fused\" or \"unfused\"");
}

void read_into(const JsonReader& json, kernels::Units& units) {
  units = json.choice(kernels::units_named, "\"vector\" or \"matrix\"");
}

void read_into(const JsonReader& json, kernels::Data& data) {
  data = json.choice(kernels::data_named, "\"random\" or \"zeros\"");
}

void read_into(const JsonReader& json, kernels::By& by) {
  by = json.choice(kernels::by_named, "\"own\", \"library\" or \"generated\"");
}

void read_into(const JsonReader& json, kernels::Ops& ops) {
  ops = json.choice(kernels::ops_named, "an op such as \"mul\", \"add\" or \"fma\"");
}

void read_into(const JsonReader& json, kernels::Shape& shape) {
  for (const auto& [axis, value] : json.members(max_axes)) shape.push_back({axis, value.text()});
}

void read_into(const JsonReader& json, kernels::Conditions& conditions) {
  read_object<kernels::Conditions>(condition_fields, json, conditions);
  if (!conditions.power_limited && was_power_limit(conditions)) {
    conditions.power_limited = true;
    conditions.throttled = false;
  }
}

void read_into(const JsonReader& json, Seconds& seconds) {
  // Few samples have no interval in files: then it is all that was seen.
  seconds.low = seconds.high = 0;
  read_object<Seconds>(seconds_fields, json, seconds);
  for (const double sample : seconds.samples) {
    if (!json.find("low")) seconds.low = seconds.low > 0 ? std::min(seconds.low, sample) : sample;
    if (!json.find("high")) seconds.high = std::max(seconds.high, sample);
  }
  if (!(seconds.low > 0) || seconds.low > seconds.median) seconds.low = seconds.median;
  seconds.high = std::max(seconds.high, seconds.median);
}

}  // namespace engine
