// JSON text -> Session, and sessions on disk. Every value is checked before it is believed.
#include "engine/session/session_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "engine/session/fields.hpp"
#include "engine/session/json_reader.hpp"
#include "engine/session/session_names.hpp"

namespace engine {
namespace {

double number_or_zero(const JsonReader& json, std::string_view key) {
  const auto found = json.find(key);
  return found ? found->number(0, max_count) : 0;
}

double clock_at(const JsonReader& json, std::string_view key) {
  const auto found = json.find(key);
  return found ? read_clock(*found) : 0;
}

/// The value of a member that must be there, or that may be missing.
template <class Value>
Value value_at(const JsonReader& json, std::string_view key) {
  Value value{};
  read_into(json.at(key), value);
  return value;
}
template <class Value>
Value value_or(const JsonReader& json, std::string_view key, Value value = {}) {
  if (const auto found = json.find(key)) read_into(*found, value);
  return value;
}

kernels::DeviceInfo device_in(const JsonReader& json) {
  constexpr auto most = std::uint64_t{std::numeric_limits<int>::max()};
  kernels::DeviceInfo device;
  device.id = json.at("id").text();
  device.kind = json.at("kind").text();
  if (device.kind != "cpu" && device.kind != "cuda") json.at("kind").fail("\"cpu\" or \"cuda\"");
  device.name = json.at("name").text();
  device.driver = value_or<std::string>(json, "driver");
  device.compute_capability = value_or<std::string>(json, "compute_capability");
  if (const auto found = json.find("instruction_sets")) {
    for (const auto& name : found->items()) device.instruction_sets.push_back(name.text());
  }
  if (const auto found = json.find("multiprocessors")) {
    device.multiprocessors = static_cast<int>(found->whole(0, most));
  }
  if (const auto found = json.find("slow_cores")) {
    device.slow_cores = static_cast<int>(found->whole(0, most));
  }
  if (const auto found = json.find("product_tile"))
    device.product_tile = static_cast<int>(found->whole(1, most));
  if (const auto found = json.find("threads"))
    device.threads = static_cast<int>(found->whole(0, most));
  device.clock_hz = clock_at(json, "clock_hz");
  device.memory_clock_hz = clock_at(json, "memory_clock_hz");
  device.memory_bytes = number_or_zero(json, "memory_bytes");
  device.l1_bytes = number_or_zero(json, "l1_bytes");
  device.l2_bytes = number_or_zero(json, "l2_bytes");
  device.l3_bytes = number_or_zero(json, "l3_bytes");
  device.draws_screen = value_or(json, "draws_screen", false);
  if (const auto found = json.find("peaks")) {
    for (const auto& peak : found->items()) {
      device.peaks.push_back({value_at<kernels::Dtype>(peak, "dtype"),
                              value_at<kernels::Units>(peak, "units"),
                              peak.at("flops_per_clock_per_core").number(0, max_count),
                              value_or<std::string>(peak, "derivation")});
    }
  }
  device.partition = value_or<std::string>(json, "partition");
  if (const auto found = json.find("libraries")) {
    for (const auto& library : found->items()) {
      device.libraries.push_back({library.at("name").text(), library.at("file").text()});
    }
  }
  return device;
}

Roof roof_in(const JsonReader& json) {
  Roof roof;
  roof.name = json.at("name").text();
  roof.kind = json.at("kind").choice(names::parse<names::roof_kinds>,
                                     "\"bandwidth\", \"compute\" or \"overhead\"");
  if (json.find("dtype")) roof.dtype = value_at<kernels::Dtype>(json, "dtype");
  if (json.find("units")) roof.units = value_at<kernels::Units>(json, "units");
  roof.rate = json.at("rate").number(1e-6, max_count);
  if (const auto found = json.find("rate_low")) roof.rate_low = found->number(0, roof.rate);
  if (const auto found = json.find("rate_high"))
    roof.rate_high = found->number(roof.rate, max_count);
  if (const auto found = json.find("best")) roof.best = found->number(0, max_count);
  if (const auto found = json.find("rounds")) roof.rounds = found->numbers(0, max_count);
  roof.source = json.at("source").choice(names::parse<names::roof_sources>,
                                         "\"measured\", \"datasheet\" or \"theoretical\"");
  roof.cite = value_or<std::string>(json, "cite");
  roof.shape = value_or<kernels::Shape>(json, "shape");
  roof.data = value_or(json, "data", kernels::Data::random);
  roof.conditions = value_or<kernels::Conditions>(json, "conditions");
  roof.disturbed = value_or(json, "disturbed", false);
  roof.partly_cached = value_or(json, "partly_cached", false);
  if (const auto found = json.find("sustained")) roof.sustained = found->number(0, max_count);
  if (const auto found = json.find("sustained_conditions"))
    read_into(*found, roof.sustained_conditions);
  return roof;
}

void check_format(const JsonReader& document) {
  if (!document.find("format")) {
    document.fail("a session, as Save or ridgepoint sweep --output writes it: format is missing");
  }
  if (document.at("format").text() != "ridgepoint-session") {
    document.at("format").fail("\"ridgepoint-session\"");
  }
  constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max() - 1;
  if (document.at("version").whole(1, any) > 1) {
    document.at("version").fail("1: a newer Ridgepoint wrote this session; update to read it");
  }
}

}  // namespace

Session from_json(std::string_view text, const std::string& source) {
  const nlohmann::json parsed =
      parse_json(text, source, "a session, as Save or ridgepoint sweep --output writes it");
  const JsonReader document(parsed, source);
  check_format(document);
  Session session;
  const JsonReader app = document.at("app");
  session.app = {value_or<std::string>(app, "version"), value_or<std::string>(app, "commit"),
                 value_or<std::string>(app, "compiler"), value_or<std::string>(app, "cuda")};
  session.created = document.at("created").text();
  const JsonReader host = document.at("host");
  session.host = {value_or<std::string>(host, "os"), value_or<std::string>(host, "cpu")};
  session.device = device_in(document.at("device"));
  for (const auto& roof : document.at("roofs").items()) session.roofs.push_back(roof_in(roof));
  if (const auto found = document.find("superseded_roofs")) {
    for (const auto& roof : found->items()) session.superseded_roofs.push_back(roof_in(roof));
  }
  for (const auto& point : document.at("points").items(max_points))
    read_object(point_fields(), point, session.points.emplace_back());
  return session;
}

Session load_session(const std::filesystem::path& path) {
  return from_json(read_json_file(path), path.string());
}

void save_session(const Session& session, const std::filesystem::path& path) {
  write_file(path, to_json(session));
}

}  // namespace engine
