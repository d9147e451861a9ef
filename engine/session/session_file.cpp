// JSON text -> Session, and sessions on disk. Every value is checked before it is believed.
#include "engine/session/session_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

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

}  // namespace engine
