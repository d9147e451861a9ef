// Robust statistics of timing samples: median, its 95 % interval, outliers. Pure functions of
// numbers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace engine {

/// Median of samples; the mean of the middle two when even. Requires at least one.
double median_of(std::span<const double> samples);

/// Fewer samples have no 95 % interval of the median: 2 (1/2)^5 > 5 %.
inline constexpr std::size_t least_for_interval = 6;

/// 95 % interval of the median from order statistics (binomial, no assumption on the distribution);
/// with fewer than least_for_interval samples no such interval exists and it is [min, max].
struct Ends {
  double low = 0;
  double high = 0;
};
Ends median_interval(std::span<const double> samples);

/// Standard deviation of what the samples were drawn from (n - 1). Requires at least two.
double deviation_of(std::span<const double> samples);

/// Half of the 95 % interval of the mean of samples that scatter normally (Student's t). Requires
/// at least two.
double student_half_width(std::span<const double> samples);

/// Indices of samples whose modified z-score (0.6745 |x - median| / MAD) exceeds 3.5 (Iglewicz and
/// Hoaglin 1993).
std::vector<std::size_t> outliers_of(std::span<const double> samples);

}  // namespace engine
