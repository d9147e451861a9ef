// The labs `launches`, `transfers` and `overlap` from the command line to the session, with
// settings that take moments.
#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "program.hpp"

using nlohmann::json;

TEST_CASE("the lab launches measures each way of starting a step, verified") {
  const TemporaryFolder folder;
  const Ended ended = run({"sweep", "--device", "cpu", "--lab", "launches", "--steps", "16",
                           "--max-time", "100ms", "-o", folder / "session.json"});
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(ended.out.find("a step with woken threads") != std::string::npos);
  const json points = json::parse(read_file(folder / "session.json")).at("points");
  REQUIRE(points.size() == 6);
  int steps = 0;
  for (const json& point : points) {
    CAPTURE(point.dump());
    // An interpreter that is not here is a reason.
    if (point.at("kernel") == "interpreter") {
      CHECK((point.at("status") == "ok" || point.at("why").get<std::string>().size() > 10));
      continue;
    }
    ++steps;
    CHECK(point.at("status") == "ok");
    CHECK(point.at("checked") == true);
    CHECK(point.at("repeat") == 16);
  }
  CHECK(steps == 4);
}

TEST_CASE("the lab transfers measures each transfer of a CPU, verified") {
  const TemporaryFolder folder;
  const Ended ended = run({"sweep", "--device", "cpu", "--lab", "transfers", "--bytes",
                           "4096,4194304", "--max-time", "100ms", "-o", folder / "session.json"});
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(ended.out.find("pages written before are faster than fresh ones by") != std::string::npos);
  const json points = json::parse(read_file(folder / "session.json")).at("points");
  REQUIRE(points.size() == 7);
  for (const json& point : points) {
    CAPTURE(point.dump());
    const bool refused = point.at("status") == "skipped" &&
                         point.at("why").get<std::string>().find("huge pages") != std::string::npos;
    CHECK((refused || (point.at("status") == "ok" && point.at("checked") == true)));
  }
  CHECK(json::parse(read_file(folder / "session.json")).at("roofs").empty());
}

TEST_CASE("the lab overlap measures each number of chunks, verified, with its timeline") {
  const TemporaryFolder folder;
  const Ended ended =
      run({"sweep", "--device", "cpu", "--lab", "overlap", "--chunks", "1,4", "--mebibytes", "1",
           "--max-time", "100ms", "-o", folder / "session.json"});
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(ended.out.find("part of what hiding alone gives") != std::string::npos);
  const json points = json::parse(read_file(folder / "session.json")).at("points");
  REQUIRE(points.size() == 2);
  for (const json& point : points) {
    CAPTURE(point.dump());
    CHECK(point.at("status") == "ok");
    CHECK(point.at("checked") == true);
    CHECK(point.at("spans").size() == 3 * point.at("sizes").at("chunks").get<std::size_t>());
  }
}

TEST_CASE("the labs launches and transfers refuse what they cannot ask for") {
  for (const auto& [lab, knob, value] :
       {std::array{"launches", "--steps", "1"}, std::array{"launches", "--steps", "5000"},
        std::array{"transfers", "--bytes", "63"}, std::array{"transfers", "--bytes", "some"}}) {
    const Ended ended = run({"sweep", "--lab", lab, knob, value});
    CHECK(ended.code == 2);
    CHECK(ended.err.find(knob) != std::string::npos);
  }
}
