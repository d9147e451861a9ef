#include "engine/measure/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace engine {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> copy(samples.begin(), samples.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double median_of_sorted(std::span<const double> samples) {
  const std::size_t middle = samples.size() / 2;
  if (samples.size() % 2 == 1) return samples[middle];
  return samples[middle - 1] + (samples[middle] - samples[middle - 1]) / 2;
}

/// How many of the n sorted samples to leave out at each end: the largest j with P(Binomial(n, 1/2)
/// < j) <= 2.5 %, so that [x[j-1], x[n-j]] (from 0) holds the median with at least 95 %. 0 when
/// there is no such interval.
std::size_t samples_outside(std::size_t n) {
  // In logarithms, because 2^-n leaves the range of a double.
  double log_term = -static_cast<double>(n) * std::numbers::ln2;
  double tail = 0;
  for (std::size_t j = 0; j < n; ++j) {
    tail += std::exp(log_term);
    if (tail > 0.025) return j;
    log_term += std::log(static_cast<double>(n - j) / static_cast<double>(j + 1));
  }
  return 0;
}

}  // namespace

double median_of(std::span<const double> samples) { return median_of_sorted(sorted(samples)); }

Ends median_interval(std::span<const double> samples) {
  const std::vector<double> ordered = sorted(samples);
  const std::size_t outside = samples_outside(ordered.size());
  if (outside == 0) return {ordered.front(), ordered.back()};
  return {ordered[outside - 1], ordered[ordered.size() - outside]};
}

double deviation_of(std::span<const double> samples) {
  const auto n = static_cast<double>(samples.size());
  double mean = 0;
  for (const double sample : samples) mean += sample / n;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return std::sqrt(squares / (n - 1));
}

double student_half_width(std::span<const double> samples) {
  // 97.5 % quantiles by degrees of freedom, n - 1; from there on the normal distribution's is near.
  constexpr std::array quantiles{0.0,   12.706, 4.303, 3.182, 2.776, 2.571,
                                 2.447, 2.365,  2.306, 2.262, 2.228};
  const double quantile = quantiles[std::min(samples.size(), quantiles.size()) - 1];
  return quantile * deviation_of(samples) / std::sqrt(static_cast<double>(samples.size()));
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
