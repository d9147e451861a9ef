#include "engine/session/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include "engine/session/session_file.hpp"

namespace engine {
namespace {

using enum Presence;

constexpr std::size_t max_axes = 32;  // of a kernel's shape

constexpr std::array condition_fields{
    clock_field<&kernels::Conditions::clock_hz>("clock_hz"),
    clock_field<&kernels::Conditions::memory_clock_hz>("memory_clock_hz"),
    member_field<&kernels::Conditions::power_w>("power_w", optional),
    member_field<&kernels::Conditions::temperature_c, Range{.low = -273.15}>("temperature_c",
                                                                             optional),
    member_field<&kernels::Conditions::throttled>("throttled", optional),
    member_field<&kernels::Conditions::power_limited>("power_limited", rare),
    member_field<&kernels::Conditions::stolen>("stolen", optional),
    member_field<&kernels::Conditions::other_load>("other_load", optional),
    member_field<&kernels::Conditions::quota>("quota", rare),
    member_field<&kernels::Conditions::others>("others", rare),
    member_field<&kernels::Conditions::note>("note", optional),
};

/// Older sessions call a power limit throttling, with this as its only reason.
bool was_power_limit(const kernels::Conditions& conditions) {
  constexpr std::string_view only_reason = "clocks lowered: power cap";
  const std::string_view note = conditions.note;
  return conditions.throttled.value_or(false) && note.starts_with(only_reason) &&
         (note.size() == only_reason.size() || note[only_reason.size()] == ';');
}

template <auto bound>
Json json_of_bound(const Seconds& seconds) {
  return seconds.has_interval() ? json_of(seconds.*bound) : Json(nullptr);
}

void read_outliers(const JsonReader& json, Seconds& seconds) {
  for (const auto& index : json.items(seconds.samples.size()))
    seconds.outliers.push_back(index.whole(0, seconds.samples.size() - 1));
}

constexpr std::array seconds_fields{
    member_field<&Seconds::median, Range{min_seconds, max_seconds}>("median", required),
    special<Seconds>(
        "low", optional, json_of_bound<&Seconds::low>,
        [](const JsonReader& json, Seconds& s) { s.low = json.number(min_seconds, s.median); }),
    special<Seconds>(
        "high", optional, json_of_bound<&Seconds::high>,
        [](const JsonReader& json, Seconds& s) { s.high = json.number(s.median, max_seconds); }),
    member_field<&Seconds::samples, Range{min_seconds, max_seconds}>("samples", required),
    special<Seconds>(
        "outliers", optional, [](const Seconds& s) { return Json(s.outliers); }, read_outliers),
};

}  // namespace

/// Whole numbers without ".0"; others as the shortest text that reads back as the same double.
Json json_of(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < max_whole)
    return static_cast<std::int64_t>(value);
  return value;
}

Json json_of(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(storable(text));
}

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

std::string cell_of(std::string_view text) { return text_cell(text); }

double read_clock(const JsonReader& json) {
  const double clock = json.number(0, max_count);
  if (clock > 0 && clock < 1) json.fail("0 or a clock of at least 1 Hz");
  return clock;
}

void read_into(const JsonReader& json, std::string& text) { text = json.text(); }

void read_into(const JsonReader& json, std::vector<std::string>& names) {
  for (const JsonReader& name : json.items()) names.push_back(name.text());
}

void read_into(const JsonReader& json, bool& value) { value = json.boolean(); }

void read_into(const JsonReader& json, kernels::Dtype& dtype) {
  const auto names = kernels::dtypes | std::views::transform(&kernels::DtypeInfo::name);
  dtype = json.choice(kernels::dtype_named, fmt::format("one of {}", fmt::join(names, ", ")));
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
