// The lab of branches from the command line to the session, with sizes that take moments.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

using nlohmann::json;

TEST_CASE("the lab divergence measures every number of paths, verified") {
  const TemporaryFolder folder;
  const Ended ended =
      run({"sweep", "--device", "cpu", "--lab", "divergence", "--paths", "1,4", "--path-length",
           "16", "--elements", "1280", "--max-time", "200ms", "-o", folder / "session.json"});
  CHECK_MESSAGE(ended.code == 0, ended.err);
  CHECK(ended.out.find("4 paths against 1") != std::string::npos);
  const json points = json::parse(read_file(folder / "session.json")).at("points");
  REQUIRE(points.size() == 4);
  for (const json& point : points) {
    CAPTURE(point.dump());
    CHECK(point.at("status") == "ok");
    CHECK(point.at("checked") == true);
    CHECK(point.at("elements") == 1280);
    CHECK(point.at("flops") == 2 * 1280 * 16);
  }
  CHECK(points.back().at("sizes") == json({{"paths", 4}}));
  CHECK(points.back().at("op") == "masked");
}

TEST_CASE("the lab divergence refuses a number of paths that no warp has") {
  for (const char* paths : {"0", "33", "many"}) {
    const Ended ended = run({"sweep", "--lab", "divergence", "--paths", paths});
    CHECK(ended.code == 2);
    CHECK(ended.err.find("--paths") != std::string::npos);
  }
}
