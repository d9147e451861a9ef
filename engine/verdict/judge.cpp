// A measured point read against the roofs: the regime, and the sentences that a newcomer can act
// on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/verdict/advice.hpp"
#include "engine/verdict/doubts.hpp"
#include "engine/verdict/overhead.hpp"
#include "engine/verdict/precision.hpp"
#include "engine/verdict/predict.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

constexpr double explained = 0.6;  // a roof of which less is used does not explain a runtime
// Of a runtime that memory and arithmetic explain less of than overhead does: what none explains
// there is mostly latency, which more elements hide like the overhead.
constexpr double by_overhead = 0.4;
constexpr double together = 0.85;    // of a runtime that memory and arithmetic, in turns, explain
constexpr double beside_ridge = 2;   // within this factor of the ridge two roofs share the runtime
constexpr double alone = 0.8;        // even there a roof of which more is used is the limit
constexpr double above_roof = 1.02;  // more than the roof's own uncertainty

/// A point with the roofs that bound it.
struct Reading {
  const Point& point;
  Ceiling bandwidth;
  Ceiling compute;
  Prediction predicted;
  double ridge = 0;        ///< FLOP/byte; 0 where memory or arithmetic has no roof
  bool two_roofs = false;  ///< as Verdict::two_roofs

  bool has_memory_roof() const { return predicted.bandwidth_seconds > 0; }
  double share_of(double seconds) const { return seconds / point.seconds.median; }
};

/// FLOP/byte; 0 where memory or arithmetic has no roof.
double ridge_of(const Reading& reading) {
  if (reading.bandwidth.rate <= 0 || reading.point.work.bytes <= 0) return 0;
  return reading.compute.rate / reading.bandwidth.rate;
}

double largest_share(const Reading& reading) {
  const Prediction& predicted = reading.predicted;
  return reading.share_of(predicted.seconds());
}

bool is_beside_ridge(const Reading& reading) {
  const double intensity = reading.point.work.intensity();
  return reading.has_memory_roof() && reading.ridge > 0 &&
         intensity > reading.ridge / beside_ridge && intensity < reading.ridge * beside_ridge &&
         reading.predicted.regime() != Regime::overhead;
}

/// Neither of two roofs explains the runtime, and both together do.
bool is_of_two_roofs(const Reading& reading) {
  const Prediction& predicted = reading.predicted;
  const double in_turns = reading.share_of(predicted.bandwidth_seconds + predicted.compute_seconds);
  return is_beside_ridge(reading) && in_turns >= together && largest_share(reading) < alone;
}

/// In cache the DRAM roof bounds nothing: there the roof of that cache does, where it is known.
Reading reading_of(const Session& session, const Point& point) {
  Reading reading{point,
                  point.cold ? bandwidth_ceiling(session) : cache_ceiling(session, point.what),
                  compute_ceiling(session, point.what), predict(session, point)};
  if (kind_beside(point) == RoofKind::bandwidth) {
    reading.bandwidth = ceiling_named(session, point.share->roof);
  } else {
    const double rate = reading.bandwidth.rate;
    reading.predicted.bandwidth_seconds = rate > 0 ? point.work.bytes / rate : 0;
  }
  reading.ridge = ridge_of(reading);
  reading.two_roofs = is_of_two_roofs(reading);
  return reading;
}

/// Unknown where no roof explains enough of the runtime.
Regime regime_of(const Reading& reading) {
  const Regime longest = reading.predicted.regime();
  const double overhead = reading.share_of(reading.predicted.overhead_seconds);
  if (longest == Regime::overhead && overhead >= by_overhead) return longest;
  const bool told = reading.two_roofs || largest_share(reading) >= explained;
  return told ? longest : Regime::unknown;
}

std::string_view limit_of(const Reading& reading) {
  if (reading.two_roofs) return "near the ridge";
  const Regime regime = regime_of(reading);
  const bool known = reading.predicted.regime() != Regime::unknown;
  return known && regime == Regime::unknown ? "no clear limit" : name_of(regime);
}

/// "94 % of the measured DRAM copy roof", for each roof that bounds the point.
std::vector<std::string> shares_in_words(const Reading& reading, const Verdict& verdict) {
  std::vector<std::string> shares;
  if (reading.has_memory_roof()) {
    shares.push_back(fmt::format("{} of {}", units::percent(verdict.share_of_bandwidth),
                                 reading.bandwidth.name));
  }
  if (reading.predicted.compute_seconds > 0) {
    shares.push_back(
        fmt::format("{} of {}", units::percent(verdict.share_of_compute), reading.compute.name));
  }
  return shares;
}

/// Of a runtime that no roof explains.
std::string unexplained_in_words(const Reading& reading, const Verdict& verdict,
                                 const std::string& shares) {
  std::string text =
      reading.point.cold ? "Neither roof explains the runtime" : "In cache, but not at a roof";
  if (reading.predicted.regime() == Regime::overhead) text = "No roof explains the runtime";
  if (!shares.empty()) text += ": " + shares;
  if (verdict.share_of_overhead > 0.01) {
    text += fmt::format("; overhead {}", units::percent(verdict.share_of_overhead));
  }
  return text;
}

std::string headline_of(const Reading& reading, const Verdict& verdict) {
  const auto shares = shares_in_words(reading, verdict);
  const std::string all = fmt::format("{}", fmt::join(shares, ", "));
  if (reading.predicted.regime() == Regime::unknown) return "No roof to compare this point with";
  if (reading.two_roofs) return "Near the ridge: " + all;
  switch (verdict.regime) {
    case Regime::overhead:
      return fmt::format("Overhead-bound: {} of the runtime is overhead",
                         units::percent(std::min(1.0, verdict.share_of_overhead)));
    case Regime::bandwidth:
      return "Bandwidth-bound: " + shares.front();
    case Regime::compute:
      return "Compute-bound: " + shares.back();
    case Regime::unknown:
      break;
  }
  return unexplained_in_words(reading, verdict, all);
}

std::string op_word(const Point& point, double count) {
  return std::string(count == 1 ? point.what.family->step : point.what.family->steps);
}

/// How far the ridge is, for a point left or right of it.
std::string ridge_in_words(const Point& point, const Verdict& verdict) {
  const double intensity = point.work.intensity();
  const bool integer = kernels::info_of(point.what.dtype).integer;
  const std::string where =
      fmt::format("it is at {}, this point at {}", units::intensity(verdict.ridge, integer),
                  units::intensity(intensity, integer));
  if (verdict.free_ops >= 1) {
    return fmt::format("About {} more {} would be free before the ridge: {}.",
                       units::number(verdict.free_ops, 15), op_word(point, verdict.free_ops),
                       where);
  }
  constexpr double near = 2;  // times
  if (intensity * near < verdict.ridge) return fmt::format("The ridge is far away: {}.", where);
  if (intensity < verdict.ridge) return fmt::format("The ridge is near: {}.", where);
  return fmt::format("This point is past the ridge: {}. Every further op costs time.", where);
}

/// What a core does in one clock, at the point and at its roof: the same in both, and the clock
/// explains the difference. Empty when a clock is not known or nothing needs explaining.
std::string clocks_in_words(const Session& session, const Reading& reading) {
  const Point& point = reading.point;
  const double own = per_clock_and_core(session, point.flops_per_second(), point.conditions);
  const double roof = per_clock_and_core(session, reading.compute.rate, reading.compute.conditions);
  if (own <= 0 || roof <= 0) return "";
  return fmt::format("It did {} {} per clock and core at {}; the roof has {} at {}.",
                     units::number(own, 3),
                     kernels::info_of(point.what.dtype).integer ? "OP" : "FLOP",
                     units::hertz(*point.conditions.clock_hz), units::number(roof, 3),
                     units::hertz(*reading.compute.conditions.clock_hz));
}

/// Why a point lies above its roof; empty where it does not.
std::string above_in_words(const Reading& reading, const Verdict& verdict) {
  if (std::max(verdict.share_of_bandwidth, verdict.share_of_compute) <= above_roof) return "";
  const bool arithmetic = verdict.share_of_compute > verdict.share_of_bandwidth;
  const double roof = reading.compute.conditions.clock_hz.value_or(0);
  constexpr double faster = 1.01;
  if (arithmetic && roof > 0 && reading.point.conditions.clock_hz.value_or(0) > faster * roof)
    return "It is above the roof: the clock was higher than when the roof was measured.";
  const bool far = std::max(verdict.share_of_bandwidth, verdict.share_of_compute) > far_above_roof;
  const std::string_view again =
      far ? " Measure all roofs again: a faster kernel of that roof may be found." : "";
  return fmt::format("It is above the roof{}.{}",
                     reading.point.share
                         ? " that ran beside it: this kernel is faster than the roof's kernel"
                         : ": the device was slower when the roof was measured",
                     again);
}

/// How the runtime grows with the ops says on its own what limits a fused kernel: not at all where
/// memory does, as fast as they do where arithmetic does. A sentence where that contradicts the
/// regime, which is read off the roofs; else empty.
std::string slope_in_words(const Session& session, const Point& point, const Verdict& verdict) {
  constexpr double like_memory = 0.4, like_arithmetic = 0.6;
  const bool fused = point.what.fusion == kernels::Fusion::fused;
  if (!fused || verdict.two_roofs || verdict.beside_ridge || point.work.flops <= 0) return "";
  kernels::Case below = point.what, above = point.what;
  below.repeat = std::max<std::uint64_t>(1, point.what.repeat / 2);
  above.repeat = 2 * point.what.repeat;
  const Point* first = find_measured(session, below, point.run);
  const Point* last = find_measured(session, above, point.run);
  if (first == nullptr || last == nullptr) return "";
  const double longer = last->seconds.median / first->seconds.median;
  const double slope = std::log(longer) / std::log(static_cast<double>(above.repeat) /
                                                   static_cast<double>(below.repeat));
  const auto measured = fmt::format("from repeat {} to {} it takes {} as long", below.repeat,
                                    above.repeat, factor(longer));
  if (verdict.regime == Regime::bandwidth && slope > like_arithmetic)
    return fmt::format("But the runtime grows with the ops, as if arithmetic were the limit: {}.",
                       measured);
  if (verdict.regime == Regime::compute && slope < like_memory)
    return fmt::format(
        "But the runtime hardly grows with the ops, as if memory were the limit: {}.", measured);
  return "";
}

/// Hopper has two instructions for its matrix units, and so has data center Blackwell, where only
/// the library has the faster one. Kernels of ours but the peak use the slower one, whose roof
/// bounds them.
std::string instruction_in_words(const Session& session, const Point& point) {
  using kernels::Op;
  const kernels::Case& what = point.what;
  const auto bounds = kernels::bounds_of(what).compute;
  if (what.units != kernels::Units::matrix || bounds.empty()) return "";
  const auto measured = [&](Op op) {
    return compute_roof(session, what.dtype, what.units, RoofSource::measured, op);
  };
  const auto rate_of = [&](const Roof* roof) {
    return units::flops_per_second(roof->rate, kernels::info_of(what.dtype).integer);
  };
  const bool slower = bounds.front().op == Op::mma_sync && measured(Op::mma_sync) != nullptr;
  if (const Roof* fastest = measured(Op::mma)) {
    return slower ? fmt::format("This kernel uses mma.sync; with wgmma the matrix units reach {}.",
                                rate_of(fastest))
                  : "";
  }
  const std::string& capability = session.device.compute_capability;
  const bool tensor_memory = capability.starts_with("10.") || capability.starts_with("11.");
  const Roof* library = measured(Op::gemm);
  if (!tensor_memory || library == nullptr) return "";
  return fmt::format(
      "{}the roof of the matrix units is the library's rate, {}: Ridgepoint does not use tcgen05 "
      "instructions yet.",
      slower ? "This kernel uses mma.sync; " : "Here ", rate_of(library));
}

/// A power limit is no disturbance; empty where there was none.
std::string power_limit_in_words(const kernels::Conditions& conditions) {
  if (!conditions.power_limited.value_or(false)) return "";
  std::string how;
  if (conditions.clock_hz) how += fmt::format(" at {}", units::hertz(*conditions.clock_hz));
  if (conditions.power_w) how += fmt::format(" and {} W", units::number(*conditions.power_w, 3));
  return fmt::format("It ran at the power limit{}: that is usual under such a load.", how);
}

/// A sentence where the roof that bounds a point may be too low; else empty.
std::string flag_of_limit(const Session& session, const Reading& reading, Regime regime) {
  if (regime == Regime::overhead) {
    const Overhead overhead = overhead_of(session, reading.point);
    return overhead.flag.empty()
               ? ""
               : fmt::format("Every round of {} was {}: the overhead may be lower.", overhead.roof,
                             overhead.flag);
  }
  const Ceiling& bound = regime == Regime::compute ? reading.compute : reading.bandwidth;
  return flag_in_words(bound.name, bound.flag);
}

/// A graph launches in a time that was not measured, on what takes no longer than launches do; else
/// empty.
std::string unknown_overhead(const Reading& reading, Regime regime) {
  const Prediction& predicted = reading.predicted;
  const bool graph = predicted.launched == kernels::Launched::graph;
  if (!graph || predicted.overhead_seconds > 0 || regime != Regime::unknown) return "";
  return "It was launched in a CUDA graph, whose overhead was not measured; sweep it again.";
}

/// What else must be known to believe the number.
std::vector<std::string> caveats(const Session& session, const Reading& reading,
                                 const Verdict& verdict) {
  std::vector<std::string> all;
  const Point& point = reading.point;
  const bool overhead = verdict.regime == Regime::overhead;
  if (overhead) all.push_back(verdict.overhead);
  if (!point.cold && point.work.bytes > 0 && !overhead) {
    all.push_back(fmt::format("The working set fits in cache: {} ({} from cache).",
                              reading.has_memory_roof()
                                  ? fmt::format("{} bounds it, not DRAM", reading.bandwidth.name)
                                  : "the DRAM roof does not bound it",
                              units::bytes_per_second(point.bytes_per_second())));
  }
  all.push_back(unknown_overhead(reading, verdict.regime));
  if (point.cold) all.push_back(missing_roof(session, point.what));  // of caches it is said above
  if (verdict.regime != Regime::bandwidth) all.push_back(instruction_in_words(session, point));
  all.push_back(verdict.above_roof);
  const bool throttled = throttling_of(session, point).has_value();
  if (throttled) {
    all.push_back(
        fmt::format("The device throttled its clock{}.",
                    point.conditions.note.empty() ? "" : " (" + point.conditions.note + ")"));
  }
  all.push_back(power_limit_in_words(point.conditions));
  if ((throttled || !verdict.above_roof.empty()) && verdict.regime == Regime::compute) {
    all.push_back(clocks_in_words(session, reading));
  }
  all.push_back(slope_in_words(session, point, verdict));
  all.push_back(flag_of_limit(session, reading, verdict.regime));
  if (point.disturbed) {
    all.push_back(fmt::format("{} in every visit: the point may be faster than this.",
                              held_by_quota(point.conditions)
                                  ? "The quota of a control group held it back"
                                  : "Other work used the device"));
  }
  std::erase_if(all, [](const std::string& one) { return one.empty(); });
  return all;
}

/// "The roof ran beside it in 5 of 6 visits: its share is 91 %, 95 % interval 90 % to 92 %."
std::string share_in_words(const Point& point) {
  if (!point.share) return "";
  const Interval& of = point.share->of;
  const auto beside =
      std::ranges::count_if(point.visits, [](const Visit& visit) { return visit.share > 0; });
  const bool overhead = kind_beside(point) == RoofKind::overhead;
  std::string text =
      fmt::format("{} in {} of {} visits: its share is {}",
                  overhead ? "The overhead was measured beside it" : "The roof ran beside it",
                  beside, point.visits.size(), units::percent(of.median));
  if (of.low && of.high)
    text +=
        fmt::format(", 95 % interval {} to {}", units::percent(*of.low), units::percent(*of.high));
  return text + ".";
}

std::string set_aside_in_words(const Point& point) {
  const auto aside = std::ranges::find_if(
      point.visits, [](const Visit& visit) { return !visit.set_aside.empty(); });
  if (aside == point.visits.end() || point.disturbed) return "";
  const auto count = std::ranges::count_if(
      point.visits, [](const Visit& visit) { return !visit.set_aside.empty(); });
  return fmt::format("{} of {} visits do not count: {}.", count, point.visits.size(),
                     aside->set_aside);
}

/// How well it was measured.
std::vector<std::string> remarks(const Point& point) {
  std::vector<std::string> all{share_in_words(point), set_aside_in_words(point)};
  if (point.discarded > 0) {
    all.push_back(fmt::format("{} samples at a throttled clock do not count.", point.discarded));
  }
  if (point.contended > 0) {
    all.push_back(fmt::format("{} samples with SMT contention do not count.", point.contended));
  }
  if (std::string limit = limit_in_words(point); !limit.empty()) all.push_back(std::move(limit));
  std::erase_if(all, [](const std::string& one) { return one.empty(); });
  return all;
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(to));
}

}  // namespace

std::string_view limit_of(const Session& session, const Point& point) {
  return limit_of(reading_of(session, point));
}

double share_of_roofs(const Session& session, const Point& point) {
  if (point.disturbed || point.seconds.median <= 0) return 0;
  return std::max(0.0, predict(session, point).seconds()) / point.seconds.median;
}

std::string flag_in_words(std::string_view roof, std::string_view flag) {
  if (flag.empty()) return "";
  if (flag == in_cache_flag)
    return fmt::format("{} was moved partly in caches: the memory itself is slower.", roof);
  return fmt::format("Every round of {} was {}: it may be too low.", roof, flag);
}

Verdict judge(const Session& session, const Point& point) {
  const Reading reading = reading_of(session, point);
  Verdict verdict;
  verdict.share_of_bandwidth = reading.share_of(reading.predicted.bandwidth_seconds);
  verdict.share_of_compute = reading.share_of(reading.predicted.compute_seconds);
  verdict.share_of_overhead = reading.share_of(reading.predicted.overhead_seconds);
  verdict.overhead_adds = reading.predicted.overhead_adds;
  verdict.ridge = reading.ridge;
  verdict.regime = regime_of(reading);
  verdict.limit = limit_of(reading);
  verdict.beside_ridge = is_beside_ridge(reading);
  verdict.two_roofs = reading.two_roofs;
  const bool fused = point.what.fusion == kernels::Fusion::fused;
  // Where memory and arithmetic take turns, every op costs time.
  if (fused && verdict.regime == Regime::bandwidth && !verdict.two_roofs && point.work.flops > 0) {
    const double ridge_repeat =
        static_cast<double>(point.what.repeat) * verdict.ridge / point.work.intensity();
    verdict.free_ops =
        std::max(0.0, std::floor(ridge_repeat - static_cast<double>(point.what.repeat)));
  }
  verdict.headline = headline_of(reading, verdict);
  verdict.overhead =
      overhead_in_words(session, point.what, point.work, overhead_of(session, point));
  verdict.above_roof = above_in_words(reading, verdict);
  // Whether the number can be believed comes before what it means.
  append(verdict.sentences, caveats(session, reading, verdict));
  append(verdict.sentences, speed_ups(session, point));
  if (verdict.ridge > 0 && point.work.flops > 0 && reading.has_memory_roof()) {
    verdict.sentences.push_back(ridge_in_words(point, verdict));
  }
  append(verdict.sentences, remarks(point));
  verdict.advice = advice_for(session, point, verdict);
  return verdict;
}

}  // namespace engine
