#include <doctest/doctest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "program.hpp"

using nlohmann::json;

namespace {

constexpr std::size_t all_points = 52;

/// Every point takes its whole time limit, since the noise goal is never reached.
std::vector<std::string> long_sweep(const std::string& session) {
  return small_sweep({"--elements", "1Mi", "--repeat", "1:4096:x2", "--dtype", "fp32,fp64",
                      "--fusion", "both", "--noise", "1e-9", "--max-time", "100ms", "--stream",
                      "-o", session});
}

}  // namespace

TEST_CASE("an interrupt in mid-sweep saves what was measured, says so, and ends with 130") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    Program program(Launch{long_sweep(folder / "a.json")});
    REQUIRE(program.wait_for("\"event\":\"point\""));
    program.send(signal);
    const Ended ended = program.finish();
    CHECK(ended.code == 130);
    const json session = json::parse(read_file(folder / "a.json"));
    CHECK(session.at("points").size() >= 1);
    CHECK(session.at("points").size() < all_points);
    CHECK(ended.err.find("interrupted") != std::string::npos);
    CHECK(ended.err.find("a.json") != std::string::npos);
    CHECK(ended.out.find("\"end\":\"stopped\"") != std::string::npos);
    CHECK(run({"explain", folder / "a.json"}).code == 0);
  }
}

TEST_CASE("an interrupt while the roofs are measured ends with 130 and leaves an old file whole") {
  const TemporaryFolder folder;
  Program program(Launch{long_sweep(folder / "a.json")});
  REQUIRE(program.wait_for("\"event\":\"start\""));
  program.send(SIGINT);
  CHECK(program.finish().code == 130);
  if (std::filesystem::exists(folder / "a.json")) {
    CHECK(json::parse(read_file(folder / "a.json")).at("points").empty());
  }
}

TEST_CASE("a second interrupt ends the program with 130 too") {
  const TemporaryFolder folder;
  Program program(Launch{long_sweep(folder / "a.json")});
  REQUIRE(program.wait_for("\"event\":\"point\""));
  program.send(SIGINT);
  program.send(SIGTERM);
  const Ended ended = program.finish();
  CHECK(ended.code == 130);
  CHECK(json::parse(read_file(folder / "a.json")).at("points").size() >= 1);
}
