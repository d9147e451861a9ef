#include "engine/verdict/reading.hpp"

#include <algorithm>

#include "engine/watch/windows.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

constexpr double explained = 0.5;  // roofs that account for less do not explain a runtime
// Of a runtime that memory and arithmetic explain less of than overhead does: what none explains
// there is mostly latency, which more elements hide like the overhead.
constexpr double by_overhead = 0.4;
constexpr double beside_ridge = 2;  // within this factor of the ridge two roofs share the runtime
constexpr double alone = 0.8;       // even there a roof of which more is used is the limit,
constexpr double tied = 0.9;        // unless the other one takes nearly as long

/// FLOP/byte; 0 where memory or arithmetic has no roof.
double ridge_of(const Reading& reading) {
  if (reading.bandwidth.rate <= 0 || reading.point.work.bytes <= 0) return 0;
  return reading.compute.rate / reading.bandwidth.rate;
}

double largest_share(const Reading& reading) {
  return reading.share_of(reading.predicted.seconds());
}

/// Within a factor of two of the ridge.
bool is_beside_ridge(const Reading& reading) {
  const double intensity = reading.point.work.intensity(), ridge = reading.verdict.ridge;
  return reading.has_memory_roof() && ridge > 0 && intensity > ridge / beside_ridge &&
         intensity < ridge * beside_ridge && reading.predicted.regime() != Regime::overhead;
}

/// Neither of two roofs explains the runtime, and both together do.
bool is_of_two_roofs(const Reading& reading) {
  const Prediction& predicted = reading.predicted;
  const double in_turns = reading.share_of(predicted.bandwidth_seconds + predicted.compute_seconds);
  const double larger = std::max(predicted.bandwidth_seconds, predicted.compute_seconds);
  const double smaller = std::min(predicted.bandwidth_seconds, predicted.compute_seconds);
  const double share = largest_share(reading);
  const bool both_limit = share < alone || (smaller >= tied * larger && share < nearly_all);
  return reading.verdict.beside_ridge && in_turns >= together && both_limit;
}

/// Unknown where no roof explains enough of the runtime.
Regime regime_of(const Reading& reading) {
  const Regime longest = reading.predicted.regime();
  if (longest == Regime::overhead && reading.verdict.share_of_overhead >= by_overhead)
    return longest;
  const bool told = reading.verdict.two_roofs || largest_share(reading) >= explained;
  return told ? longest : Regime::unknown;
}

std::string_view word_of_limit(const Reading& reading) {
  if (reading.point.what.family->limit == kernels::Limit::elsewhere) return "no roof";
  if (reading.verdict.two_roofs) return "near the ridge";
  const Regime regime = reading.verdict.regime;
  const bool known = reading.predicted.regime() != Regime::unknown;
  return known && regime == Regime::unknown ? "no clear limit" : name_of(regime);
}

}  // namespace

Reading reading_of(const Session& session, const Point& point) {
  Reading reading{
      point,
      point.cold ? bandwidth_ceiling(session, point.what) : cache_ceiling(session, point.what),
      compute_ceiling(session, point.what), predict(session, point)};
  if (kind_beside(point) == RoofKind::bandwidth) {
    reading.bandwidth = ceiling_named(session, point.share->roof, point.what);
  } else if (point.what.family->limit == kernels::Limit::roofs) {
    const double rate = reading.bandwidth.rate;
    reading.predicted.bandwidth_seconds = rate > 0 ? point.work.bytes / rate : 0;
  }
  if (point.what.family->limit == kernels::Limit::overhead)
    reading.predicted.overhead_seconds = point.seconds.median;
  Verdict& verdict = reading.verdict;
  verdict.share_of_bandwidth = reading.share_of(reading.predicted.bandwidth_seconds);
  verdict.share_of_compute = reading.share_of(reading.predicted.compute_seconds);
  verdict.share_of_overhead = reading.share_of(reading.predicted.overhead_seconds);
  verdict.overhead_adds = reading.predicted.overhead_adds;
  verdict.ridge = ridge_of(reading);
  verdict.beside_ridge = is_beside_ridge(reading);
  verdict.two_roofs = is_of_two_roofs(reading);
  verdict.regime = regime_of(reading);
  verdict.limit = word_of_limit(reading);
  return reading;
}

std::string_view limit_of(const Session& session, const Point& point) {
  if (is_window(point)) return limit_word(main_limit_of(session, point));
  return reading_of(session, point).verdict.limit;
}

}  // namespace engine
