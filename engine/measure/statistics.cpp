#include "engine/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace engine {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> copy(samples.begin(), samples.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

// Where nearly all neighbours are alike, nobody can tell how long the mood lasts.
constexpr double most_correlated = 0.9;

double median_of_sorted(std::span<const double> samples) {
  const std::size_t middle = samples.size() / 2;
  if (samples.size() % 2 == 1) return samples[middle];
  return samples[middle - 1] + (samples[middle] - samples[middle - 1]) / 2;
}

// Of each end of the interval: 1.25 %, so that both are 2.5 %. Looking again and again takes the
// rest of 5 %.
constexpr double tail_of_one_end = 0.0125;

/// How many of the n sorted samples to leave out at each end: the largest j with P(Binomial(n, 1/2)
/// < j) below the tail, so that [x[j-1], x[n-j]] (from 0) holds the median. 0 when there is no such
/// interval.
std::size_t samples_outside(std::size_t n) {
  // In logarithms, because 2^-n leaves the range of a double.
  double log_term = -static_cast<double>(n) * std::numbers::ln2;
  double tail = 0;
  for (std::size_t j = 0; j < n; ++j) {
    tail += std::exp(log_term);
    if (tail > tail_of_one_end) return j;
    log_term += std::log(static_cast<double>(n - j) / static_cast<double>(j + 1));
  }
  return 0;
}

}  // namespace

double median_of(std::span<const double> samples) { return median_of_sorted(sorted(samples)); }

Ends range_of(std::span<const double> samples) {
  const auto [low, high] = std::ranges::minmax(samples);
  return {low, high};
}

double widening_of(std::span<const double> samples) {
  if (samples.size() < 3) return 1;
  const double median = median_of(samples);
  const auto sign = [&](double x) { return x > median ? 1.0 : x < median ? -1.0 : 0.0; };
  double products = 0;
  for (std::size_t i = 1; i < samples.size(); ++i)
    products += sign(samples[i - 1]) * sign(samples[i]);
  const auto pairs = static_cast<double>(samples.size() - 1);
  // Signs about the median of the samples themselves differ more often than those about the true
  // one; and a standard error more, since stopping picks the moments at which they seem less alike.
  const double correlation =
      std::clamp((products + 1) / pairs + 1 / std::sqrt(pairs), 0.0, most_correlated);
  // Signs of normal values with autocorrelation r have (2 / pi) asin(r), and r^k at distance k.
  const double r = std::sin(correlation * std::numbers::pi / 2);
  double sum = 1;
  for (double power = r; power > 1e-4; power *= r)
    sum += 2 * (2 / std::numbers::pi) * std::asin(power);
  return std::sqrt(sum);
}

std::optional<Ends> median_interval(std::span<const double> samples) {
  if (samples.size() < least_for_interval) return std::nullopt;
  const std::vector<double> ordered = sorted(samples);
  const auto n = static_cast<double>(ordered.size());
  const auto inside = n / 2 - static_cast<double>(samples_outside(ordered.size()));
  const double outside = std::max(1.0, std::floor(n / 2 - inside * widening_of(samples)));
  const auto cut = static_cast<std::size_t>(outside);
  return Ends{ordered[cut - 1], ordered[ordered.size() - cut]};
}

Interval interval_of(std::span<const double> samples) {
  const std::optional<Ends> ends = median_interval(samples);
  if (!ends) return {median_of(samples)};
  return {median_of(samples), ends->low, ends->high};
}

Ends time_interval(std::span<const double> samples, std::span<const double> visits) {
  const Ends all = median_interval(samples).value_or(range_of(samples));
  const Ends between = median_interval(visits).value_or(range_of(visits));
  return {std::min(all.low, between.low), std::max(all.high, between.high)};
}

std::vector<std::size_t> outliers_of(std::span<const double> samples) {
  if (samples.size() < 3) return {};
  const double median = median_of(samples);
  std::vector<double> deviations;
  double total = 0;
  for (const double sample : samples) {
    deviations.push_back(std::abs(sample - median));
    total += deviations.back();
  }
  // 0.6745: MAD of a normal distribution in standard deviations. When more than half of the samples
  // are equal the MAD is 0 and the mean deviation (1.2533 = sqrt(pi / 2)) takes its place; both
  // from Iglewicz and Hoaglin 1993.
  const double mad = median_of(deviations);
  const double mean = total / static_cast<double>(samples.size());
  const double spread = mad > 0 ? mad / 0.6745 : mean * 1.253314;
  std::vector<std::size_t> outliers;
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    if (deviations[i] > 3.5 * spread) outliers.push_back(i);
  }
  return outliers;
}

}  // namespace engine
