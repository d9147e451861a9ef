// The lab `fma`: mul, add and fma side by side at the same repeats.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "engine/labs/lab.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

using kernels::Op;

constexpr std::array ops{Op::mul, Op::add, Op::fma};
constexpr std::array<std::string_view, 4> reads{"dtype", "repeat", "elements", "data"};

// How far from two a factor may be that still is the claim.
constexpr double about = 0.1;
/// How much longer than the shortest chain one is that arithmetic limits.
constexpr double much_longer = 2;

Plan plan(const Spec& spec, const Place& place, const Results&) {
  refuse_contradictions(spec);
  Plan plan;
  for (const kernels::Dtype dtype : spec.dtypes) {
    kernels::Case what = usual_case(spec, place, kernels::Family::chain, dtype);
    for (const Op op : ops) {
      what.ops = op;
      for (const std::uint64_t repeat : spec.repeats) {
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
  Chart flops{.id = "fma", .title = "FLOP/s of mul, add and fma"};
  flops.x = metrics::axis("repeat");
  flops.y = metrics::flops;
  flops.series = of_line;
  flops.colour = labels::op;
  flops.along = "repeat";
  flops.overlays = {Overlay::roofs, Overlay::best};
  Chart runtime = flops;
  runtime.id = "fma-runtime";
  runtime.title = "Runtime of mul, add and fma";
  runtime.y = metrics::runtime;
  runtime.overlays = {Overlay::knee};
  return {flops, runtime};
}

using Of = std::pair<kernels::Dtype, Op>;

/// The point of that type and op with the most ops per element.
const Point* longest(const Results& results, Of of) {
  const Point* found = nullptr;
  for (const Point* point : results.points) {
    const bool wanted = point->status == Status::ok && point->what.dtype == of.first &&
                        point->what.ops == kernels::Ops(of.second);
    if (wanted && (found == nullptr || point->what.repeat > found->what.repeat)) found = point;
  }
  return found;
}

/// Whether arithmetic limits it: it takes much longer than the shortest chain of its type. While
/// memory is the limit, every op takes as long, and fma has twice the FLOP/s for nothing.
bool is_past_memory(const Results& results, const Point& longest) {
  return std::ranges::any_of(results.points, [&](const Point* point) {
    return point->status == Status::ok && point->what.ops == longest.what.ops &&
           point->what.dtype == longest.what.dtype &&
           longest.seconds.median > much_longer * point->seconds.median;
  });
}

/// Both intervals at their worst.
Interval times_faster(const Point& fast, const Point& slow) {
  const double ratio = fast.flops_per_second() / slow.flops_per_second();
  const auto& a = fast.seconds;
  const auto& b = slow.seconds;
  if (!a.has_interval() || !b.has_interval() || !(a.low > 0 && b.low > 0)) return {ratio};
  const double at_median = ratio * a.median / b.median;
  return {ratio, at_median * b.low / a.high, at_median * b.high / a.low};
}

/// Rows of one element type, where arithmetic limits all three.
void add_rows(const Results& results, kernels::Dtype dtype, LabVerdict& verdict) {
  const Point* fma = longest(results, {dtype, Op::fma});
  if (fma == nullptr || !is_past_memory(results, *fma)) return;
  for (const Op op : {Op::mul, Op::add}) {
    const Point* single = longest(results, {dtype, op});
    if (single == nullptr || single->what.repeat != fma->what.repeat ||
        single->what.elements != fma->what.elements || !is_past_memory(results, *single))
      continue;
    verdict.rows.push_back({fmt::format("{} fma against {}, {} ops per element", name_of(dtype),
                                        op->name, fma->what.repeat),
                            Interval{2}, times_faster(*fma, *single), "x"});
  }
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  std::set<kernels::Dtype> dtypes;
  for (const Point* point : results.points) dtypes.insert(point->what.dtype);
  for (const kernels::Dtype dtype : dtypes) add_rows(results, dtype, verdict);
  if (verdict.rows.size() < 2) {
    if (!results.ended) return verdict;
    verdict.says = LabVerdict::Says::cannot_say;
    verdict.headline = "Measure mul, add and fma past the knee, at the same ops per element.";
    return verdict;
  }
  verdict.says = LabVerdict::Says::holds;
  verdict.headline = "Without fused multiply-add, half of the peak is left.";
  for (const VerdictRow& row : verdict.rows) {
    const LabVerdict::Says says = judge(*row.here, 2 * (1 - about), 2 * (1 + about));
    if (says == LabVerdict::Says::holds) continue;
    verdict.says = says;
    verdict.headline = says == LabVerdict::Says::differs
                           ? "fma is not twice as fast as mul and add here."
                           : "The points scatter too much: measure again when the machine is idle.";
    if (says == LabVerdict::Says::differs) break;
  }
  return verdict;
}

}  // namespace

extern const Lab fma_lab;
constinit const Lab fma_lab{
    .name = "fma",
    .title = "Multiply-add",
    .group = "Compute",
    .question = "How much of the peak is left without fused multiply-add?",
    .about =
        "A fused multiply-add counts as two operations and takes as long as one multiplication. "
        "Datasheet peaks assume it. Three chains run at the same repeats: mul, add and fma. Past "
        "the ridge point, fma reaches twice the FLOP/s.",
    .claim = {"Peak figures count a fused multiply-add as two; without it half is left.",
              "Making Deep Learning Go Brrrr, footnote 1"},
    .reads = reads,
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
};

}  // namespace engine
