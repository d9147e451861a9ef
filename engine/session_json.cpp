// Session -> JSON text: fields in the order of the format, one line per roof and point.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/json_reader.hpp"
#include "engine/session_file.hpp"
#include "engine/session_names.hpp"

namespace engine {
namespace {

using Json = nlohmann::ordered_json;

/// Whole numbers without ".0"; others as the shortest text that reads back as the same double.
Json number(double value) {
  constexpr double exact = 0x1p53;
  if (value == std::floor(value) && std::abs(value) < exact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

/// Absent and not finite alike are null: JSON knows no infinity.
Json optional_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? number(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(printable(text));
}

Json numbers(const std::vector<double>& values) {
  Json all = Json::array();
  for (const double value : values) all.push_back(number(value));
  return all;
}

Json json_of(const kernels::Conditions& conditions) {
  Json json{{"clock_hz", optional_number(conditions.clock_hz)},
            {"memory_clock_hz", optional_number(conditions.memory_clock_hz)},
            {"power_w", optional_number(conditions.power_w)},
            {"temperature_c", optional_number(conditions.temperature_c)},
            {"throttled", nullptr}};
  if (conditions.throttled) json["throttled"] = *conditions.throttled;
  json["stolen"] = optional_number(conditions.stolen);
  json["other_load"] = optional_number(conditions.other_load);
  json["note"] = text_or_null(conditions.note);
  return json;
}

/// {"chains": "8", "unroll": "256"}, or null for the device's defaults.
Json json_of(const kernels::Shape& shape) {
  Json json(nullptr);
  for (const auto& [axis, value] : shape) json[printable(axis)] = printable(value);
  return json;
}

Json json_of(const kernels::DeviceInfo& device) {
  Json json{{"id", printable(device.id)},
            {"kind", printable(device.kind)},
            {"name", printable(device.name)},
            {"driver", printable(device.driver)},
            {"compute_capability", printable(device.compute_capability)},
            {"instruction_sets", device.instruction_sets},
            {"multiprocessors", device.multiprocessors},
            {"threads", device.threads},
            {"clock_hz", number(device.clock_hz)},
            {"memory_clock_hz", number(device.memory_clock_hz)},
            {"memory_bytes", number(device.memory_bytes)},
            {"l1_bytes", number(device.l1_bytes)},
            {"l2_bytes", number(device.l2_bytes)},
            {"l3_bytes", number(device.l3_bytes)},
            {"draws_screen", device.draws_screen}};
  json["peaks"] = Json::array();
  for (const auto& peak : device.peaks) {
    json["peaks"].push_back({{"dtype", name_of(peak.dtype)},
                             {"units", name_of(peak.units)},
                             {"flops_per_clock_per_core", number(peak.flops_per_clock_per_core)},
                             {"derivation", printable(peak.derivation)}});
  }
  return json;
}

Json json_of(const Roof& roof) {
  Json json{{"name", printable(roof.name)},
            {"kind", names::of<names::roof_kinds>(roof.kind)},
            {"dtype", nullptr},
            {"units", nullptr},
            {"rate", number(roof.rate)}};
  if (roof.dtype) json["dtype"] = name_of(*roof.dtype);
  if (roof.units) json["units"] = name_of(*roof.units);
  if (roof.rate_low > 0) json["rate_low"] = number(roof.rate_low);
  if (roof.rate_high > 0) json["rate_high"] = number(roof.rate_high);
  json["source"] = names::of<names::roof_sources>(roof.source);
  json["cite"] = printable(roof.cite);
  json["shape"] = json_of(roof.shape);
  json["data"] = name_of(roof.data);
  json["conditions"] = json_of(roof.conditions);
  json["flaws"] = text_or_null(roof.flaws);
  return json;
}

Json json_of(const Seconds& seconds) {
  return {{"median", number(seconds.median)},
          {"low", number(seconds.low)},
          {"high", number(seconds.high)},
          {"samples", numbers(seconds.samples)},
          {"outliers", seconds.outliers}};
}

Json json_of(const Point& point) {
  const bool ok = point.status == Status::ok;
  return {{"experiment", printable(point.experiment)},
          {"kernel", name_of(point.what.family)},
          {"op", name_of(point.what.op)},
          {"dtype", name_of(point.what.dtype)},
          {"fusion", name_of(point.what.fusion)},
          {"units", name_of(point.what.units)},
          {"elements", point.what.elements},
          {"repeat", point.what.repeat},
          {"data", name_of(point.what.data)},
          {"shape", json_of(point.what.shape)},
          {"flops", number(point.work.flops)},
          {"bytes", number(point.work.bytes)},
          {"launches", number(point.work.launches)},
          {"status", names::of<names::statuses>(point.status)},
          {"why", text_or_null(point.why)},
          {"note", text_or_null(point.note)},
          {"seconds", ok ? json_of(point.seconds) : Json(nullptr)},
          {"stop", names::of<names::stops>(point.stop)},
          {"limit", point.stop == Stop::time_limit ? Json(names::of<names::limits>(point.limit))
                                                   : Json(nullptr)},
          {"checked", point.checked},
          {"cold", point.cold},
          {"probe", point.probe},
          {"cached", point.cached},
          {"run", point.run},
          {"disturbed", point.disturbed},
          {"discarded", point.discarded},
          {"crowded", point.crowded},
          {"before", json_of(point.before)},
          {"conditions", json_of(point.conditions)}};
}

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

/// A clock that gave no time leaves a failed point, not a file that nobody can read.
Point storable(Point point) {
  const Seconds& seconds = point.seconds;
  const bool timed = is_positive(seconds.median) && is_positive(seconds.low) &&
                     std::isfinite(seconds.high) &&
                     std::ranges::all_of(seconds.samples, is_positive);
  if (point.status == Status::ok && !timed) {
    point.status = Status::failed;
    point.why = "the device's clock gave no positive finite time";
  }
  return point;
}

/// [ one element per line ]
template <typename Items, typename Convert>
std::string lines_of(const Items& items, Convert convert) {
  std::string text = "[";
  for (const auto& item : items) {
    if (text.size() > 1) text += ',';
    text += "\n    ";
    text += convert(item).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return text + (items.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string to_json(const Session& session) {
  const auto line = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  const Json app{{"version", session.app.version},
                 {"commit", session.app.commit},
                 {"compiler", session.app.compiler},
                 {"cuda", session.app.cuda}};
  const Json host{{"os", printable(session.host.os)}, {"cpu", printable(session.host.cpu)}};
  std::vector<Roof> roofs;
  std::ranges::copy_if(session.roofs, std::back_inserter(roofs),
                       [](const Roof& roof) { return is_positive(roof.rate); });

  std::string text = "{\n  \"format\": \"ridgepoint-session\",\n  \"version\": 1,\n";
  text += fmt::format("  \"app\": {},\n", line(app));
  text += fmt::format("  \"created\": {},\n", line(printable(session.created)));
  text += fmt::format("  \"host\": {},\n", line(host));
  text += fmt::format("  \"device\": {},\n", line(json_of(session.device)));
  text +=
      fmt::format("  \"roofs\": {},\n", lines_of(roofs, [](const Roof& r) { return json_of(r); }));
  // A session that was put together without add_point is written so that it can be read, too.
  const auto kept = std::span(session.points).first(std::min(session.points.size(), max_points));
  text += fmt::format("  \"points\": {}\n}}\n",
                      lines_of(kept, [](const Point& point) { return json_of(storable(point)); }));
  return text;
}

}  // namespace engine
