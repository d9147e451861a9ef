#include <fmt/format.h>

#include "engine/watch/windows.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

std::string reason_of(const Session& session, const Point& window, Regime limit,
                      const Verdict& verdict, const Busiest& pipe) {
  switch (limit) {
    case Regime::bandwidth:
      return fmt::format("memory at {} of its roof", units::percent(verdict.share_of_bandwidth));
    case Regime::compute:
      return fmt::format("{} units busy {} of the time", pipe.counted, units::percent(pipe.share));
    case Regime::overhead:
      return fmt::format("{} of the {} had no work", units::percent(verdict.share_of_overhead),
                         parts_of(session.device));
    case Regime::unknown:
      break;
  }
  if (!knows_roofs(session, window)) return "the roofs are not known, or not all work is counted";
  return fmt::format("memory at {} of its roof, {} units busy {} of the time",
                     units::percent(verdict.share_of_bandwidth), pipe.counted,
                     units::percent(pipe.share));
}

}  // namespace

std::string_view parts_of(const kernels::DeviceInfo& device) {
  return device.kind == "cpu" ? "cores" : "multiprocessors";
}

bool is_idle(const Point& window) {
  constexpr double least_busy = 0.003;  // half of one of 166
  return busy_share(window).value_or(1) < least_busy;
}

std::string advice_for(Regime limit, const kernels::DeviceInfo& device) {
  switch (limit) {
    case Regime::compute:
      return "Compute-bound: smaller types, matrix units, or fewer FLOP; the units are busy.";
    case Regime::bandwidth:
      return "Bandwidth-bound: fuse operators, use smaller types, keep data in caches; the memory "
             "is busy.";
    case Regime::overhead:
      return device.kind == "cpu"
                 ? "Overhead-bound: more threads, larger batches, data loaded ahead; cores lack "
                   "work."
                 : "Overhead-bound: CUDA graphs, fused operators, data loaded ahead, larger "
                   "batches "
                   "or grids; multiprocessors lack work.";
    case Regime::unknown:
      break;
  }
  const bool cpu = device.kind == "cpu";
  return fmt::format(
      "No clear limit: {} have work, but neither memory nor units are half busy: {}, latency, or "
      "several kinds in turn. Profile the longest {}.",
      parts_of(device), cpu ? "AMX, integers or fp16, which are not counted" : "small kernels",
      cpu ? "functions" : "kernels");
}

Verdict judge_window(const Session& session, const Point& window) {
  const Regime limit = main_limit_of(session, window);
  const Busiest pipe = busiest_pipe(window);
  Verdict verdict;
  verdict.regime = limit;
  verdict.limit = limit_word(limit);
  verdict.share_of_bandwidth = memory_share(session, window).value_or(0);
  verdict.share_of_compute = pipe.share;
  verdict.share_of_overhead = 1 - busy_share(window).value_or(1);
  if (!busy_share(window)) {
    verdict.headline = "Not counted: this device does not tell what others do.";
    return verdict;
  }
  verdict.headline = fmt::format("{}: {}", units::capitalised(std::string(verdict.limit)),
                                 reason_of(session, window, limit, verdict, pipe));
  if (window.conditions.power_limited.value_or(false))
    verdict.sentences.emplace_back("The power limit lowers the clock.");
  verdict.advice.push_back(advice_for(limit, session.device));
  return verdict;
}

}  // namespace engine
