// The labs of pointwise operators, end to end: a chain is generated, compiled and measured, and what
// happens without a compiler.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program.hpp"

using nlohmann::json;

namespace {

struct Measured {
  Ended ended;
  json session;
};

/// A brief sweep over two lengths of a chain that needs no library.
Measured sweep_with(const TemporaryFolder& folder, const std::string& compiler) {
  const std::string file = folder / "session.json";
  Launch launch{.arguments = {"sweep", "--device", "cpu", "--lab", "fusion", "--chain", "relu,mul",
                              "--length", "1,2", "--elements", "8192", "--max-time", "50ms", "-o",
                              file}};
  launch.environment = {{"XDG_CACHE_HOME", folder.path().string()}, {"RIDGEPOINT_CXX", compiler}};
  Measured measured{run(launch), {}};
  measured.session = json::parse(read_file(file));
  return measured;
}

std::vector<json> fused_by(const json& session, const std::string& by) {
  std::vector<json> points;
  for (const json& point : session.at("points")) {
    const bool fused = point.at("fusion") == "fused" && point.value("label", json()) != "in cache";
    if (fused && point.value("by", "own") == by) points.push_back(point);
  }
  return points;
}

}  // namespace

TEST_CASE("a chain is compiled, measured, and says where its source is") {
  const TemporaryFolder folder;
  const Measured measured = sweep_with(folder, "c++");
  CHECK(measured.ended.code == 0);
  const std::vector<json> points = fused_by(measured.session, "generated");
  REQUIRE(points.size() == 2);
  for (const json& point : points) {
    CHECK(point.at("status") == "ok");
    const std::string note = point.at("note");
    const auto at = note.find(folder.path().string());
    REQUIRE(at != std::string::npos);
    CHECK(read_file(note.substr(at)).find("relu_of") != std::string::npos);
  }
  CHECK(fused_by(measured.session, "own").empty());
}

TEST_CASE("without a compiler the chain runs in blocks, and the reason is said") {
  const TemporaryFolder folder;
  const Measured measured = sweep_with(folder, folder / "no-compiler");
  CHECK(measured.ended.code == 0);
  CHECK(measured.ended.err.find("no C++ compiler here") != std::string::npos);
  for (const json& point : fused_by(measured.session, "generated"))
    CHECK(point.at("status") == "skipped");
  const std::vector<json> blocked = fused_by(measured.session, "own");
  REQUIRE(blocked.size() == 2);
  for (const json& point : blocked) CHECK(point.at("status") == "ok");
}
