// The lab `fma`: mul, add and fma side by side at the same repeats.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

using kernels::Op;

constexpr std::array ops{Op::mul, Op::add, Op::fma};

// How far from two a factor may be that still is the claim.
constexpr double about = 0.1;
/// How much longer than the shortest chain one is that arithmetic limits.
constexpr double much_longer = 2;

/// Where nobody chose repeats, a CPU has time for these only: more samples of each, and arithmetic
/// limits chains of 64 ops.
std::vector<std::uint64_t> repeats_of(const Spec& spec, const Place& place) {
  const bool automatic = spec.repeats == Spec{}.repeats;
  if (automatic && place.info.kind == "cpu") return {1, 8, 64};
  return spec.repeats;
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  const std::vector<std::uint64_t> repeats = repeats_of(spec, place);
  Plan plan;
  for (const kernels::Dtype dtype : spec.dtypes) {
    kernels::Case what = usual_case(spec, place, kernels::Family::chain, dtype);
    for (const Op op : ops) {
      what.ops = op;
      for (const std::uint64_t repeat : repeats) {
        what.repeat = repeat;
        plan.asks.push_back({what});
      }
    }
  }
  return plan;
}

std::string dtype_and_op(const Row& row, std::string_view) {
  return fmt::format("{} {}", name_of(row.point.what.dtype), name_of(row.point.what.op()));
}
constexpr Label of_line{"dtype and op", dtype_and_op};

std::vector<Chart> charts(const Results&) {
  Chart flops = chart_of("fma", "FLOP/s of mul, add and fma", metrics::axis("repeat"),
                         metrics::flops, of_line);
  flops.colour = labels::op;
  flops.overlays = {Overlay::roofs, Overlay::best};
  Chart runtime = chart_like(flops, "fma-runtime", "Runtime of mul, add and fma", metrics::runtime);
  runtime.overlays = {Overlay::knee};
  return {flops, runtime};
}

const Point* find(const Results& results, kernels::Dtype dtype, Op op, std::uint64_t repeat) {
  return first_measured(results.points, [&](const kernels::Case& what) {
    return what.dtype == dtype && what.ops == kernels::Ops(op) && what.repeat == repeat;
  });
}

/// Whether arithmetic limits it: it takes much longer than the shortest chain of its type. While
/// memory is the limit, every op takes as long, and fma has twice the FLOP/s for nothing.
bool is_past_memory(const Results& results, const Point& at) {
  return std::ranges::any_of(results.points, [&](const Point* point) {
    return point->status == Status::ok && point->what.ops == at.what.ops &&
           point->what.dtype == at.what.dtype &&
           at.seconds.median > much_longer * point->seconds.median;
  });
}

/// The ops per element at which to compare: the most where arithmetic limits the fma, and among
/// those where most of the three are sure.
std::uint64_t repeat_to_compare(const Results& results, kernels::Dtype dtype) {
  std::map<std::uint64_t, int> sure;
  for (const Point* point : results.points)
    if (point->what.dtype == dtype) sure[point->what.repeat] += is_sure(*point) ? 1 : 0;
  std::pair<int, std::uint64_t> best;
  for (const auto& [repeat, count] : sure) {
    const Point* fma = find(results, dtype, Op::fma, repeat);
    if (fma != nullptr && is_past_memory(results, *fma)) best = std::max(best, {count, repeat});
  }
  return best.second;
}

/// Rows of one element type, where arithmetic limits all three, and the points behind them.
void add_rows(const Results& results, kernels::Dtype dtype, LabVerdict& verdict, Points& behind) {
  const std::uint64_t repeat = repeat_to_compare(results, dtype);
  const Point* fma = find(results, dtype, Op::fma, repeat);
  if (fma == nullptr || !is_past_memory(results, *fma)) return;
  for (const Op op : {Op::mul, Op::add}) {
    const Point* single = find(results, dtype, op, repeat);
    if (single == nullptr || single->what.elements != fma->what.elements ||
        !is_past_memory(results, *single))
      continue;
    verdict.judge(
        fmt::format("{} fma against {}, {} ops per element", name_of(dtype), op->name, repeat),
        Interval{2}, times_as_fast(*fma, *single, &kernels::Work::flops), "x", 2 * (1 - about),
        2 * (1 + about));
    behind.push_back(single);
  }
  behind.push_back(fma);
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  Points behind;
  std::set<kernels::Dtype> dtypes;
  for (const Point* point : results.points) dtypes.insert(point->what.dtype);
  for (const kernels::Dtype dtype : dtypes) add_rows(results, dtype, verdict, behind);
  if (verdict.rows.size() < 2) {
    if (!results.ended) return verdict;
    verdict.says = Says::cannot_say;
    verdict.headline = "Measure mul, add and fma past the knee, at the same ops per element.";
    return verdict;
  }
  verdict.conclude("Without fused multiply-add, half of the peak is left.",
                   "fma is not twice as fast as mul and add here.", behind);
  return verdict;
}

}  // namespace

extern constinit const Lab fma_lab{
    .name = "fma",
    .title = "Multiply-add",
    .group = "Compute",
    .question = "How much of the peak is left without fused multiply-add?",
    .about =
        "A fused multiply-add counts as two operations and takes as long as one multiplication. "
        "Datasheet peaks assume it. Three chains run with the same ops per element: mul, add and "
        "fma. Past the ridge point, fma reaches twice the FLOP/s.",
    .needs =
        "mul, add and fma at 1, 8 and 64 ops each on a CPU: 9; on a GPU 1 to 1024 ops in 11 steps: "
        "33. The verdict compares all three at one number of ops past the knee.",
    .claim = {"Peak figures count a fused multiply-add as two; without it half is left.",
              "Making Deep Learning Go Brrrr, footnote 1"},
    .reads = {"dtype", "repeat", "elements", "data"},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .says_early = true,
    .time = 12,
};

}  // namespace engine
