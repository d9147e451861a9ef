#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

using nlohmann::json;

TEST_CASE("--stream writes one JSON object per line and nothing else") {
  const Ended ended = run(small_sweep({"--stream"}));
  INFO(ended.out, ended.err);
  CHECK(ended.code == 0);
  REQUIRE(!ended.out.empty());
  CHECK(ended.out.back() == '\n');
  std::map<std::string, int> events;
  std::istringstream lines(ended.out);
  std::string line;
  json last;
  while (std::getline(lines, line)) {
    last = json::parse(line);
    ++events[last.at("event").get<std::string>()];
    if (last.at("event") == "point") CHECK(last.at("point").at("status") == "ok");
    if (last.at("event") == "roof") CHECK(last.at("roof").at("rate").get<double>() > 0);
    if (last.at("event") == "start") CHECK(last.at("cases") == 2);
  }
  CHECK(events["start"] == 1);
  CHECK(events["point"] == 2);
  CHECK(events["end"] == 1);
  CHECK(events["roof"] >= 1);
  CHECK(events["progress"] >= 1);
  CHECK(last == json{{"event", "end"},
                     {"end", "complete"},
                     {"why", nullptr},
                     {"ok", 2},
                     {"skipped", 0},
                     {"failed", 0}});
}

TEST_CASE("a reader that leaves ends the stream quietly") {
  Program program(Launch{small_sweep({"--stream", "--repeat", "1:4096:x2"})});
  program.wait_for("\n");
  program.stop_reading();
  const Ended ended = program.finish();
  CHECK(ended.signal == 0);
  CHECK(ended.err.find("standard output") == std::string::npos);
}

TEST_CASE("a reader that leaves does not cost the session its points") {
  const TemporaryFolder folder;
  Program program(Launch{small_sweep({"--stream", "-o", folder / "a.json"})});
  CHECK(program.wait_for("\n"));
  program.stop_reading();
  CHECK(program.finish().code == 0);
  CHECK(json::parse(read_file(folder / "a.json")).at("points").size() == 2);
}

TEST_CASE("standard output that is closed or full is an error, not a crash") {
  const Ended closed = run(Launch{{"devices"}, {}, "closed"});
  CHECK(closed.code == 1);
  CHECK(closed.err.find("cannot write to standard output") != std::string::npos);
  const Ended full = run(Launch{{"sweep", "--list"}, {}, "/dev/full"});
  CHECK(full.code == 1);
  CHECK(full.err.find("cannot write to standard output") != std::string::npos);
}
