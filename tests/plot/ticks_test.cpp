#include "ui/plot/ticks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using plot::Axis;
using plot::Tick;
using plot::Ticks;
using plot::ticks_of;

namespace {

std::vector<std::string> labels(const Axis& axis, double length = 600, double space = 40) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks_of(axis, length, space).ticks) {
    if (!tick.label.empty()) result.push_back(tick.label);
  }
  return result;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("Decades share the prefix that the axis title names") {
  const Axis axis{"Performance", "FLOP/s", 5e9, 5e12, true, true};
  CHECK(labels(axis) == Labels{"10", "100", "1000"});
  CHECK(title_of(axis, ticks_of(axis, 600, 40)) == "Performance (GFLOP/s)");
}

TEST_CASE("The prefix is the one with the shortest labels") {
  CHECK(ticks_of({"", "s", 0.01, 40, true, true}, 600, 40).unit == "s");
  CHECK(ticks_of({"", "s", 2e-6, 5e-4, true, true}, 600, 40).unit == "\u00b5s");
  CHECK(ticks_of({"", "B/s", 5e9, 2e12, true, true}, 600, 40).unit == "GB/s");
  CHECK(ticks_of({"", "B/s", 5e9, 2e13, true, true}, 600, 40).unit == "TB/s");
  CHECK(ticks_of({"", "s", 1e4, 1e6, true, true}, 600, 40).unit == "s");
}

TEST_CASE("Numbers far below one are written with a power of ten, not with zeros") {
  CHECK(labels({"Error", "", 0, 4e-15, false, false}, 200, 60) ==
        Labels{"0", "2\u00b710\u207b\u00b9\u2075", "4\u00b710\u207b\u00b9\u2075"});
  CHECK(labels({"Error", "", 0, 4e-3, false, false}, 200, 60) == Labels{"0.000", "0.002", "0.004"});
}

TEST_CASE("A range too wide for one prefix gets a prefix on every label") {
  const Axis axis{"", "FLOP/s", 0.5e3, 2e12, true, true};
  const Labels found = labels(axis);
  CHECK(std::ranges::find(found, "1 k") != found.end());
  CHECK(std::ranges::find(found, "10 M") != found.end());
  CHECK(std::ranges::find(found, "100 G") != found.end());
  CHECK(std::ranges::find(found, "1 T") != found.end());
  CHECK(ticks_of(axis, 600, 20).unit == "FLOP/s");
}

TEST_CASE("Times over a range too wide for one prefix carry their unit: 100 ms, not 100 m") {
  const Axis axis{"Runtime", "s", 5e-9, 20, true, true};
  const Labels found = labels(axis);
  CHECK(found.front() == "10 ns");
  CHECK(std::ranges::find(found, "100 ms") != found.end());
  CHECK(found.back() == "10 s");
  CHECK(title_of(axis, ticks_of(axis, 600, 40)) == "Runtime");
}

TEST_CASE(
    "Fractions read worse than thousands: roofs named in GFLOP/s stand on an axis of GFLOP/s") {
  const Axis axis{"Performance", "FLOP/s", 0.02e12, 1.4e12, true, true};
  CHECK(labels(axis) == Labels{"20", "50", "100", "200", "500", "1000"});
}

TEST_CASE("Sizes of memory have ticks at powers of two, each with its unit") {
  const Axis axis{"Working set", "B", 1e4, 1e9, true, true};
  CHECK(labels(axis, 600) ==
        Labels{"16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB", "64 MiB", "256 MiB"});
  CHECK(labels(axis, 300) == Labels{"32 KiB", "1 MiB", "32 MiB"});
  CHECK(title_of(axis, ticks_of(axis, 600, 40)) == "Working set");
  CHECK(ticks_of(axis, 600, 40).ticks.size() == 16);  // 16 KiB to 512 MiB
}

TEST_CASE("Plain decades beyond ten thousand are powers of ten") {
  CHECK(labels({"", "", 1, 1024, true, false}) == Labels{"1", "10", "100", "1000"});
  CHECK(labels({"", "FLOP/byte", 0.05, 300, true, false}) == Labels{"0.1", "1", "10", "100"});
  const Labels wide = labels({"", "", 1e-6, 1e6, true, false}, 1200, 40);
  CHECK(std::ranges::find(wide, "10\u207b\u2076") != wide.end());
  CHECK(std::ranges::find(wide, "10\u2075") != wide.end());
}

TEST_CASE("Fewer than two decades name 2 and 5 as well") {
  CHECK(labels({"", "", 1, 60, true, false}) == Labels{"1", "2", "5", "10", "20", "50"});
}

TEST_CASE("Within one decade the ticks are evenly spaced round numbers") {
  CHECK(labels({"", "", 3.1, 3.9, true, false}, 400, 40) ==
        Labels{"3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9"});
}

TEST_CASE("Negative numbers have a minus sign, not a hyphen") {
  const Labels found = labels({"", "", -10, 10, false, false}, 400, 80);
  CHECK(found == Labels{"\u221210", "\u22125", "0", "5", "10"});
}

TEST_CASE("Minor grid lines fade as decades get closer") {
  const auto minor_weight = [](double length) {
    double weight = 0;
    for (const Tick& tick : ticks_of({"", "", 1, 1e4, true, false}, length, 40).ticks) {
      if (tick.label.empty()) weight = std::max(weight, tick.weight);
    }
    return weight;
  };
  CHECK(minor_weight(800) > minor_weight(300));
  CHECK(minor_weight(300) > minor_weight(80));
  CHECK(minor_weight(80) == 0);
}

TEST_CASE("Ticks of any axis ascend, lie within it, and leave their labels the space asked for") {
  for (int low = -290; low < 290; low += 23) {
    for (const double decades : {0.01, 0.3, 1.0, 1.9, 4.0, 9.0, 30.0}) {
      for (const bool prefix : {false, true}) {
        const Axis axis{
            "",   "FLOP/s", std::pow(10.0, low), std::pow(10.0, std::min(low + decades, 299.0)),
            true, prefix};
        const Ticks ticks = ticks_of(axis, 500, 40);
        CAPTURE(axis.low);
        CAPTURE(axis.high);
        double last = 0, last_label = -1e9;
        for (const Tick& tick : ticks.ticks) {
          REQUIRE(tick.value >= axis.low);
          REQUIRE(tick.value <= axis.high);
          REQUIRE(tick.value > last);
          REQUIRE(tick.weight > 0);
          last = tick.value;
          if (tick.label.empty()) continue;
          const double at = 500 * std::log(tick.value / axis.low) / std::log(axis.high / axis.low);
          REQUIRE(at - last_label > 15);
          last_label = at;
        }
        REQUIRE(ticks.ticks.size() < 300);
      }
    }
  }
}

TEST_CASE("An axis that cannot be drawn becomes one that can") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  for (const auto& [low, high] : {std::pair{nan, 1.0},
                                  {1.0, nan},
                                  {0.0, 1.0},
                                  {-1.0, 1.0},
                                  {5.0, 5.0},
                                  {9.0, 3.0},
                                  {1.0, infinity},
                                  {1e-320, 1.0},
                                  {1.0, 1e305}}) {
    const Axis axis = plot::sane({"", "", low, high, true, true});
    CHECK(axis.low == 1);
    CHECK(axis.high == 10);
    CHECK_FALSE(ticks_of({"", "", low, high, true, true}, 300, 40).ticks.empty());
  }
}
