// `ridgepoint watch` beside a made-up job on an emulated GPU.
#include <doctest/doctest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"
#include "tests/text.hpp"

using nlohmann::json;
using tests::contains;

namespace {

Launch watch(const std::vector<std::string>& more) {
  Launch launch{{"watch", "--device", "cuda:0"}};
  launch.arguments.insert(launch.arguments.end(), more.begin(), more.end());
  launch.program = RIDGEPOINT_EMULATED;
  launch.environment = {{"RIDGEPOINT_EMULATED_JOB", "1"}};
  return launch;
}

void check_refused(const std::vector<std::string>& more, std::string_view why) {
  const Ended ended = run(watch(more));
  CHECK(ended.code == 2);
  CHECK_MESSAGE(contains(ended.err, std::string(why)), ended.err);
  CHECK(ended.out.empty());
}

}  // namespace

TEST_CASE("watch tells a line a second, what limited the job, and writes what it is asked for") {
  const TemporaryFolder folder;
  const std::string file = folder / "job.json", table = folder / "job.csv";
  const Ended ended = run(watch({"--time", "3.2s", "-o", file, "--csv", table}));
  CHECK(ended.code == 0);
  CHECK(contains(ended.out, "busiest units"));
  CHECK(contains(ended.out, "HMMA 93 %"));
  CHECK(contains(ended.out, "of that, nothing ran"));
  const json session = json::parse(read_file(file));
  CHECK(session.at("points").size() > 10);
  CHECK(session.at("points").front().at("experiment") == "watch");
  CHECK(lines_in(read_file(table)) == session.at("points").size() + 1);
  CHECK(run({"explain", file}).code == 0);
}

TEST_CASE("two watched jobs are compared by what limited them") {
  const TemporaryFolder folder;
  for (const char* name : {"a.json", "b.json"})
    REQUIRE(run(watch({"--time", "0.5s", "-o", folder / name})).code == 0);
  const Ended ended = run({"compare", folder / "a.json", folder / "b.json"});
  CHECK(ended.code == 0);
  CHECK(contains(ended.out, "time compute-bound"));
  CHECK(contains(ended.out, "B - A"));
  CHECK_FALSE(contains(ended.out, "faster"));
}

TEST_CASE("watch streams an event for each window") {
  const Ended ended = run(watch({"--time", "0.5s", "--stream"}));
  CHECK(ended.code == 0);
  CHECK(json::parse(ended.out.substr(0, ended.out.find('\n'))).at("event") == "start");
  CHECK(contains(ended.out, "\"event\":\"point\""));
  CHECK(contains(ended.out, "\"end\":\"complete\""));
}

TEST_CASE("an interrupt ends watching without a limit, and saves the windows") {
  const TemporaryFolder folder;
  Program program(watch({"-o", folder / "job.json"}));
  REQUIRE(program.wait_for("busiest units"));
  program.send(SIGINT);
  CHECK(program.finish().code == 130);
  CHECK(json::parse(read_file(folder / "job.json")).at("points").size() >= 1);
}

TEST_CASE("what cannot be watched so is refused before it begins") {
  check_refused({"--every", "10ms"}, "a time from 0.1s to 60s");
  check_refused({"--tensor", "fp4"}, "fp8");
  const TemporaryFolder folder;
  REQUIRE(run(small_sweep({"-o", folder / "cpu.json"})).code == 0);
  check_refused({"--roofs", folder / "cpu.json"}, "expected those of");
  check_refused({"--roofs", folder / "none.json"}, "none.json");
}
