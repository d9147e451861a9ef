// A measured point read against the roofs: the regime, and the sentences that a newcomer can act
// on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/roofs/levels.hpp"
#include "engine/verdict/advice.hpp"
#include "engine/verdict/overhead.hpp"
#include "engine/verdict/precision.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/verdict/reading.hpp"
#include "engine/watch/windows.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

/// "94 % of the measured DRAM copy roof", for each roof that bounds the point.
std::vector<std::string> shares_in_words(const Reading& reading) {
  const Verdict& verdict = reading.verdict;
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

/// The limit in the words of every table, and how much of its roof, or of all roofs, is used.
std::string headline_of(const Reading& reading) {
  const Verdict& verdict = reading.verdict;
  auto shares = shares_in_words(reading);
  const std::string text = units::capitalised(std::string(verdict.limit)) + ": ";
  const std::string overhead = units::percent(std::min(1.0, verdict.share_of_overhead));
  if (reading.predicted.regime() == Regime::unknown)
    return text + "no roof to compare this point with";
  if (!verdict.two_roofs) {
    switch (verdict.regime) {
      case Regime::overhead:
        return text + overhead + " of the runtime is overhead";
      case Regime::bandwidth:
        return text + shares.front();
      case Regime::compute:
        return text + shares.back();
      case Regime::unknown:
        break;
    }
  }
  constexpr double worth_saying = 0.01;
  const bool spare = verdict.two_roofs || verdict.share_of_overhead < worth_saying;
  if (!reading.compute.lacks.empty() && reading.point.work.flops > 0)
    shares.push_back(fmt::format("no {} roof", reading.compute.lacks));
  if (shares.empty() || !spare) shares.push_back("overhead " + overhead);
  return text + fmt::format("{}", fmt::join(shares, ", "));
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

/// "The roof was measured beside it in 5 of 6 visits: it reaches 91 % of it (90 % to 92 %)."
std::string share_in_words(const Point& point) {
  if (!point.share) return "";
  const Interval& of = point.share->of;
  const auto beside =
      std::ranges::count_if(point.visits, [](const Visit& visit) { return visit.share > 0; });
  const std::string share = units::percent(of.median);
  std::string text =
      kind_beside(point) == RoofKind::overhead
          ? fmt::format(
                "The overhead was measured beside it in {} of {} visits: it is {} of the "
                "runtime",
                beside, point.visits.size(), share)
          : fmt::format("The roof was measured beside it in {} of {} visits: it reaches {} of it",
                        beside, point.visits.size(), share);
  if (!of.low || !of.high) return text + ".";
  const std::string low = units::percent(*of.low), high = units::percent(*of.high);
  return low == high ? text + "." : fmt::format("{} ({} to {}).", text, low, high);
}

std::string set_aside_in_words(const Point& point) {
  const auto is_aside = [](const Visit& visit) { return !visit.set_aside.empty(); };
  const auto aside = std::ranges::find_if(point.visits, is_aside);
  if (aside == point.visits.end() || point.disturbed) return "";
  return fmt::format("{} of {} visits do not count: {}.",
                     std::ranges::count_if(point.visits, is_aside), point.visits.size(),
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
  all.push_back(limit_in_words(point));
  std::erase(all, "");
  return all;
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(to));
}

}  // namespace

double share_of_roofs(const Session& session, const Point& point) {
  if (is_window(point)) {
    return std::max(memory_share(session, point).value_or(0), busiest_pipe(point).share);
  }
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
  if (is_window(point)) return judge_window(session, point);
  Reading reading = reading_of(session, point);
  Verdict& verdict = reading.verdict;
  const auto level = level_of(session.device, point.what);
  if (level && !point.cold && cache_ceiling(session, point.what).rate > 0)
    verdict.cache = level->name;
  const bool fused = point.what.fusion == kernels::Fusion::fused;
  // Where memory and arithmetic take turns, every op costs time.
  if (fused && verdict.regime == Regime::bandwidth && !verdict.two_roofs && point.work.flops > 0) {
    const double ridge_repeat =
        static_cast<double>(point.what.repeat) * verdict.ridge / point.work.intensity();
    verdict.free_ops =
        std::max(0.0, std::floor(ridge_repeat - static_cast<double>(point.what.repeat)));
  }
  verdict.headline = headline_of(reading);
  verdict.overhead =
      overhead_in_words(session, point.what, point.work, overhead_of(session, point));
  verdict.above_roof = above_in_words(reading);
  // Whether the number can be believed comes before what it means.
  append(verdict.sentences, caveats(session, reading));
  append(verdict.sentences, speed_ups(session, point));
  const bool by_overhead = verdict.regime == Regime::overhead;  // then no ridge matters
  if (verdict.ridge > 0 && point.work.flops > 0 && reading.has_memory_roof() && !by_overhead) {
    verdict.sentences.push_back(ridge_in_words(point, verdict));
  }
  append(verdict.sentences, remarks(point));
  verdict.advice = advice_for(session, point, verdict);
  if (std::string unknown = unknown_overhead(reading); !unknown.empty())
    verdict.advice = {std::move(unknown)};
  return std::move(verdict);
}

}  // namespace engine
