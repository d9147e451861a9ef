// How many times as long one point takes as another.
#include "engine/verdict/quotient.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace engine;

namespace {

// Of a machine that others slow down: each pass at a pace of its own.
constexpr std::array paces{1.0, 1.8, 1.7, 1.0, 1.1, 1.9, 1.2};

/// Two samples in each pass.
Point point_of(double seconds) {
  Point point;
  point.work = {.flops = 1e6, .bytes = 1e3, .launches = 1};
  for (const double pace : paces) {
    Visit visit;
    visit.first = point.seconds.samples.size();
    visit.pass = point.visits.size();
    point.visits.push_back(visit);
    point.seconds.samples.insert(point.seconds.samples.end(), 2, seconds * pace);
  }
  point.seconds.median = 1.2 * seconds;
  point.seconds.low = seconds;
  point.seconds.high = 1.9 * seconds;
  return point;
}

void check(const Interval& value, double median, double low, double high) {
  CHECK(value.median == doctest::Approx(median));
  REQUIRE((value.low && value.high));
  CHECK(*value.low == doctest::Approx(low));
  CHECK(*value.high == doctest::Approx(high));
}

}  // namespace

TEST_CASE("points of the same passes are compared pass by pass, whatever the pace of each was") {
  check(times_as_long(point_of(3), point_of(1)), 3, 3, 3);
  Point integer = point_of(1);
  integer.work.flops = 5e5;
  check(times_as_fast(point_of(2), integer, &kernels::Work::flops), 1, 1, 1);
}

TEST_CASE("a pass in which one of the two was set aside does not count") {
  Point above = point_of(3);
  above.visits[1].set_aside = "other work used the device";
  for (std::size_t i = 2; i < above.visits.size(); ++i) above.visits[i].first -= 2;
  above.seconds.samples.erase(above.seconds.samples.begin() + 2, above.seconds.samples.begin() + 4);
  check(times_as_long(above, point_of(1)), 3, 3, 3);
}

TEST_CASE("a point that missed a pass is compared with the passes that it shares") {
  Point above = point_of(3);
  above.visits.erase(above.visits.begin() + 1);
  for (std::size_t i = 1; i < above.visits.size(); ++i) above.visits[i].first -= 2;
  above.seconds.samples.erase(above.seconds.samples.begin() + 2, above.seconds.samples.begin() + 4);
  check(times_as_long(above, point_of(1)), 3, 3, 3);
}

TEST_CASE("points of few common passes, or of two sweeps, are compared at their worst") {
  Point brief = point_of(3);
  brief.visits.resize(5);
  brief.seconds.samples.resize(10);
  check(times_as_long(brief, point_of(1)), 3, 3 / 1.9, 3 * 1.9);
  Point other = point_of(3);
  other.run = 2;
  check(times_as_long(other, point_of(1)), 3, 3 / 1.9, 3 * 1.9);
  brief.seconds.samples.resize(4);  // too few for an interval
  CHECK_FALSE(times_as_long(brief, point_of(1)).low);
}
