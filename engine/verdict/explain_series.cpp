#include "engine/verdict/explain_series.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/labs/lab.hpp"
#include "engine/verdict/doubts.hpp"
#include "engine/verdict/knee.hpp"
#include "engine/verdict/predict.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

constexpr double plateau = 0.9;  // of the best rate: as good as the best

/// The case of a point without what varies along a series.
kernels::Case key_of(const Point& point) {
  kernels::Case key = point.what;
  key.repeat = 1;
  return key;
}

bool is_integer(const kernels::Case& what) { return kernels::info_of(what.dtype).integer; }

std::string rate_in_words(const Point& point) {
  return units::flops_per_second(point.flops_per_second(), is_integer(point.what));
}

std::string range_in_words(const Point& first, const Point& last) {
  return first.what.repeat == last.what.repeat
             ? fmt::format("Repeat {}", first.what.repeat)
             : fmt::format("Repeat {} to {}", first.what.repeat, last.what.repeat);
}

/// What a stretch of neighbours of one regime has in common.
struct Stretch {
  const Point* first;
  const Point* last;
  Verdict best;          ///< of the point that comes nearest to its roof
  const Point* nearest;  ///< that point
};

double share_in(const Verdict& verdict) {
  switch (verdict.regime) {
    case Regime::overhead:
      return verdict.share_of_overhead;
    case Regime::bandwidth:
      return verdict.share_of_bandwidth;
    default:
      return verdict.share_of_compute;
  }
}

/// "Bandwidth-bound: 94 % of the measured DRAM copy roof" with "at best" for a stretch of several,
/// where both roofs have a share with the repeat that the shares are of.
std::string stretch_in_words(const Stretch& stretch) {
  std::string text = stretch.best.headline;
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] += 'a' - 'A';
  const bool several = stretch.first != stretch.last;
  if (const auto colon = text.find(": "); several && colon != std::string::npos) {
    // The shares of two roofs belong to one point: neither need be the highest of its roof.
    const bool both = stretch.best.two_roofs || stretch.best.regime == Regime::unknown;
    const bool overhead = stretch.best.regime == Regime::overhead;
    const bool none = stretch.best.limit == name_of(Regime::unknown);
    if (!none)
      text.insert(colon + 2, both ? fmt::format("repeat {} reaches ", stretch.nearest->what.repeat)
                             : overhead ? "up to "
                                        : "at best ");
  }
  const std::string& remark =
      stretch.best.regime == Regime::overhead ? stretch.best.overhead : stretch.best.above_roof;
  return fmt::format("{}: {}.{}{}", range_in_words(*stretch.first, *stretch.last), text,
                     remark.empty() ? "" : " ", remark);
}

std::vector<std::string> regimes_in_words(const Session& session, const PointSeries& series) {
  std::vector<Stretch> stretches;
  for (const Point* point : series.points) {
    const Verdict verdict = judge(session, *point);
    const bool same = !stretches.empty() && stretches.back().best.limit == verdict.limit;
    if (!same) {
      stretches.push_back({point, point, verdict, point});
      continue;
    }
    Stretch& stretch = stretches.back();
    stretch.last = point;
    // A single long run can be far off on a machine that drifts, and would often be the best.
    const bool sure = is_sure(*point), surer = sure && !is_sure(*stretch.nearest);
    const bool nearer = share_in(verdict) > share_in(stretch.best);
    if (!surer && !(nearer && sure == is_sure(*stretch.nearest))) continue;
    stretch.best = verdict;
    stretch.nearest = point;
  }
  std::vector<std::string> sentences;
  for (const Stretch& stretch : stretches) sentences.push_back(stretch_in_words(stretch));
  return sentences;
}

/// "Knee: at repeat 33.8 (95 % interval: 29.9 to 37), 8.45 FLOP/byte, ..."
std::string knee_in_words(const Interval& knee, double floor, const PointSeries& series) {
  const std::string range =
      knee.low && knee.high ? fmt::format(" (95 % interval: {} to {})", units::number(*knee.low, 3),
                                          units::number(*knee.high, 3))
                            : "";
  if (!is_called(knee)) {
    return fmt::format(
        "Knee: not clear: its 95 % interval, repeat {} to {}, is wider than a factor of 2; measure "
        "longer, or when the machine is idle.",
        units::number(*knee.low, 3), units::number(*knee.high, 3));
  }
  const Point& first = *series.points.front();
  const double per_op = first.work.intensity() / static_cast<double>(first.what.repeat);
  // Of noisy points some beyond the knee may be on the floor, too.
  constexpr double near_floor = 1.1;
  const Point* flat = nullptr;
  for (const Point* point : series.points) {
    if (static_cast<double>(point->what.repeat) > knee.median) break;
    if (point->seconds.median <= near_floor * floor) flat = point;
  }
  const std::string free =
      flat == nullptr
          ? ""
          : fmt::format("; up to repeat {} the runtime stays near {}, and more ops cost nothing",
                        flat->what.repeat, units::seconds(floor));
  return fmt::format(
      "Knee: at repeat {}{}, {}, where the flat part and the rising one would meet{}.",
      units::number(knee.median, 3), range,
      units::intensity(knee.median * per_op, is_integer(first.what)), free);
}

std::string knee_in_words(const Session& session, const PointSeries& series) {
  const auto [floor, last, first] = flat_part(series.points);
  if (const std::optional<Interval> knee = knee_of(series.points))
    return knee_in_words(*knee, floor, series);
  const std::string lucky = first == 0
                                ? ""
                                : fmt::format(", but {} once, at repeat {}",
                                              units::seconds(series.points[0]->seconds.median),
                                              series.points[0]->what.repeat);
  const Point& on_floor = *series.points[last];
  const Regime regime = judge(session, on_floor).regime;
  // A floor that arithmetic alone makes is none: the series begins behind the knee.
  if (regime == Regime::compute || (last == 0 && regime == Regime::unknown)) {
    return fmt::format("Knee: below repeat {}.", on_floor.what.repeat);
  }
  if (last + 1 == series.points.size()) {
    return fmt::format(
        "Knee: none up to repeat {}; the runtime stays near {}{}; more ops cost nothing.",
        on_floor.what.repeat, units::seconds(floor), lucky);
  }
  const Point& beyond = *series.points[last + 1];
  // One point is no floor where the next one has the same limit: then it was lucky.
  if (last == 0 && judge(session, beyond).regime == regime) {
    return fmt::format("Knee: none seen; the runtime rises from repeat {} on.",
                       on_floor.what.repeat);
  }
  return fmt::format(
      "Knee: between repeat {} and {} ({} and {}); up to there the runtime stays near {}{}, and "
      "more ops cost nothing.",
      on_floor.what.repeat, beyond.what.repeat, units::number(on_floor.work.intensity(), 3),
      units::intensity(beyond.work.intensity(), is_integer(beyond.what)), units::seconds(floor),
      lucky);
}

std::string plateau_in_words(const Session& session, const PointSeries& series) {
  const Point& best = **std::ranges::max_element(series.points, {}, &Point::flops_per_second);
  const auto first = std::ranges::find_if(series.points, [&](const Point* point) {
    return point->flops_per_second() >= plateau * best.flops_per_second();
  });
  const Ceiling roof = compute_ceiling(session, best.what);
  const double at_roof = predict(session, best).compute_seconds;
  const std::string share =
      roof.rate > 0
          ? fmt::format(", {} of {}", units::percent(at_roof / best.seconds.median), roof.name)
          : "";
  const bool flat = *first != series.points.back();
  return flat ? fmt::format("Plateau: {} at best{}; from repeat {} on, at least {} of that.",
                            rate_in_words(best), share, (*first)->what.repeat,
                            units::percent(plateau))
              : fmt::format("No plateau yet: the best is {} at repeat {}{}.", rate_in_words(best),
                            best.what.repeat, share);
}

std::string unfused_in_words(const PointSeries& series) {
  const Point& first = *series.points.front();
  const Point& last = *series.points.back();
  const double per_op = (last.seconds.median - first.seconds.median) /
                        static_cast<double>(last.what.repeat - first.what.repeat);
  return fmt::format("Every op is a separate trip to memory and adds {} to the runtime.",
                     units::seconds(std::max(0.0, per_op)));
}

std::string bandwidth_in_words(const Session& session, const PointSeries& series) {
  const Point& best = **std::ranges::max_element(series.points, {}, &Point::bytes_per_second);
  const Ceiling roof = bandwidth_ceiling(session, best.what);
  const double at_roof = predict(session, best).bandwidth_seconds;
  const std::string share =
      roof.rate > 0 && best.cold
          ? fmt::format(", {} of {}{}", units::percent(at_roof / best.seconds.median), roof.name,
                        best.share ? " beside it" : "")
          : "";
  return fmt::format("Memory: {} at best, at repeat {}{}.",
                     units::bytes_per_second(best.bytes_per_second()), best.what.repeat, share);
}

/// What says that the device could do better than these points; empty where nothing does.
std::string caution_in_words(const Session& session, const PointSeries& series) {
  std::vector<std::string> found;
  const auto add = [&](std::string_view cause, const auto& is_so) {
    const auto count = std::ranges::count_if(series.points, is_so);
    if (count > 0)
      found.push_back(fmt::format("{}{} of {} points", cause, count, series.points.size()));
  };
  const auto by_quota = [](const Point* point) { return held_by_quota(point->conditions); };
  add("other work used the device in ",
      [&](const Point* point) { return point->disturbed && !by_quota(point); });
  add("a processor quota held back ",
      [&](const Point* point) { return point->disturbed && by_quota(point); });
  add("the clock was throttled in ",
      [&](const Point* point) { return throttling_of(session, *point).has_value(); });
  if (found.empty()) return "";
  return fmt::format("Caution: {}; an undisturbed device may be faster.", fmt::join(found, ", "));
}

/// A reason without its numbers: "one run would take 12 s" and "... 25 s" are one reason.
std::string without_numbers(std::string text) {
  std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return text;
}

/// Points that were not measured for the same reason.
struct Missing {
  const Point* first;
  std::vector<std::uint64_t> more;  ///< repeats

  bool takes(const Point& point) const {
    return first->status == point.status && key_of(*first) == key_of(point) &&
           without_numbers(first->why) == without_numbers(point.why);
  }
};

std::string missing_in_words(const Missing& missing) {
  const Point& point = *missing.first;
  if (measures_roofs(point.lab))
    return point.why + (point.why.ends_with('.') ? "" : ".");  // names the roof
  std::string text =
      fmt::format("{}: {}, repeat {}: {}", point.status == Status::failed ? "Failed" : "Skipped",
                  series_title(point.what), point.what.repeat,
                  point.why.empty() ? "no reason given" : point.why);
  if (!text.ends_with('.')) text += '.';
  if (!missing.more.empty())
    text += fmt::format(" The same holds for repeat {}.", fmt::join(missing.more, ", "));
  return text;
}

}  // namespace

std::vector<std::string> describe_missing(const Session& session) {
  std::vector<Missing> groups;
  for (const Point& point : session.points) {
    // Of the roofs, a shape that was not built is part of the search; a roof that is not there
    // counts.
    if (point.status == Status::ok || !point.what.shape.empty()) continue;
    const auto group =
        std::ranges::find_if(groups, [&](const Missing& missing) { return missing.takes(point); });
    if (group == groups.end()) {
      groups.push_back({&point, {}});
    } else {
      group->more.push_back(point.what.repeat);
    }
  }
  std::vector<std::string> sentences;
  for (const Missing& missing : groups) sentences.push_back(missing_in_words(missing));
  return sentences;
}

std::vector<PointSeries> series_of(const Session& session) {
  std::vector<PointSeries> all;
  for (const Point& point : session.points) {
    if (point.status != Status::ok || !is_over_repeats(point.lab)) continue;
    auto series = std::ranges::find_if(all, [&](const PointSeries& other) {
      return key_of(*other.points.front()) == key_of(point);
    });
    if (series == all.end()) series = all.insert(all.end(), PointSeries{});
    std::erase_if(series->points, [&](const Point* old) {
      return old->what == point.what && old->probe == point.probe;
    });
    series->points.push_back(&point);
  }
  for (PointSeries& series : all) {
    // As in the plots: single points of the slider belong to no curve where a sweep drew one.
    const auto of_slider = [](const Point* point) { return point->probe; };
    if (!std::ranges::all_of(series.points, of_slider)) std::erase_if(series.points, of_slider);
    std::ranges::sort(series.points, {}, [](const Point* point) { return point->what.repeat; });
  }
  return all;
}

std::string series_title(const kernels::Case& what) {
  return fmt::format("{} {} {}, {}, {} units", name_of(what.family), name_of(what.op()),
                     name_of(what.dtype), name_of(what.fusion), name_of(what.units));
}

std::vector<std::string> describe_series(const Session& session, const PointSeries& series) {
  std::vector<std::string> sentences = regimes_in_words(session, series);
  const bool moves_data = series.points.front()->work.bytes > 0;
  const bool computes = series.points.front()->work.flops > 0;
  const bool fused = series.what().fusion == kernels::Fusion::fused;
  if (series.points.size() > 1 && computes) {
    if (fused && moves_data) sentences.push_back(knee_in_words(session, series));
    if (fused) sentences.push_back(plateau_in_words(session, series));
    if (!fused) sentences.push_back(unfused_in_words(series));
  }
  if (moves_data) sentences.push_back(bandwidth_in_words(session, series));
  if (std::string caution = caution_in_words(session, series); !caution.empty())
    sentences.push_back(std::move(caution));
  return sentences;
}

}  // namespace engine
