#include "engine/dents.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "engine/predict.hpp"

namespace engine {
namespace {

// At the ridge memory and arithmetic share the runtime, and a sound point may lie this much below
// both neighbours; a core that is lent to another guest costs half.
constexpr double least_of_neighbours = 0.8;

struct Placed {
  const Point* point;
  double share;  // of what the roofs predict
};

/// Points of one case but for the repeat, in its order.
using Series = std::map<std::uint64_t, Placed>;

/// The larger share of the next two points, since two in a row may be disturbed; infinite where
/// there is none.
template <class Iterator>
double beside(Iterator at, Iterator end) {
  double share = 0;
  for (int i = 0; i < 2 && at != end; ++i, ++at) share = std::max(share, at->second.share);
  return share > 0 ? share : INFINITY;
}

std::vector<Series> series_of(const Session& sweep) {
  std::vector<std::pair<kernels::Case, Series>> all;
  for (const Point& point : sweep.points) {
    if (point.status != Status::ok || point.probe || point.seconds.median <= 0) continue;
    const Prediction predicted = predict(sweep, point.what, point.work);
    if (!predicted.complete()) continue;
    kernels::Case kind = point.what;
    kind.repeat = 1;
    auto found = std::ranges::find(all, kind, [](const auto& one) { return one.first; });
    if (found == all.end()) found = all.insert(all.end(), {kind, Series{}});
    const double share = predicted.seconds() / point.seconds.median;
    found->second.insert_or_assign(point.what.repeat, Placed{&point, share});
  }
  std::vector<Series> series;
  series.reserve(all.size());
  for (auto& [kind, points] : all) series.push_back(std::move(points));
  return series;
}

}  // namespace

std::vector<kernels::Case> dents(const Session& sweep) {
  std::vector<kernels::Case> found;
  for (const Series& series : series_of(sweep)) {
    if (series.size() < 3) continue;  // two points do not tell which of them is wrong
    for (auto at = series.begin(); at != series.end(); ++at) {
      const Placed& placed = at->second;
      const double least = std::min(beside(std::make_reverse_iterator(at), series.rend()),
                                    beside(std::next(at), series.end()));
      if (placed.share < least_of_neighbours * least && !was_throttled(*placed.point))
        found.push_back(placed.point->what);
    }
  }
  return found;
}

}  // namespace engine
