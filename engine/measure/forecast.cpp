#include "engine/measure/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/verdict/predict.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Case;

bool same_series(Case a, const Case& b) {
  a.repeat = b.repeat;
  return a == b;
}

}  // namespace

double Forecast::series_seconds(const Case& what) const {
  // The two points of the series with the largest repeats below this one's.
  const Point* last = nullptr;
  const Point* before = nullptr;
  for (const Point& point : known_.points) {
    if (point.status != Status::ok || point.what.repeat >= what.repeat) continue;
    if (!same_series(point.what, what)) continue;
    if (last == nullptr || point.what.repeat > last->what.repeat) {
      before = std::exchange(last, &point);
    } else if (before == nullptr || point.what.repeat > before->what.repeat) {
      before = &point;
    }
  }
  if (last == nullptr) return 0;
  const auto repeat = [](const Case& c) { return static_cast<double>(c.repeat); };
  // Every unfused op is the same trip to memory and back.
  if (what.fusion == kernels::Fusion::unfused) {
    const auto by = [&](const Point& one) {
      return one.seconds.median * repeat(what) / repeat(one.what);
    };
    // One of them may have had a bad moment.
    return before != nullptr ? std::min(by(*last), by(*before)) : by(*last);
  }
  // A fused kernel is flat before the knee and a line behind it: the tangent never promises too
  // much time.
  if (before == nullptr) return last->seconds.median;
  const double slope =
      (last->seconds.median - before->seconds.median) / (repeat(last->what) - repeat(before->what));
  return last->seconds.median + std::max(slope, 0.0) * (repeat(what) - repeat(last->what));
}

double Forecast::seconds_at_roofs(const Case& what) const {
  return predict(known_, what, kernels::work_of(what, known_.device.kind)).seconds();
}

double Forecast::run_seconds(const Case& what) const {
  return std::max(series_seconds(what), seconds_at_roofs(what));
}

std::string Forecast::too_slow(const Case& what) const {
  // Its own series knows better than roofs, which others may have disturbed.
  const double series = series_seconds(what);
  const double seconds = series > 0 ? series : seconds_at_roofs(what);
  if (seconds <= policy_.max_time) return {};
  return fmt::format("one run would take {}, more than the time limit of a point, {}; raise it",
                     units::seconds(seconds, 2), units::number(policy_.max_time) + " s");
}

}  // namespace engine
