#include "app/output/stream.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "engine/session/session_file.hpp"

namespace app {
namespace {

using nlohmann::json;

/// The session file's objects come from its own writer, so that there is one format.
json as_in_file(const engine::Session& session) { return json::parse(engine::to_json(session)); }

json object_of(const engine::SweepStarted& started, const engine::Session& session) {
  engine::Session bare;
  bare.device = session.device;
  if (started.run) bare.runs.push_back(*started.run);
  json file = as_in_file(bare);
  json line{{"event", "start"}, {"device", file["device"]}, {"cases", started.cases}};
  if (started.run) line["run"] = file["runs"][0];
  return line;
}

json object_of(const engine::RoofMeasured& measured, const engine::Session&) {
  engine::Session bare;
  bare.roofs.push_back(measured.roof);
  return {{"event", "roof"}, {"roof", as_in_file(bare)["roofs"][0]}};
}

json object_of(const engine::PointMeasured& measured, const engine::Session&) {
  engine::Session bare;
  bare.points.push_back(measured.point);
  return {{"event", "point"}, {"point", as_in_file(bare)["points"][0]}};
}

json object_of(const engine::Progress& progress, const engine::Session&) {
  const double left = progress.seconds_left;
  return {
      {"event", "progress"},     {"done", progress.done},
      {"total", progress.total}, {"seconds_left", std::isfinite(left) ? json(left) : json(nullptr)},
      {"now", progress.now},     {"pass", progress.pass}};
}

json object_of(const engine::Warning& warning, const engine::Session&) {
  return {{"event", "warning"}, {"text", warning.text}};
}

json object_of(const engine::SweepFinished& finished, const engine::Session& session) {
  return {{"event", "end"},
          {"end", name_of(finished.end)},
          {"why", finished.why.empty() ? json(nullptr) : json(finished.why)},
          {"ok", count_points(session, engine::Status::ok)},
          {"skipped", count_points(session, engine::Status::skipped)},
          {"failed", count_points(session, engine::Status::failed)}};
}

json object_of(const engine::DevicesOpened&, const engine::Session&) { return nullptr; }

}  // namespace

std::string stream_line(const engine::Event& event, const engine::Session& session) {
  const json object = std::visit([&](const auto& e) { return object_of(e, session); }, event);
  if (object.is_null()) return "";
  // Names of devices come from drivers: what is no UTF-8 is replaced, not thrown about.
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::size_t count_points(const engine::Session& session, engine::Status status) {
  return static_cast<std::size_t>(
      std::ranges::count(session.points, status, &engine::Point::status));
}

}  // namespace app
