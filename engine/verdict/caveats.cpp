// What must be known beside the regime of a point to believe its number.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/verdict/advice.hpp"
#include "engine/verdict/doubts.hpp"
#include "engine/verdict/overhead.hpp"
#include "engine/verdict/reading.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

constexpr double above_roof = 1.02;  // more than the uncertainty of a roof measured before

/// The point is faster than its roof of that kind, by more than the uncertainty of their ratio.
bool is_above(const Point& point, RoofKind kind, double share) {
  const bool beside = kind_beside(point) == kind && point.share->of.low.has_value();
  return beside ? *point.share->of.low > 1 && share > 1.005 : share > above_roof;
}

/// What a core does in one clock, at the point and at its roof: the same in both, and the clock
/// explains the difference. Empty when a clock is not known or nothing needs explaining.
std::string clocks_in_words(const Session& session, const Reading& reading) {
  const Point& point = reading.point;
  const auto each = [&](double rate, const kernels::Conditions& conditions) {
    const double clocks = conditions.clock_hz.value_or(0) * session.device.multiprocessors;
    return clocks > 0 ? rate / clocks : 0;
  };
  const double own = each(point.flops_per_second(), point.conditions);
  const double roof = each(reading.compute.rate, reading.compute.conditions);
  if (own <= 0 || roof <= 0) return "";
  constexpr double alike = 0.005;  // a clock that is the same explains nothing
  const double faster = *point.conditions.clock_hz / *reading.compute.conditions.clock_hz;
  if (std::abs(faster - 1) < alike) return "";
  return fmt::format("It did {} {} per clock and core at {}; the roof has {} at {}.",
                     units::number(own, 3),
                     kernels::info_of(point.what.dtype).integer ? "OP" : "FLOP",
                     units::hertz(*point.conditions.clock_hz), units::number(roof, 3),
                     units::hertz(*reading.compute.conditions.clock_hz));
}

/// How the runtime grows with the ops says on its own what limits a fused kernel: not at all where
/// memory does, as fast as they do where arithmetic does. A sentence where that contradicts the
/// regime, which is read off the roofs; else empty.
std::string slope_in_words(const Session& session, const Reading& reading) {
  constexpr double like_memory = 0.4, like_arithmetic = 0.6;
  const Point& point = reading.point;
  const Verdict& verdict = reading.verdict;
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
  const auto measured = fmt::format("from {} to {} {} it takes {} as long", below.repeat,
                                    above.repeat, point.what.family->steps, factor(longer));
  if (verdict.regime == Regime::bandwidth && slope > like_arithmetic)
    return fmt::format("But the runtime grows with the ops, as if arithmetic were the limit: {}.",
                       measured);
  if (verdict.regime == Regime::unknown && slope > like_arithmetic)
    return fmt::format("The runtime grows with the ops, as if arithmetic were the limit: {}.",
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
std::string flag_of_limit(const Session& session, const Reading& reading) {
  if (reading.verdict.regime == Regime::overhead) {
    const Overhead overhead = overhead_of(session, reading.point);
    return overhead.flag.empty()
               ? ""
               : fmt::format("Every round of {} was {}: the overhead may be lower.", overhead.roof,
                             overhead.flag);
  }
  const bool compute = reading.verdict.regime == Regime::compute;
  const Ceiling& bound = compute ? reading.compute : reading.bandwidth;
  return flag_in_words(bound.name, bound.flag);
}

}  // namespace

std::string unknown_overhead(const Reading& reading) {
  const Prediction& predicted = reading.predicted;
  const bool graph = predicted.launched == kernels::Launched::graph;
  if (!graph || predicted.overhead_seconds > 0 || reading.verdict.regime != Regime::unknown)
    return "";
  return "It was launched in a CUDA graph, whose overhead was not measured; sweep it again.";
}

std::string above_in_words(const Reading& reading) {
  const Verdict& verdict = reading.verdict;
  const bool arithmetic = verdict.share_of_compute > verdict.share_of_bandwidth;
  const double share = std::max(verdict.share_of_bandwidth, verdict.share_of_compute);
  if (!is_above(reading.point, arithmetic ? RoofKind::compute : RoofKind::bandwidth, share))
    return "";
  const double roof = reading.compute.conditions.clock_hz.value_or(0);
  // The clock explains as much as it was higher.
  const double clock = roof > 0 ? reading.point.conditions.clock_hz.value_or(0) / roof : 0;
  if (arithmetic && clock > 1.01 && share < above_roof * clock)
    return "It is above the roof: the clock was higher than when the roof was measured.";
  if (!arithmetic && !reading.bandwidth.lacks.empty())
    return "It is above the roof, which has another mix of reads and writes.";
  const std::string_view again =
      share > far_above_roof
          ? " Measure all roofs again: a faster kernel of that roof may be found."
          : "";
  return fmt::format("It is above the roof{}.{}",
                     reading.point.share
                         ? " that ran beside it: this kernel is faster than the roof's kernel"
                         : ": the device was slower when the roof was measured",
                     again);
}

std::vector<std::string> caveats(const Session& session, const Reading& reading) {
  std::vector<std::string> all;
  const Point& point = reading.point;
  const Verdict& verdict = reading.verdict;
  const bool overhead = verdict.regime == Regime::overhead;
  if (overhead) all.push_back(verdict.overhead);
  if (!point.cold && point.work.bytes > 0 && !overhead) {
    all.push_back(
        fmt::format("The working set fits in cache: {} ({} from cache).",
                    reading.has_memory_roof()
                        ? fmt::format("{} is its memory roof, not DRAM's", reading.bandwidth.name)
                        : "the DRAM roof does not bound it",
                    units::bytes_per_second(point.bytes_per_second())));
  }
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
  all.push_back(slope_in_words(session, reading));
  all.push_back(flag_of_limit(session, reading));
  if (point.disturbed) {
    all.push_back(fmt::format("{} in every visit: the point may be faster than this.",
                              held_by_quota(point.conditions)
                                  ? "The quota of a control group held it back"
                                  : "Other work used the device"));
  }
  std::erase(all, "");
  return all;
}

}  // namespace engine
