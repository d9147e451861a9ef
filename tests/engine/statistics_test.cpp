#include "engine/measure/statistics.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <random>

using namespace engine;

namespace {
std::vector<double> one_to(int n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}
}  // namespace

TEST_CASE("the interval of a mean of few normal samples is Student's") {
  // Half widths by hand: t sqrt(sum of squares / (n - 1) / n).
  CHECK(student_half_width(std::vector{1.0, 3.0}) == doctest::Approx(12.706));
  CHECK(student_half_width(std::vector{1.0, 2.0, 3.0}) == doctest::Approx(4.303 / std::sqrt(3.0)));
  CHECK(student_half_width(std::vector{5.0, 5.0, 5.0}) == 0);
  CHECK(student_half_width(std::vector<double>(1000, 2.0)) < 1e-12);
}

TEST_CASE("the median is the middle sample or the mean of the middle two") {
  CHECK(median_of(std::vector{3.0}) == 3);
  CHECK(median_of(std::vector{3.0, 1.0}) == 2);
  CHECK(median_of(std::vector{9.0, 1.0, 2.0}) == 2);
  CHECK(median_of(std::vector{4.0, 1.0, 3.0, 2.0}) == 2.5);
}

TEST_CASE("the median of the largest doubles does not overflow") {
  CHECK(median_of(std::vector{1.7e308, 1.7e308}) == 1.7e308);
}

TEST_CASE("below six samples the interval is the whole range") {
  const Ends one = median_interval(std::vector{2.0});
  CHECK(one.low == 2);
  CHECK(one.high == 2);
  const Ends five = median_interval(one_to(5));
  CHECK(five.low == 1);
  CHECK(five.high == 5);
}

TEST_CASE("the ranks of the interval are those of the published tables of the sign test") {
  // Conover, Practical Nonparametric Statistics: 95 % ranks for n = 6, 8, 9, 10, 20, 25, 50, 100.
  const struct {
    int n, low, high;
  } rows[] = {{6, 1, 6},   {7, 1, 7},   {8, 1, 8},    {9, 2, 8},    {10, 2, 9},
              {20, 6, 15}, {25, 8, 18}, {50, 18, 33}, {100, 40, 61}};
  for (const auto& row : rows) {
    CAPTURE(row.n);
    const Ends interval = median_interval(one_to(row.n));
    CHECK(interval.low == row.low);
    CHECK(interval.high == row.high);
  }
}

TEST_CASE("thousands of samples have an interval near the normal approximation") {
  const Ends interval = median_interval(one_to(10000));
  CHECK(interval.low == doctest::Approx(5000 - 98).epsilon(0.001));
  CHECK(interval.high == doctest::Approx(5001 + 98).epsilon(0.001));
}

TEST_CASE(
    "the interval covers the true median at least 95 times in 100, whatever the distribution") {
  std::mt19937_64 random(20261121);
  std::exponential_distribution<double> skewed(1.0);
  const double true_median = 0.6931471805599453;
  for (const int n : {7, 15, 40}) {
    int covered = 0;
    constexpr int trials = 4000;
    for (int t = 0; t < trials; ++t) {
      std::vector<double> samples(n);
      for (double& sample : samples) sample = skewed(random);
      const Ends interval = median_interval(samples);
      covered += interval.low <= true_median && true_median <= interval.high;
    }
    CAPTURE(n);
    // Three standard deviations of a binomial count below 95 %: 41 of 4000.
    CHECK(covered >= static_cast<int>(0.95 * trials) - 41);
    CHECK(covered < trials);
  }
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
