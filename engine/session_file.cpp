// JSON text -> Session, and sessions on disk. Every value is checked before it is believed.
#include "engine/session_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "engine/json_reader.hpp"
#include "engine/session_names.hpp"

namespace engine {
namespace {

// What no machine exceeds, so that no quotient or product of values from a file overflows.
constexpr double max_count = 1e24;     // byte, FLOP, and each per second
constexpr double max_seconds = 1e9;    // 30 years
constexpr double min_seconds = 1e-12;  // less than a clock
constexpr std::size_t max_axes = 32;   // of a kernel's shape
constexpr double max_whole = 0x1p53;   // counts that a double holds exactly

std::string text_or_empty(const JsonReader& json, std::string_view key) {
  const auto found = json.find(key);
  return found ? found->text() : "";
}

double number_or_zero(const JsonReader& json, std::string_view key) {
  const auto found = json.find(key);
  return found ? found->number(0, max_count) : 0;
}

bool boolean_or(const JsonReader& json, std::string_view key, bool otherwise) {
  const auto found = json.find(key);
  return found ? found->boolean() : otherwise;
}

kernels::Dtype dtype_in(const JsonReader& json) {
  std::string expected;
  for (const auto& info : kernels::dtypes) {
    expected += fmt::format("{}{}", expected.empty() ? "" : ", ", info.name);
  }
  return json.choice(kernels::dtype_named, "one of " + expected);
}

kernels::Units units_in(const JsonReader& json) {
  return json.choice(kernels::units_named, "\"vector\" or \"matrix\"");
}

kernels::Conditions conditions_in(const JsonReader& json) {
  kernels::Conditions conditions;
  const auto read = [&](std::string_view key, std::optional<double>& into, double low) {
    if (const auto found = json.find(key)) into = found->number(low, max_count);
  };
  read("clock_hz", conditions.clock_hz, 0);
  read("memory_clock_hz", conditions.memory_clock_hz, 0);
  read("power_w", conditions.power_w, 0);
  read("temperature_c", conditions.temperature_c, -273.15);
  if (const auto found = json.find("throttled")) conditions.throttled = found->boolean();
  read("stolen", conditions.stolen, 0);
  read("other_load", conditions.other_load, 0);
  conditions.note = text_or_empty(json, "note");
  return conditions;
}

kernels::Conditions conditions_of(const JsonReader& owner, std::string_view key) {
  const auto found = owner.find(key);
  return found ? conditions_in(*found) : kernels::Conditions{};
}

kernels::Shape shape_of(const JsonReader& owner) {
  kernels::Shape shape;
  const auto found = owner.find("shape");
  if (!found) return shape;
  for (const auto& [axis, value] : found->members(max_axes)) shape.push_back({axis, value.text()});
  return shape;
}

kernels::DeviceInfo device_in(const JsonReader& json) {
  constexpr auto most = std::uint64_t{std::numeric_limits<int>::max()};
  kernels::DeviceInfo device;
  device.id = json.at("id").text();
  device.kind = json.at("kind").text();
  if (device.kind != "cpu" && device.kind != "cuda") json.at("kind").fail("\"cpu\" or \"cuda\"");
  device.name = json.at("name").text();
  device.driver = text_or_empty(json, "driver");
  device.compute_capability = text_or_empty(json, "compute_capability");
  if (const auto found = json.find("instruction_sets")) {
    for (const auto& name : found->items()) device.instruction_sets.push_back(name.text());
  }
  if (const auto found = json.find("multiprocessors")) {
    device.multiprocessors = static_cast<int>(found->whole(0, most));
  }
  if (const auto found = json.find("threads"))
    device.threads = static_cast<int>(found->whole(0, most));
  device.clock_hz = number_or_zero(json, "clock_hz");
  device.memory_clock_hz = number_or_zero(json, "memory_clock_hz");
  device.memory_bytes = number_or_zero(json, "memory_bytes");
  device.l1_bytes = number_or_zero(json, "l1_bytes");
  device.l2_bytes = number_or_zero(json, "l2_bytes");
  device.l3_bytes = number_or_zero(json, "l3_bytes");
  device.draws_screen = boolean_or(json, "draws_screen", false);
  if (const auto found = json.find("peaks")) {
    for (const auto& peak : found->items()) {
      device.peaks.push_back({dtype_in(peak.at("dtype")), units_in(peak.at("units")),
                              peak.at("flops_per_clock_per_core").number(0, max_count),
                              text_or_empty(peak, "derivation")});
    }
  }
  return device;
}

kernels::Data data_in(const JsonReader& json) {
  const auto found = json.find("data");
  if (!found) return kernels::Data::random;
  return found->choice(kernels::data_named, "\"random\" or \"zeros\"");
}

Roof roof_in(const JsonReader& json) {
  Roof roof;
  roof.name = json.at("name").text();
  roof.kind = json.at("kind").choice(names::parse<names::roof_kinds>,
                                     "\"bandwidth\", \"compute\" or \"overhead\"");
  if (const auto found = json.find("dtype")) roof.dtype = dtype_in(*found);
  if (const auto found = json.find("units")) roof.units = units_in(*found);
  roof.rate = json.at("rate").number(1e-6, max_count);
  if (const auto found = json.find("rate_low")) roof.rate_low = found->number(0, roof.rate);
  if (const auto found = json.find("rate_high"))
    roof.rate_high = found->number(roof.rate, max_count);
  roof.source =
      json.at("source").choice(names::parse<names::roof_sources>, "\"measured\" or \"datasheet\"");
  roof.cite = text_or_empty(json, "cite");
  roof.shape = shape_of(json);
  roof.data = data_in(json);
  roof.conditions = conditions_of(json, "conditions");
  roof.flaws = text_or_empty(json, "flaws");
  return roof;
}

Seconds seconds_in(const JsonReader& json) {
  Seconds seconds;
  seconds.median = json.at("median").number(min_seconds, max_seconds);
  seconds.low = json.at("low").number(min_seconds, seconds.median);
  seconds.high = json.at("high").number(seconds.median, max_seconds);
  seconds.samples = json.at("samples").numbers(min_seconds, max_seconds);
  if (const auto found = json.find("outliers")) {
    const auto outliers = found->items(seconds.samples.size());
    for (const auto& index : outliers) {
      seconds.outliers.push_back(index.whole(0, seconds.samples.size() - 1));
    }
  }
  return seconds;
}

kernels::Case case_in(const JsonReader& json) {
  kernels::Case what;
  what.family =
      json.at("kernel").choice(kernels::family_named, "a kernel such as \"chain\" or \"tile\"");
  what.op = json.at("op").choice(kernels::op_named, "an op such as \"mul\", \"add\" or \"fma\"");
  what.dtype = dtype_in(json.at("dtype"));
  what.fusion = json.at("fusion").choice(kernels::fusion_named, "\"fused\" or \"unfused\"");
  what.units = units_in(json.at("units"));
  // The device chooses the size of a peak, and a launch has none.
  const bool sized = what.family != kernels::Family::peak && what.family != kernels::Family::launch;
  what.elements = json.at("elements").whole(sized ? 1 : 0, static_cast<std::uint64_t>(max_whole));
  what.repeat = json.at("repeat").whole(1, kernels::max_repeat);
  what.data = data_in(json);
  what.shape = shape_of(json);
  return what;
}

Point point_in(const JsonReader& json) {
  Point point;
  point.experiment = json.at("experiment").text();
  point.what = case_in(json);
  point.work.flops = json.at("flops").number(0, max_count);
  point.work.bytes = json.at("bytes").number(0, max_count);
  point.work.launches = json.at("launches").number(0, max_whole);
  point.status =
      json.at("status").choice(names::parse<names::statuses>, "\"ok\", \"skipped\" or \"failed\"");
  point.why = text_or_empty(json, "why");
  point.note = text_or_empty(json, "note");
  if (point.status == Status::ok) point.seconds = seconds_in(json.at("seconds"));
  if (const auto found = json.find("stop")) {
    point.stop = found->choice(names::parse<names::stops>, "\"noise_goal\" or \"time_limit\"");
  }
  if (const auto found = json.find("limit")) {
    point.limit = found->choice(names::parse<names::limits>,
                                "\"time\", \"samples\", \"spread\" or \"others\"");
  }
  point.checked = json.at("checked").boolean();
  point.cold = boolean_or(json, "cold", true);
  point.probe = boolean_or(json, "probe", false);
  point.cached = boolean_or(json, "cached", false);
  if (const auto found = json.find("run"))
    point.run = found->whole(0, static_cast<std::uint64_t>(max_whole));
  point.disturbed = boolean_or(json, "disturbed", false);
  if (const auto found = json.find("discarded")) {
    point.discarded = found->whole(0, static_cast<std::uint64_t>(max_whole));
  }
  if (const auto found = json.find("crowded")) {
    point.crowded = found->whole(0, static_cast<std::uint64_t>(max_whole));
  }
  point.before = conditions_of(json, "before");
  point.conditions = conditions_of(json, "conditions");
  return point;
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
  session.app = {text_or_empty(app, "version"), text_or_empty(app, "commit"),
                 text_or_empty(app, "compiler"), text_or_empty(app, "cuda")};
  session.created = document.at("created").text();
  const JsonReader host = document.at("host");
  session.host = {text_or_empty(host, "os"), text_or_empty(host, "cpu")};
  session.device = device_in(document.at("device"));
  for (const auto& roof : document.at("roofs").items()) session.roofs.push_back(roof_in(roof));
  for (const auto& point : document.at("points").items(max_points))
    session.points.push_back(point_in(point));
  return session;
}

Session load_session(const std::filesystem::path& path) {
  return from_json(read_json_file(path), path.string());
}

void save_session(const Session& session, const std::filesystem::path& path) {
  write_file(path, to_json(session));
}

}  // namespace engine
