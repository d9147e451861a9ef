// JSON text <-> Session, and sessions on disk. Every value is checked before it is believed.
#include "engine/session/session_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

#include "engine/session/fields.hpp"

namespace engine {
namespace {

std::string text_or_none(const JsonReader& json, std::string_view key) {
  const auto found = json.find(key);
  return found ? found->text() : std::string();
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
  session.app = {text_or_none(app, "version"), text_or_none(app, "commit"),
                 text_or_none(app, "compiler"), text_or_none(app, "cuda")};
  session.created = document.at("created").text();
  const JsonReader host = document.at("host");
  session.host = {text_or_none(host, "os"), text_or_none(host, "cpu")};
  read_object(device_fields(), document.at("device"), session.device);
  read_list(roof_fields(), document.at("roofs"), session.roofs);
  if (const auto found = document.find("superseded_roofs"))
    read_list(roof_fields(), *found, session.superseded_roofs);
  read_list(point_fields(), document.at("points"), session.points, max_points);
  if (const auto found = document.find("runs"))
    read_list(run_fields(), *found, session.runs, max_points);
  else
    session.runs = runs_told_by(session);
  use_names_of_today(session);
  return session;
}

Session load_session(const std::filesystem::path& path) {
  return from_json(read_json_file(path), path.string());
}

void save_session(const Session& session, const std::filesystem::path& path) {
  write_file(path, to_json(session));
}

// ---- writing: fields in the order of the format, one line per roof and point

namespace {

Json superseded_json(const Roof& roof) {
  Json json = object_of(roof_fields(), roof);
  json["why"] = "measured again";
  return json;
}

std::string line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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
    text += line(convert(item));
  }
  return text + (items.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string to_json(const Session& session) {
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
  text += fmt::format("  \"device\": {},\n", line(object_of(device_fields(), session.device)));
  // What points alone tell of a run is read off them again.
  std::vector<Run> runs = session.runs;
  std::erase_if(runs, [](const Run& run) { return run.begin.empty(); });
  if (!runs.empty()) {
    text +=
        fmt::format("  \"runs\": {},\n",
                    lines_of(runs, [](const Run& run) { return object_of(run_fields(), run); }));
  }
  text += fmt::format("  \"roofs\": {},\n",
                      lines_of(roofs, [](const Roof& r) { return object_of(roof_fields(), r); }));
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
