// Robust statistics of timing samples: median, its 95 % interval, outliers. Pure functions of
// numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/session/session.hpp"

namespace engine {

/// Median of samples; the mean of the middle two when even. Requires at least one.
double median_of(std::span<const double> samples);

struct Ends {
  double low = 0;
  double high = 0;
};
/// The smallest and the largest. Requires at least one.
Ends range_of(std::span<const double> samples);

/// 95 % interval of the median, of samples in the order in which they were taken. From order
/// statistics, so that it assumes no distribution, and wider where neighbours are alike. It holds
/// when one looks at it after 7, 10, 14, 20, ... samples and stops once it is narrow enough:
/// its ranks are those of 97.5 % (docs/measuring.md, "Intervals"). Nothing below
/// least_for_interval samples.
std::optional<Ends> median_interval(std::span<const double> samples);
/// The median with that interval, where it has one. Requires at least one.
Interval interval_of(std::span<const double> samples);

/// The interval of the median of samples from several visits, whose medians are given. Samples of
/// one visit know nothing of the next: it is never narrower than that of the medians. Requires at
/// least one of each.
Ends time_interval(std::span<const double> samples, std::span<const double> visits);

/// By what factor the interval of a median grows because neighbouring samples are alike, at least
/// 1: from the autocorrelation of their signs about the median.
double widening_of(std::span<const double> samples);

/// Indices of samples whose modified z-score (0.6745 |x - median| / MAD) exceeds 3.5 (Iglewicz and
/// Hoaglin 1993).
std::vector<std::size_t> outliers_of(std::span<const double> samples);

}  // namespace engine
