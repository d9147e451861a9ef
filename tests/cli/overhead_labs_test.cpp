// The labs `launches`, `eager`, `timing`, `autotune`, `transfers`, `overlap` and
// `coalescing` from the command line to the session, with settings that take moments.
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "lab_sweep.hpp"

using nlohmann::json;

TEST_CASE("the lab launches measures each way of starting a step, verified") {
  const json session = swept("launches", {"--steps", "16"}, "a step with woken threads");
  const json points = session.at("points");
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

TEST_CASE("the lab eager measures each form of its layers, verified, with its timeline") {
  const json session = swept("eager", {"--layers", "3"}, "the device works, as single launches");
  for (const json& point : verified_points(session, 3)) {
    CAPTURE(point.dump());
    CHECK(point.at("spans").size() >= 3 + 1 + 1);
  }
  const Ended refused = run({"sweep", "--lab", "eager", "--columns", "100"});
  CHECK(refused.code == 2);
  CHECK(refused.err.find("--columns 100 is no multiple of 64: choose 64") != std::string::npos);
}

TEST_CASE("the lab timing measures each way of a CPU, verified") {
  const json session = swept("timing", {"--timed-elements", "65536"}, "timed without waiting");
  verified_points(session, 7);
}

TEST_CASE("the lab autotune tries every shape, halves them, and measures two to the end") {
  const json session = swept("autotune", {}, "time of the search");
  const json points = session.at("points");
  std::map<std::string, int> counts;
  for (const json& point : points) {
    CAPTURE(point.dump());
    const std::string label = point.at("label");
    ++counts[label.substr(0, label.find(':'))];
    CHECK((point.at("status") == "ok" || point.at("status") == "skipped"));
  }
  CHECK(counts["round 1"] > 2);
  CHECK(counts["round 2"] <= (counts["round 1"] + 1) / 2);
  CHECK(counts["default"] == 1);
  CHECK(counts["found"] == 1);
}

TEST_CASE("the lab transfers measures each transfer of a CPU, verified") {
  const json session = swept("transfers", {"--bytes", "4096,4194304"},
                             "pages written before are faster than fresh ones by");
  const json points = session.at("points");
  REQUIRE(points.size() == 7);
  for (const json& point : points) {
    CAPTURE(point.dump());
    const bool refused = point.at("status") == "skipped" &&
                         point.at("why").get<std::string>().find("huge pages") != std::string::npos;
    CHECK((refused || (point.at("status") == "ok" && point.at("checked") == true)));
  }
  CHECK(session.at("roofs").empty());
}

TEST_CASE("the lab overlap measures each number of chunks, verified, with its timeline") {
  const json session =
      swept("overlap", {"--chunks", "1,4", "--mebibytes", "1"}, "part of what hiding alone gives");
  for (const json& point : verified_points(session, 2)) {
    CAPTURE(point.dump());
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

TEST_CASE("the lab coalescing measures each stride and offset, verified, and says what was moved") {
  const json session =
      swept("coalescing", {"--strides", "1,8,32", "--offsets", "31", "--span", "4"},
            "bandwidth used at stride 8, of stride 1");
  for (const json& point : verified_points(session, 4)) {
    CAPTURE(point.dump());
    CHECK(point.at("kernel") == "strided");
    CHECK(point.at("values").size() == 2);
  }
}

TEST_CASE(
    "a span that memory does not hold is refused, and the lab coalescing has no other knobs") {
  const Ended large = run({"sweep", "--device", "cpu", "--lab", "coalescing", "--span", "1048576"});
  CHECK(large.code != 0);
  CHECK(large.err.find("--span") != std::string::npos);
  const Ended other = run({"sweep", "--device", "cpu", "--lab", "coalescing", "--op", "add"});
  CHECK(other.code != 0);
}
