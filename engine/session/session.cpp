#include "engine/session/session.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <utility>

#include "engine/build_info.hpp"
#include "kernels/backends.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

/// The text after `key` and its separator on the first line that starts with `key`; empty when
/// there is none.
std::string value_in(const char* file, std::string_view key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const auto at = line.find(separator);
    if (at == std::string::npos) continue;
    const auto first = line.find_first_not_of(" \t\"", at + 1);
    const auto last = line.find_last_not_of(" \t\"");
    return first == std::string::npos ? "" : line.substr(first, last - first + 1);
  }
  return "";
}

const Roof* find_roof(const std::vector<Roof>& roofs, auto matches) {
  const auto found = std::ranges::find_if(roofs, matches);
  return found == roofs.end() ? nullptr : &*found;
}

const Roof* overhead_named(const Session& session, std::string_view name) {
  return find_roof(session.roofs, [&](const Roof& roof) {
    return roof.kind == RoofKind::overhead && roof.name == name;
  });
}

bool is_of(const Point& point, std::string_view lab) {
  return !point.probe && (lab.empty() || point.lab == lab);
}

}  // namespace

std::string compute_roof_name(kernels::Dtype dtype, kernels::Units units, kernels::Op op) {
  return fmt::format("{} {}", name_of(dtype), kernels::peak_word(op, dtype, units));
}

std::vector<std::string> compute_roof_names(const kernels::Case& what) {
  std::vector<std::string> names;
  for (const kernels::ComputeBound& bound : kernels::bounds_of(what).compute)
    names.push_back(compute_roof_name(bound.dtype, bound.units, bound.op));
  return names;
}

std::string overhead_roof_name(const kernels::Case& what, kernels::Launched launched) {
  return fmt::format("{}{} {}{}{}{}", overhead_word, name_of(what.family), name_of(what.dtype),
                     what.units == kernels::Units::matrix ? " matrix" : "",
                     what.by == kernels::By::library ? " library" : "",
                     launched == kernels::Launched::graph ? " graph" : "");
}

bool is_of_a_kernel(const Roof& roof) {
  return roof.kind == RoofKind::overhead && roof.name.starts_with(overhead_word);
}

std::string roof_name_on(std::string name, kernels::Data data) {
  return data == kernels::Data::random ? std::move(name)
                                       : fmt::format("{}, {}", name, name_of(data));
}

const Roof* roof_named(const std::vector<Roof>& roofs, std::string_view name, RoofSource source,
                       std::optional<RoofKind> kind) {
  return find_roof(roofs, [&](const Roof& roof) {
    return roof.name == name && roof.source == source && (!kind || roof.kind == *kind);
  });
}

const Roof* measured_roof(const std::vector<Roof>& roofs, std::string_view name) {
  return roof_named(roofs, name, RoofSource::measured);
}

AppInfo app_info() {
  return {build_version, build_commit, build_compiler, kernels::cuda_build_version()};
}

HostInfo host_info() {
  utsname system{};
  std::string kernel;
  if (uname(&system) == 0) kernel = fmt::format("{} {}", system.sysname, system.release);
  const std::string name = value_in("/etc/os-release", "PRETTY_NAME", '=');
  std::string cpu = value_in("/proc/cpuinfo", "model name", ':');
  if (cpu.empty()) cpu = system.machine;
  return {name.empty() ? kernel : fmt::format("{} ({})", name, kernel), cpu};
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

Session new_session(const kernels::DeviceInfo& device) {
  Session session;
  session.app = app_info();
  session.created = utc_now();
  session.host = host_info();
  session.device = device;
  return session;
}

std::string_view kernel_of(const Point& point) {
  return point.kernel.empty() ? name_of(point.what.family) : std::string_view(point.kernel);
}

std::optional<double> told(const Point& point, std::string_view name) {
  const auto found = std::ranges::find(point.values, name, &kernels::Value::name);
  return found == point.values.end() ? std::nullopt : std::optional(found->value);
}

double value_of(const Point& point, std::string_view name) { return told(point, name).value_or(0); }

bool is_theoretical(const Roof& roof) {
  return roof.source == RoofSource::datasheet && roof.conditions.clock_hz.has_value();
}

std::string_view source_word(const Roof& roof) {
  if (roof.source == RoofSource::measured) return "measured";
  return is_theoretical(roof) ? "theoretical" : "datasheet";
}

bool is_of_dram(const Roof& roof) { return roof.name.starts_with("DRAM"); }

std::string_view flag_of(const Roof& roof) {
  if (roof.partly_cached) return in_cache_flag;
  if (roof.disturbed) return "disturbed";
  return roof.conditions.throttled.value_or(false) ? "throttled" : "";
}

std::string id_of(const Point& point) {
  const kernels::Case& what = point.what;
  std::string id =
      fmt::format("{}/{}/{} {} {} {} {}, elements {}, repeat {}", point.lab, point.run,
                  kernel_of(point), text_of(what.ops), name_of(what.dtype), name_of(what.fusion),
                  name_of(what.units), what.elements, what.repeat);
  for (const kernels::AxisInfo& axis : what.family->axes)
    id += fmt::format(", {} {}", axis.name, kernels::size(what, axis.name).value_or(0));
  if (what.by != kernels::By::own) id += fmt::format(", {}", name_of(what.by));
  if (what.data != kernels::Data::random) id += fmt::format(", {}", name_of(what.data));
  if (!what.shape.empty()) id += ", " + text_of(what.shape);
  if (!point.label.empty()) id += ", " + point.label;
  if (point.probe) id += ", slider";
  return id;
}

bool add_point(Session& session, Point point) {
  const auto same = std::ranges::find_if(session.points, [&](const Point& old) {
    if (!old.id.empty() && !point.id.empty()) return old.id == point.id;
    // A point at the slider is not a sweep's: it takes the place of an older one of its own kind.
    return old.run == point.run && old.lab == point.lab && old.what == point.what &&
           old.label == point.label && old.probe == point.probe;
  });
  if (same != session.points.end()) {
    *same = std::move(point);
    return true;
  }
  if (session.points.size() >= max_points) {
    ++session.left_out;
    return false;
  }
  session.points.push_back(std::move(point));
  return true;
}

std::string full_warning(const Session& session) {
  if (session.left_out == 0) return "";
  return fmt::format(
      "the session is full with {} points: {} more were dropped; save it and start a new one",
      session.points.size(), session.left_out);
}

namespace {

/// Of the same measurement, with more rounds: its first one stays, whatever is added.
bool continues(const Roof& roof, const Roof& old) {
  if (old.rounds.empty() || roof.rounds.empty()) return old.rounds.empty();
  return roof.rounds.front() == old.rounds.front();
}

}  // namespace

void add_roof(Session& session, Roof roof) {
  const auto same = std::ranges::find_if(session.roofs, [&](const Roof& old) {
    return old.name == roof.name && old.source == roof.source;
  });
  if (same == session.roofs.end()) {
    session.roofs.push_back(std::move(roof));
  } else {
    const bool measured = roof.source == RoofSource::measured;
    if (measured && !continues(roof, *same)) {
      // The newest ones.
      if (session.superseded_roofs.size() == max_superseded)
        session.superseded_roofs.erase(session.superseded_roofs.begin());
      session.superseded_roofs.push_back(std::move(*same));
    }
    *same = std::move(roof);
  }
}

const Roof* bandwidth_roof(const Session& session, RoofSource source) {
  // "DRAM" without a mix of reads and writes is what other programs may write.
  for (const std::string_view name : {"DRAM copy", "DRAM"})
    if (const Roof* roof = roof_named(session.roofs, name, source, RoofKind::bandwidth))
      return roof;
  return nullptr;
}

const Roof* compute_roof(const Session& session, kernels::Dtype dtype, kernels::Units units,
                         RoofSource source, kernels::Op op) {
  const std::string name = compute_roof_name(dtype, units, op);
  const auto fits = [&](const Roof& roof) {
    return roof.kind == RoofKind::compute && roof.source == source && roof.dtype == dtype &&
           roof.units == units && roof.data == kernels::Data::random;
  };
  const Roof* named =
      find_roof(session.roofs, [&](const Roof& roof) { return fits(roof) && roof.name == name; });
  if (named != nullptr || name != compute_roof_name(dtype, units)) return named;
  // Other programs may call the FMA roof differently; these are none.
  constexpr std::array<std::string_view, 6> other{" mul",     " add", " mul+add",
                                                  " library", " dot", " mma.sync"};
  return find_roof(session.roofs, [&](const Roof& roof) {
    return fits(roof) && std::ranges::none_of(
                             other, [&](std::string_view end) { return roof.name.ends_with(end); });
  });
}

kernels::Launched launched_of(const Session& session, const Point& point) {
  using kernels::Launched;
  if (point.launched != Launched::unknown || !point.source.empty()) return point.launched;
  if (session.device.kind == "cpu") return Launched::threads;
  if (session.device.kind != "cuda") return Launched::unknown;
  const bool graph = point.conditions.note.find("replayed as a graph") != std::string::npos;
  return graph ? Launched::graph : Launched::stream;
}

const Roof* launch_roof(const Session& session, kernels::Launched launched) {
  constexpr std::string_view in_graph = "launch graph";
  if (launched == kernels::Launched::graph) return overhead_named(session, in_graph);
  if (const Roof* launch = overhead_named(session, "launch")) return launch;
  // Other programs may call it differently.
  return find_roof(session.roofs, [&](const Roof& roof) {
    return roof.kind == RoofKind::overhead && roof.name != in_graph && !is_of_a_kernel(roof);
  });
}

const Roof* overhead_roof(const Session& session, const kernels::Case& what,
                          kernels::Launched launched) {
  return overhead_named(session, overhead_roof_name(what, launched));
}

bool held_by_quota(const kernels::Conditions& conditions) {
  const double quota = conditions.quota.value_or(0);
  return quota > most_taken &&
         quota > conditions.other_load.value_or(0) + conditions.stolen.value_or(0);
}

bool was_throttled(const Point& point) {
  return point.conditions.throttled.value_or(false) || point.before.throttled.value_or(false);
}

bool is_sure(const Point& point) {
  return point.status == Status::ok && point.seconds.has_interval() && !point.disturbed;
}

// ---- the runs, and which points are whose

void add_run(Session& session, Run run) {
  const auto same = std::ranges::find(session.runs, run.number, &Run::number);
  (same == session.runs.end() ? session.runs.emplace_back() : *same) = std::move(run);
}

const Run* run_of(const Session& session, std::uint64_t number) {
  const auto found = std::ranges::find(session.runs, number, &Run::number);
  return found == session.runs.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> newest_run(const Session& session, std::string_view lab) {
  std::optional<std::uint64_t> newest;
  for (const Point& point : session.points)
    if (is_of(point, lab)) newest = std::max(newest.value_or(0), point.run);
  return newest;
}

std::vector<const Point*> points_of(const Session& session, std::uint64_t run,
                                    std::string_view lab) {
  std::vector<const Point*> points;
  for (const Point& point : session.points)
    if (is_of(point, lab) && point.run == run) points.push_back(&point);
  return points;
}

}  // namespace engine
