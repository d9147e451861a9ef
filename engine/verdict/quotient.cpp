#include "engine/verdict/quotient.hpp"

#include <map>
#include <span>
#include <vector>

#include "engine/measure/statistics.hpp"

namespace engine {
namespace {

/// The median of the samples of each visit that counts, by pass.
std::map<std::size_t, double> medians_by_pass(const Point& point) {
  const std::span<const double> samples = point.seconds.samples;
  std::map<std::size_t, double> medians;
  for (std::size_t i = 0; i < point.visits.size(); ++i) {
    const std::size_t begin = point.visits[i].first;
    const std::size_t end =
        i + 1 < point.visits.size() ? point.visits[i + 1].first : samples.size();
    if (point.visits[i].set_aside.empty() && begin < end && end <= samples.size())
      medians[point.visits[i].pass] = median_of(samples.subspan(begin, end - begin));
  }
  return medians;
}

}  // namespace

Interval time_of(const Point& point) {
  Interval time{point.seconds.median};
  if (point.seconds.has_interval()) {
    time.low = point.seconds.low;
    time.high = point.seconds.high;
  }
  return time;
}

Interval quotient(const Interval& above, const Interval& below) {
  Interval value{above.median / below.median};
  if (above.low && above.high && below.low && below.high && *below.low > 0) {
    value.low = *above.low / *below.high;
    value.high = *above.high / *below.low;
  }
  return value;
}

Interval sum(const Interval& a, const Interval& b) {
  Interval both{a.median + b.median};
  if (a.low && b.low) both.low = *a.low + *b.low;
  if (a.high && b.high) both.high = *a.high + *b.high;
  return both;
}

Interval times_as_long(const Point& above, const Point& below) {
  std::vector<double> quotients;
  if (above.lab == below.lab && above.run == below.run) {
    const std::map<std::size_t, double> of_below = medians_by_pass(below);
    for (const auto& [pass, seconds] : medians_by_pass(above))
      if (const auto same = of_below.find(pass); same != of_below.end())
        quotients.push_back(seconds / same->second);
  }
  if (const std::optional<Ends> ends = median_interval(quotients))
    return {median_of(quotients), ends->low, ends->high};
  return quotient(time_of(above), time_of(below));
}

Interval times_as_fast(const Point& above, const Point& below, double kernels::Work::*amount) {
  const double more = above.work.*amount / below.work.*amount;
  return mapped(times_as_long(below, above), [&](double ratio) { return ratio * more; });
}

}  // namespace engine
