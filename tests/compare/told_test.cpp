// What is said of a comparison: its sentence, its table and its file.
#include "engine/compare/told.hpp"

#include <doctest/doctest.h>

#include "tests/compare/compared.hpp"
#include "tests/text.hpp"

using namespace engine;
using examples::chain;
using kernels::Dtype;
using tests::compared;
using tests::contains;
using tests::holding;
using tests::taking;

namespace {

/// A session with a point at repeat 1, 2, 4, ... for each time.
Session of_times(const std::vector<double>& seconds) {
  std::vector<Point> points;
  std::uint64_t repeat = 1;
  for (const double time : seconds) {
    points.push_back(taking(chain(repeat), time));
    repeat *= 2;
  }
  return holding(std::move(points));
}

std::string said(const std::vector<double>& a, const std::vector<double>& b) {
  return summary_of(compared(of_times(a), of_times(b)));
}

}  // namespace

TEST_CASE("one sentence says at how many points B is faster, slower or equal, and by how much") {
  CHECK(said({1, 1, 1}, {0.5, 0.8, 0.1}) == "B is faster at all 3 points: 1.25x to 10x.");
  CHECK(said({1, 1}, {2, 2}) == "B is slower at all 2 points: it takes 2x as long.");
  CHECK(said({1, 1}, {1, 1.01}) == "A and B are equal within 3 % at all 2 points.");
  CHECK(said({1, 1, 1}, {0.5, 2, 1}) ==
        "B is faster at 1 of 3 points (2x), slower at 1 (2x as long) and equal within 3 % at 1.");
  CHECK(said({1, 1, 1}, {0.5, 0.25, 1.03}) ==
        "B is faster at 2 of 3 points (2x to 4x); 1 is undecided.");
  CHECK(said({1, 1}, {1.03, 1.03}) == "All 2 points are undecided.");
  CHECK(said({1}, {0.5}) == "B is faster: 2x.");
  CHECK(said({1}, {1.03}) == "The only common point is undecided.");
}

TEST_CASE("points without a partner are counted") {
  CHECK(said({1, 1, 1}, {2}) == "B is slower: it takes 2x as long. 2 points of A have no partner.");
  CHECK(said({1}, {2, 1}) == "B is slower: it takes 2x as long. 1 point of B has no partner.");
  Comparison both = compared(of_times({1}), of_times({2}));
  both.alone_in_a = both.alone_in_b = 1;
  CHECK(contains(summary_of(both), " 1 point of A and 1 point of B have no partner."));
}

TEST_CASE("without pairs the sentence is the reason") {
  CHECK(summary_of(compared(holding({taking(chain(1), 1)}), holding({taking(chain(2), 1)}))) ==
        "A and B have no point in common: repeat is 1 in A and 2 in B.");
}

TEST_CASE("the table has durations first, then shares, and a column for each size that varies") {
  const auto table = table_of(compared(of_times({2e-2, 2e-2}), of_times({1e-2, 2e-2})));
  REQUIRE(table.size() == 3);
  CHECK(table[0] == std::vector<std::string>{"point", "repeat", "time of A", "time of B",
                                             "time of B / A", "of roof A", "of roof B",
                                             "of roof B / A", "B is"});
  CHECK(table[1][0] == "fp32 fused");
  CHECK(table[1][1] == "1");
  CHECK(table[1][2] == "20.0 ms ±0.1 %");
  CHECK(table[1][4] == "0.500 [0.499 to 0.501]");
  CHECK(table[1][8] == "faster");
  CHECK(table[2][8] == "equal within 3 %");
}

TEST_CASE("small and large ratios keep three digits") {
  CHECK(ratio_text({0.0051234}) == "0.00512");
  CHECK(ratio_text({64.62, 64.57, 64.67}) == "64.6 [64.6 to 64.7]");
}

TEST_CASE("the notes say what is compared, and where ratios are of one element") {
  kernels::Case wide = tests::in_dtype(Dtype::fp16);
  wide.elements = 2 * examples::elements;
  const Comparison both = compared(holding({taking(chain(1), 1)}), holding({taking(wide, 1)}));
  CHECK(notes_of(both) ==
        std::vector<std::string>{"dtype: fp32 in A, fp16 in B.",
                                 "A and B have different numbers of elements: ratios are of the "
                                 "time for one element."});
  CHECK(table_of(both)[0][3] == "time of B / A, per element");
  Session later = holding({taking(chain(1), 1)});
  later.created = "2026-11-22T10:00:00Z";
  CHECK(notes_of(compared(holding({taking(chain(1), 1)}), later)) ==
        std::vector<std::string>{"begun: 2026-11-21T10:00:00Z in A, 2026-11-22T10:00:00Z in B."});
}

TEST_CASE("the file has one row for each pair, and empty cells for what is not known") {
  Point brief = taking(chain(2), 0.25);
  brief.seconds.samples.resize(2);
  Session a = of_times({1, 1}), b = holding({taking(chain(1), 0.5), brief});
  a.roofs.clear();
  const std::string csv = csv_of(compared(a, b));
  CHECK(contains(csv, "point,repeat,a_seconds,a_seconds_low,a_seconds_high,b_seconds,"));
  CHECK(contains(csv, "\"fp32 fused\",1,1,0.999,1.001,0.5,0.4995,0.5005,0.5,"));
  CHECK(contains(csv, "\"fp32 fused\",2,1,0.999,1.001,0.25,,,0.25,,,"));
  CHECK(contains(csv, "false,\"undecided\",\"B: 2 samples\",\"\",\"\"\r\n"));
}
