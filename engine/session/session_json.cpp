// Session -> JSON text: fields in the order of the format, one line per roof and point.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "engine/session/fields.hpp"
#include "engine/session/session_file.hpp"
#include "engine/session/session_names.hpp"

namespace engine {
namespace {

Json device_json(const kernels::DeviceInfo& device) {
  Json json{{"id", storable(device.id)},
            {"kind", storable(device.kind)},
            {"name", storable(device.name)},
            {"driver", storable(device.driver)},
            {"compute_capability", storable(device.compute_capability)},
            {"instruction_sets", device.instruction_sets},
            {"multiprocessors", device.multiprocessors},
            {"threads", device.threads},
            {"clock_hz", json_of(device.clock_hz)},
            {"memory_clock_hz", json_of(device.memory_clock_hz)},
            {"memory_bytes", json_of(device.memory_bytes)},
            {"l1_bytes", json_of(device.l1_bytes)},
            {"l2_bytes", json_of(device.l2_bytes)},
            {"l3_bytes", json_of(device.l3_bytes)},
            {"draws_screen", device.draws_screen}};
  if (device.slow_cores > 0) json["slow_cores"] = device.slow_cores;
  if (device.product_tile != kernels::DeviceInfo{}.product_tile)
    json["product_tile"] = device.product_tile;
  json["peaks"] = Json::array();
  for (const auto& peak : device.peaks) {
    json["peaks"].push_back({{"dtype", name_of(peak.dtype)},
                             {"units", name_of(peak.units)},
                             {"flops_per_clock_per_core", json_of(peak.flops_per_clock_per_core)},
                             {"derivation", storable(peak.derivation)}});
  }
  if (!device.libraries.empty()) json["libraries"] = Json::array();
  for (const auto& library : device.libraries) {
    json["libraries"].push_back(
        {{"name", storable(library.name)}, {"file", storable(library.file)}});
  }
  if (!device.partition.empty()) json["partition"] = storable(device.partition);
  return json;
}

Json roof_json(const Roof& roof) {
  Json json{{"name", storable(roof.name)},
            {"kind", names::of<names::roof_kinds>(roof.kind)},
            {"dtype", nullptr},
            {"units", nullptr},
            {"rate", json_of(roof.rate)}};
  if (roof.dtype) json["dtype"] = name_of(*roof.dtype);
  if (roof.units) json["units"] = name_of(*roof.units);
  if (roof.rate_low > 0) json["rate_low"] = json_of(roof.rate_low);
  if (roof.rate_high > 0) json["rate_high"] = json_of(roof.rate_high);
  if (roof.best > 0) json["best"] = json_of(roof.best);
  if (!roof.rounds.empty()) json["rounds"] = json_of(roof.rounds);
  json["source"] = source_word(roof);
  json["cite"] = storable(roof.cite);
  json["shape"] = json_of(roof.shape);
  json["data"] = name_of(roof.data);
  json["conditions"] = json_of(roof.conditions);
  if (roof.disturbed) json["disturbed"] = true;
  if (roof.partly_cached) json["partly_cached"] = true;
  if (roof.sustained > 0) {
    json["sustained"] = json_of(roof.sustained);
    json["sustained_conditions"] = json_of(roof.sustained_conditions);
  }
  return json;
}

Json superseded_json(const Roof& roof) {
  Json json = roof_json(roof);
  json["why"] = "measured again";
  return json;
}

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

/// A clock that gave no time leaves a failed point, not a file that nobody can read.
Point readable(Point point) {
  const Seconds& seconds = point.seconds;
  const bool timed = is_positive(seconds.median) && is_positive(seconds.low) &&
                     std::isfinite(seconds.high) &&
                     std::ranges::all_of(seconds.samples, is_positive);
  if (point.status == Status::ok && !timed) {
    point.status = Status::failed;
    point.why = "the device's clock returned no positive finite time";
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
  const Json host{{"os", storable(session.host.os)}, {"cpu", storable(session.host.cpu)}};
  std::vector<Roof> roofs;
  std::ranges::copy_if(session.roofs, std::back_inserter(roofs),
                       [](const Roof& roof) { return is_positive(roof.rate); });

  std::string text = "{\n  \"format\": \"ridgepoint-session\",\n  \"version\": 1,\n";
  text += fmt::format("  \"app\": {},\n", line(app));
  text += fmt::format("  \"created\": {},\n", line(storable(session.created)));
  text += fmt::format("  \"host\": {},\n", line(host));
  text += fmt::format("  \"device\": {},\n", line(device_json(session.device)));
  text += fmt::format("  \"roofs\": {},\n",
                      lines_of(roofs, [](const Roof& r) { return roof_json(r); }));
  if (!session.superseded_roofs.empty()) {
    text += fmt::format("  \"superseded_roofs\": {},\n",
                        lines_of(session.superseded_roofs, superseded_json));
  }
  // A session that was put together without add_point is written so that it can be read, too.
  const auto kept = std::span(session.points).first(std::min(session.points.size(), max_points));
  text += fmt::format("  \"points\": {}\n}}\n", lines_of(kept, [](const Point& point) {
                        return object_of(point_fields(), readable(point));
                      }));
  return text;
}

}  // namespace engine
