// Which points become pairs, and what is concluded from their ratio.
#include "engine/compare/compare.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "engine/session/session_file.hpp"
#include "tests/compare/compared.hpp"
#include "tests/text.hpp"

using namespace engine;
using examples::chain;
using kernels::Dtype;
using kernels::Fusion;
using tests::compared;
using tests::contains;
using tests::holding;
using tests::in_dtype;
using tests::taking;

namespace {

Outcome outcome(double low, double high) { return outcome_of({(low + high) / 2, low, high}); }

/// What is said of a point that takes `seconds` in B and 1 s in A.
Outcome outcome_at(double seconds, double reach = 0.001) {
  const Session a = holding({taking(chain(1), 1, reach)}),
                b = holding({taking(chain(1), seconds, reach)});
  return compared(a, b).pairs.at(0).outcome;
}

}  // namespace

TEST_CASE("an interval beyond 3 % decides, one within says equal, and one across says nothing") {
  CHECK(outcome(0.5, 0.6) == Outcome::faster);
  CHECK(outcome(1.5, 1.6) == Outcome::slower);
  CHECK(outcome(0.98, 1.02) == Outcome::equal);
  CHECK(outcome(0.9, 0.98) == Outcome::undecided);
  CHECK(outcome(1.01, 1.05) == Outcome::undecided);
  CHECK(outcome(0.5, 2) == Outcome::undecided);
  CHECK(outcome(0.97, 0.9708) == Outcome::faster);  // 1 / 1.03 is 0.9709
  CHECK(outcome(1.0301, 1.04) == Outcome::slower);
}

TEST_CASE("the opposite is said where A and B change places") {
  const auto opposite = [](Outcome one) {
    if (one == Outcome::faster) return Outcome::slower;
    return one == Outcome::slower ? Outcome::faster : one;
  };
  for (double low = 0.9; low < 1.1; low += 0.0037) {
    for (double high = low; high < 1.15; high += 0.0041) {
      CAPTURE(low);
      CAPTURE(high);
      CHECK(outcome(1 / high, 1 / low) == opposite(outcome(low, high)));
    }
  }
}

TEST_CASE("nothing is said of a ratio without an interval, and of none that is a number") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(outcome_of({0.5}) == Outcome::undecided);
  CHECK(outcome_of({0.5, 0.4, {}}) == Outcome::undecided);
  CHECK(outcome(0, 0) == Outcome::undecided);
  CHECK(outcome(nan, nan) == Outcome::undecided);
  CHECK(outcome_of({nan, 0.4, nan}) == Outcome::undecided);
  CHECK(outcome(-2, -1) == Outcome::undecided);
  CHECK(outcome(0.6, 0.5) == Outcome::undecided);
  CHECK(outcome(2, std::numeric_limits<double>::infinity()) == Outcome::slower);
}

TEST_CASE("points of two sessions are compared with both intervals at their worst") {
  const Comparison half =
      compared(holding({taking(chain(1), 2, 0.01)}), holding({taking(chain(1), 1, 0.02)}));
  const Interval& ratio = half.pairs.at(0).time;
  CHECK(ratio.median == doctest::Approx(0.5));
  CHECK(ratio.low.value() == doctest::Approx(0.98 / 2.02));
  CHECK(ratio.high.value() == doctest::Approx(1.02 / 1.98));
  CHECK(outcome_at(0.5) == Outcome::faster);
  CHECK(outcome_at(2) == Outcome::slower);
  CHECK(outcome_at(1.01) == Outcome::equal);
  CHECK(outcome_at(1.02, 0.02) == Outcome::undecided);
}

TEST_CASE("points of one sweep are compared pass by pass") {
  // A machine that others slow down: both take twice as long in every second pass.
  const auto in_passes = [](Fusion fusion, double seconds) {
    Point point = taking(chain(4, fusion), seconds, 0.4);
    point.seconds.samples.clear();
    for (std::size_t pass = 0; pass < 8; ++pass) {
      Visit visit;
      visit.first = pass;
      visit.pass = pass;
      point.visits.push_back(visit);
      point.seconds.samples.push_back(seconds * (pass % 2 == 0 ? 1 : 2));
    }
    return point;
  };
  const Session session = holding({in_passes(Fusion::fused, 1), in_passes(Fusion::unfused, 3)});
  const Comparison both = compared(session, "fused", "unfused");
  CHECK(both.pairs.at(0).time.low.value() == doctest::Approx(3));
  CHECK(both.pairs.at(0).outcome == Outcome::slower);
  // Passes of another session ran at other times.
  const Session copy = session;
  const Comparison apart =
      engine::compare(side_of(session, "fused", "'a'"), side_of(copy, "unfused", "'b'"));
  CHECK(apart.pairs.at(0).time.low.value() == doctest::Approx(3 * 0.6 / 1.4));
}

TEST_CASE("a point that was disturbed, or has too few samples, decides nothing and says why") {
  Point disturbed = taking(chain(1), 0.1), brief = taking(chain(2), 0.1),
        sound = taking(chain(4), 0.1);
  disturbed.disturbed = true;
  brief.seconds.samples.resize(4);
  const Comparison both =
      compared(holding({taking(chain(1), 1), taking(chain(2), 1), taking(chain(4), 1)}),
               holding({disturbed, brief, sound}));
  REQUIRE(both.pairs.size() == 3);
  CHECK(both.pairs[0].outcome == Outcome::undecided);
  CHECK(both.pairs[0].why == "B: disturbed");
  CHECK(both.pairs[1].outcome == Outcome::undecided);
  CHECK(both.pairs[1].why == "B: 4 samples");
  CHECK_FALSE(both.pairs[1].time.low);
  CHECK(both.pairs[2].outcome == Outcome::faster);
  CHECK(both.pairs[2].why.empty());
}

TEST_CASE("a doubt that is no disturbance is told beside the outcome") {
  Point throttled = taking(chain(1), 0.5);
  throttled.conditions.throttled = true;
  const Comparison both = compared(holding({taking(chain(1), 1)}), holding({throttled}));
  CHECK(both.pairs.at(0).outcome == Outcome::faster);
  CHECK(contains(both.pairs.at(0).b.doubts, "throttled"));
  CHECK(both.pairs.at(0).a.doubts.empty());
}

TEST_CASE("two files of other element types are compared, and all else has to be the same") {
  const Session a =
      holding({taking(in_dtype(Dtype::fp16, 1), 1), taking(in_dtype(Dtype::fp16, 8), 1)});
  Session b = holding({taking(in_dtype(Dtype::bf16, 8), 2), taking(in_dtype(Dtype::bf16, 16), 2)});
  const Comparison both = compared(a, b);
  REQUIRE(both.pairs.size() == 1);
  CHECK(both.pairs[0].name == "fused");
  CHECK(both.pairs[0].sizes.at(0) == SizeOfPair{"repeat", 8, "8"});
  CHECK(both.pairs[0].time.median == doctest::Approx(2));
  CHECK(both.a == "fp16");
  CHECK(both.b == "bf16");
  CHECK(both.alone_in_a == 1);
  CHECK(both.alone_in_b == 1);
}

TEST_CASE("a side of several element types is paired type by type") {
  const Session a = holding({taking(in_dtype(Dtype::fp32), 1), taking(in_dtype(Dtype::fp16), 1)});
  Session b = holding({taking(in_dtype(Dtype::fp16), 3), taking(in_dtype(Dtype::fp32), 2)});
  b.device.name = "Another CPU";
  const Comparison both = compared(a, b);
  REQUIRE(both.pairs.size() == 2);
  CHECK(both.pairs[0].name == "fp32 fused");
  CHECK(both.pairs[0].time.median == doctest::Approx(2));
  CHECK(both.pairs[1].name == "fp16 fused");
  CHECK(both.pairs[1].time.median == doctest::Approx(3));
  CHECK(both.b == "Another CPU");
}

TEST_CASE("where each side has one point of other elements, durations are those of one element") {
  kernels::Case wide = in_dtype(Dtype::fp16);
  wide.elements = 2 * examples::elements;
  const Comparison both =
      compared(holding({taking(in_dtype(Dtype::fp32), 1)}), holding({taking(wide, 1)}));
  CHECK(both.pairs.at(0).per_element);
  CHECK(both.pairs.at(0).time.median == doctest::Approx(0.5));
  CHECK(both.pairs.at(0).time.high.value() == doctest::Approx(0.5 * 1.001 / 0.999));
  CHECK(both.pairs.at(0).outcome == Outcome::faster);
  // Of several sizes, only equal ones are pairs.
  kernels::Case small = in_dtype(Dtype::fp32), large = in_dtype(Dtype::fp32);
  small.elements = 1000;
  large.elements = 2000;
  const Comparison sizes = compared(holding({taking(small, 1), taking(in_dtype(Dtype::fp32), 1)}),
                                    holding({taking(in_dtype(Dtype::fp32), 1), taking(large, 1)}));
  REQUIRE(sizes.pairs.size() == 1);
  CHECK_FALSE(sizes.pairs[0].per_element);
  CHECK(sizes.alone_in_a == 1);
}

TEST_CASE("points that take no time, or a time that is no number, are not compared") {
  Point none = taking(chain(1), 0), wild = taking(chain(2), NAN), far = taking(chain(4), INFINITY);
  Point skipped = taking(chain(8), 1), slider = taking(chain(16), 1);
  skipped.status = Status::skipped;
  slider.probe = true;
  const Session a = holding({none, wild, far, skipped, slider, taking(chain(32), 1)});
  const Comparison both = compared(a, holding(a.points));
  CHECK(both.pairs.size() == 1);
  CHECK(both.alone_in_a == 0);
}

TEST_CASE("without a common point one sentence says what differs") {
  const Session a = holding({taking(chain(1), 1)}), b = holding({taking(chain(2), 1)});
  CHECK(compared(a, b).why_none == "A and B have no point in common: repeat is 1 in A and 2 in B");
  const Session tiles = holding({taking(examples::tile(1, kernels::Units::vector), 1)});
  CHECK(compared(a, tiles).why_none ==
        "A and B have no point in common: kernel is chain in A and tile in B");
  Session other = holding({taking(chain(1), 1)});
  other.points[0].lab = "fma";
  CHECK(contains(compared(a, other).why_none, "lab is intensity in A and fma in B"));
  const Session crossed = holding({taking(chain(1, Fusion::unfused), 1), taking(chain(2), 1)});
  const Session parallel = holding({taking(chain(1), 1), taking(chain(2, Fusion::unfused), 1)});
  CHECK(contains(compared(crossed, parallel).why_none, "no point of A has the same sizes"));
}

TEST_CASE("a point cannot be compared with itself") {
  const Session session = holding({taking(chain(1), 1), taking(chain(1, Fusion::unfused), 1)});
  CHECK_THROWS_WITH_AS(compared(session, "", "fused"),
                       "A and B have 1 point in common: expected words of which a point has one "
                       "alone, such as fused for A and unfused for B",
                       BadInput);
}

TEST_CASE("shares of the roof are compared where both are known") {
  Point one = taking(chain(1), 1), other = taking(chain(1), 1);
  one.share = Share{"DRAM copy", {0.8, 0.79, 0.81}};
  other.share = Share{"DRAM copy", {0.4, 0.39, 0.41}};
  const Comparison both = compared(holding({one}), holding({other}));
  const Interval& share = both.pairs.at(0).share.value();
  CHECK(share.median == doctest::Approx(0.5));
  CHECK(share.low.value() == doctest::Approx(0.39 / 0.81));
  Session roofless = holding({taking(chain(1), 1)});
  roofless.roofs.clear();
  CHECK_FALSE(compared(holding({one}), roofless).pairs.at(0).share);
}
