// Which points get a mark: those whose number may be wrong by more than its interval says.
#include "engine/verdict/doubts.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/session/verdict_words.hpp"

using namespace engine;
using examples::at_bandwidth;
using examples::chain;
using tests::contains;

namespace {

/// The words of all doubts about a point, on a device whose clock was 1.98 GHz at best.
std::string doubts_about(const Point& point) {
  Session session = examples::session();
  session.roofs.front().highest_clock = 1.98e9;
  std::string words;
  for (const Doubt& doubt : doubts_of(session, point)) {
    CHECK_FALSE(doubt.remedy.empty());
    words += fmt::format("{}: {}; ", doubt.word, doubt.reason);
  }
  return words;
}

Point throttled_at(double clock_hz) {
  Point point = at_bandwidth(chain(1), 0.95);
  point.conditions.throttled = true;
  point.conditions.clock_hz = clock_hz;
  point.conditions.temperature_c = 87;
  return point;
}

}  // namespace

TEST_CASE(
    "a clock that fell by half a percent is no reason for doubt, one that fell by a third is") {
  CHECK(doubts_about(throttled_at(1.97e9)).empty());
  CHECK(doubts_about(throttled_at(1.32e9)) ==
        "throttled: heat or the power supply held the clock at 1.32 GHz, 33 % below 1.98 GHz, at "
        "87 °C; ");
  Point unknown = throttled_at(0);
  unknown.conditions.clock_hz.reset();
  CHECK(contains(doubts_about(unknown), "throttled"));
}

TEST_CASE("verdict and advice speak of a throttled clock where the mark does") {
  Session session = examples::session();
  session.roofs.front().highest_clock = 1.98e9;
  for (const auto& [clock_hz, matters] : {std::pair(1.97e9, false), std::pair(1.32e9, true)}) {
    const Point point = throttled_at(clock_hz);
    const Verdict verdict = judge(session, point);
    CHECK(doubts_of(session, point).empty() == !matters);
    CHECK(examples::any_has(verdict.sentences, "throttled its clock") == matters);
    CHECK(examples::any_has(verdict.advice, "its clock was throttled") == matters);
  }
}

TEST_CASE("an interval of 83 % to either side is doubtful, one of half a percent is not") {
  Point point = at_bandwidth(chain(1), 0.95);
  CHECK(doubts_about(point).empty());
  point.seconds.high = 1.83 * point.seconds.median;
  CHECK(doubts_about(point) == "noisy: its 95 % interval is ±83 %; ");
}

TEST_CASE("a point that others disturbed says who took how much") {
  Point point = at_bandwidth(chain(1), 0.95);
  point.disturbed = true;
  CHECK(doubts_about(point) == "disturbed: other work used the device; ");
  point.conditions.other_load = 0.12;
  CHECK(doubts_about(point) == "disturbed: other work took 12 % of the device; ");
  point.conditions.stolen = 0.3;
  CHECK(doubts_about(point) == "disturbed: the hypervisor took 30 % of the device; ");
  point.conditions.others = "python3 (process 4711)";
  CHECK(doubts_about(point) == "disturbed: python3 (process 4711) computes on the device; ");
  point.conditions = {};
  point.conditions.quota = 0.4;
  CHECK(doubts_about(point) == "held back: a processor quota took 40 % of the device; ");
}

TEST_CASE("a point far above its roof is doubtful where that roof is known") {
  CHECK(doubts_about(at_bandwidth(chain(1), 1.04)).empty());
  CHECK(doubts_about(at_bandwidth(chain(1), 1.73)) ==
        "above its roof: it reaches 172 % of its roofs; ");
  Point beside = at_bandwidth(chain(1), 1.73);
  beside.share = Share{"DRAM copy", {1.01, 1.00, 1.02}};  // as fast as the device was then
  CHECK(doubts_about(beside).empty());
  beside.share = Share{"DRAM copy", {1.2, 1.19, 1.21}};
  CHECK(contains(doubts_about(beside), "119 % of the DRAM copy roof beside it"));
  Point failed = at_bandwidth(chain(1), 1.73);
  failed.status = Status::failed;
  CHECK(doubts_about(failed).empty());
}
