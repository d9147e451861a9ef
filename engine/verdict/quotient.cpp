#include "engine/verdict/quotient.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "engine/measure/statistics.hpp"

namespace engine {
namespace {

/// The median of the samples of each visit; 0 for one that does not count.
std::vector<double> medians_of_visits(const Point& point) {
  const std::span<const double> samples = point.seconds.samples;
  std::vector<double> medians;
  for (std::size_t i = 0; i < point.visits.size(); ++i) {
    const std::size_t begin = point.visits[i].first;
    const std::size_t end =
        i + 1 < point.visits.size() ? point.visits[i + 1].first : samples.size();
    const bool counts = point.visits[i].set_aside.empty() && begin < end && end <= samples.size();
    medians.push_back(counts ? median_of(samples.subspan(begin, end - begin)) : 0);
  }
  return medians;
}

Interval time_of(const Point& point) {
  Interval time{point.seconds.median};
  if (point.seconds.has_interval()) {
    time.low = point.seconds.low;
    time.high = point.seconds.high;
  }
  return time;
}

}  // namespace

Interval quotient(const Interval& above, const Interval& below) {
  Interval value{above.median / below.median};
  if (above.low && above.high && below.low && below.high && *below.low > 0) {
    value.low = *above.low / *below.high;
    value.high = *above.high / *below.low;
  }
  return value;
}

Interval times_as_long(const Point& above, const Point& below) {
  std::vector<double> quotients;
  if (above.lab == below.lab && above.run == below.run) {
    const std::vector<double> of_above = medians_of_visits(above);
    const std::vector<double> of_below = medians_of_visits(below);
    for (std::size_t pass = 0; pass < std::min(of_above.size(), of_below.size()); ++pass)
      if (of_above[pass] > 0 && of_below[pass] > 0)
        quotients.push_back(of_above[pass] / of_below[pass]);
  }
  if (const std::optional<Ends> ends = median_interval(quotients))
    return {median_of(quotients), ends->low, ends->high};
  return quotient(time_of(above), time_of(below));
}

Interval times_as_fast(const Point& above, const Point& below, double kernels::Work::*amount) {
  const double more = above.work.*amount / below.work.*amount;
  Interval fast = times_as_long(below, above);
  fast.median *= more;
  if (fast.low) *fast.low *= more;
  if (fast.high) *fast.high *= more;
  return fast;
}

}  // namespace engine
