// A lab from the command line to the session, with settings that take moments.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.hpp"

/// The session of a brief sweep of a lab on the CPU, which ends well and says `words`.
inline nlohmann::json swept(const std::string& lab, const std::vector<std::string>& options,
                            const std::string& words) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"sweep", "--device", "cpu",
                                     "--lab", lab,        "--max-time",
                                     "100ms", "-o",       folder / "session.json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Ended ended = run(arguments);
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(ended.out.find(words) != std::string::npos);
  return nlohmann::json::parse(read_file(folder / "session.json"));
}

/// The points of a session, all of which were measured and verified.
inline nlohmann::json verified_points(const nlohmann::json& session, std::size_t count) {
  nlohmann::json points = session.at("points");
  REQUIRE(points.size() == count);
  for (const nlohmann::json& point : points) {
    CAPTURE(point.dump());
    CHECK(point.at("status") == "ok");
    CHECK(point.at("checked") == true);
  }
  return points;
}
