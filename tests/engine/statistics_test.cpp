#include "engine/measure/statistics.hpp"

#include <doctest/doctest.h>

#include <numeric>

using namespace engine;

namespace {
std::vector<double> one_to(int n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}
/// 1 to n, small and large ones in turns.
std::vector<double> alternating(int n) {
  std::vector<double> values;
  for (int i = 1; i <= n / 2; ++i) {
    values.push_back(i);
    values.push_back(n + 1 - i);
  }
  return values;
}
}  // namespace

TEST_CASE("the median is the middle sample or the mean of the middle two") {
  CHECK(median_of(std::vector{3.0}) == 3);
  CHECK(median_of(std::vector{3.0, 1.0}) == 2);
  CHECK(median_of(std::vector{9.0, 1.0, 2.0}) == 2);
  CHECK(median_of(std::vector{4.0, 1.0, 3.0, 2.0}) == 2.5);
}

TEST_CASE("the median of the largest doubles does not overflow") {
  CHECK(median_of(std::vector{1.7e308, 1.7e308}) == 1.7e308);
}

TEST_CASE("below six samples there is no interval") {
  CHECK_FALSE(median_interval(std::vector{2.0}));
  CHECK_FALSE(median_interval(one_to(5)));
  CHECK(range_of(one_to(5)).low == 1);
  CHECK(range_of(one_to(5)).high == 5);
}

TEST_CASE("the ranks of the interval are those of 97.5 %") {
  // By hand: the largest r with P(Binomial(n, 1/2) < r) <= 1.25 %, from below and from above.
  const struct {
    int n, low, high;
  } rows[] = {{6, 1, 6}, {8, 1, 8}, {10, 2, 9}, {20, 5, 16}, {50, 17, 34}, {100, 39, 62}};
  for (const auto& row : rows) {
    CAPTURE(row.n);
    const auto interval = median_interval(alternating(row.n));
    REQUIRE(interval);
    CHECK(interval->low == row.low);
    CHECK(interval->high == row.high);
  }
}

TEST_CASE("neighbours that are alike make the interval wider, unlike ones leave it as it is") {
  const std::vector<double> mixed = alternating(100);
  CHECK(widening_of(mixed) == 1);
  std::vector<double> slow = one_to(100);  // a drift: nearly all neighbours are on the same side
  CHECK(widening_of(slow) > 2);
  const auto narrow = median_interval(mixed), wide = median_interval(slow);
  REQUIRE(narrow);
  REQUIRE(wide);
  CHECK(wide->low < narrow->low);
  CHECK(wide->high > narrow->high);
}

TEST_CASE("a sample far from the rest is an outlier and the rest are not") {
  const std::vector samples{1.00, 1.01, 0.99, 1.02, 5.0, 0.98, 1.00};
  CHECK(outliers_of(samples) == std::vector<std::size_t>{4});
}

TEST_CASE("the limit of the modified z-score is 3.5") {
  // Median 0, MAD 1: 3.5 / 0.6745 = 5.189.
  CHECK(outliers_of(std::vector{-1.0, -1.0, 0.0, 1.0, 5.18}).empty());
  CHECK(outliers_of(std::vector{-1.0, -1.0, 0.0, 1.0, 5.20}) == std::vector<std::size_t>{4});
}

TEST_CASE("equal samples have no outliers, and one apart from many equal ones is found") {
  CHECK(outliers_of(std::vector<double>(9, 2.0)).empty());
  std::vector<double> samples(20, 2.0);
  samples[3] = 3.0;
  CHECK(outliers_of(samples) == std::vector<std::size_t>{3});
}

TEST_CASE("two samples cannot tell which is the outlier") {
  CHECK(outliers_of(std::vector{1.0, 100.0}).empty());
  CHECK(outliers_of({}).empty());
}
