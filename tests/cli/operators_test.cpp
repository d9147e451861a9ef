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
    const std::string file = note.substr(at);
    CHECK(read_file(file).find("relu_of") != std::string::npos);
    CHECK(measured.ended.out.find("Sources of the generated kernels:") != std::string::npos);
    CHECK(measured.ended.out.find(file) != std::string::npos);
    CHECK(run({"explain", folder / "session.json"}).out.find(file) != std::string::npos);
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

TEST_CASE("forward and backward pass are generated, measured, and say what they allocate") {
  const TemporaryFolder folder;
  for (const bool has_compiler : {true, false}) {
    const std::string file = folder / "session.json";
    Launch launch{.arguments = {"sweep", "--device", "cpu", "--lab", "rematerialize", "--operators",
                                "mul,relu", "--lengths", "1,3", "--elements", "8192", "--max-time",
                                "50ms", "-o", file}};
    launch.environment = {{"XDG_CACHE_HOME", folder.path().string()},
                          {"RIDGEPOINT_CXX", has_compiler ? "c++" : folder / "no-compiler"}};
    const Ended ended = run(launch);
    CHECK(ended.code == (has_compiler ? 0 : 1));  // 1: nothing could be measured
    const json session = json::parse(read_file(file));
    REQUIRE(session.at("points").size() == 2 * 2 * 3);
    for (const json& point : session.at("points")) {
      CAPTURE(point.dump());
      CHECK(point.at("status") == (has_compiler ? "ok" : "skipped"));
      if (!has_compiler) continue;
      CHECK(point.at("checked") == true);
      const json& sizes = point.at("sizes");
      const double tensors = sizes.at("activations") == 1 ? sizes.at("length").get<double>() + 3 : 4;
      CHECK(point.at("values").at("allocated") == 4 * 8192 * tensors);
    }
    if (!has_compiler) CHECK(ended.err.find("no C++ compiler here") != std::string::npos);
  }
  const Ended refused =
      run({"sweep", "--device", "cpu", "--lab", "rematerialize", "--operators", "mul,sine"});
  CHECK(refused.code == 2);
  CHECK(refused.err.find("1 to 16 operators") != std::string::npos);
}
