// The lab `operators`: every operator of neural networks alone, against the bandwidth of the
// memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/rowwise/rowwise.hpp"

namespace engine {
namespace {

using kernels::Dtype;
using kernels::Family;
using kernels::Op;

constexpr std::array families{Family::pointwise, Family::rowwise};
/// Of rows; gradients and what else a layer of BERT needs have a lab of their own.
constexpr std::array on_rows{Op::layernorm, Op::rmsnorm, Op::softmax,   Op::sum,
                             Op::transpose, Op::bias,    Op::bias_gelu, Op::dropout};

/// Many points: each gets less time than in other labs, so that the lab takes no longer.
constexpr double part_of_time = 0.25;
/// Of the time of relu: within this much it costs as much.
constexpr double as_much = 1.15;
/// Of the bandwidth of the memory: from here on memory is the limit.
constexpr double bound_by_memory = 0.8;

/// Rows of the usual number of columns; as many of them as fit.
kernels::Case whole_rows(kernels::Case what) {
  what = with(what, "columns", kernels::usual_columns);
  const std::uint64_t block = kernels::usual_columns * kernels::row_block;
  what.elements = std::max<std::uint64_t>(1, what.elements / block) * block;
  return what;
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  Plan plan;
  for (const Dtype dtype : spec.dtypes) {
    for (const Family family : families) {
      kernels::Case what = usual_case(spec, place, family, dtype);
      if (family == Family::rowwise) what = whole_rows(what);
      const std::span<const Op> ops = family == Family::rowwise ? on_rows : family->ops;
      for (const Op op : ops) {
        what.ops = op;
        plan.asks.push_back({what, {}, part_of_time});
      }
    }
  }
  return plan;
}

// ---- charts

/// Bytes per second over those of the roof with as many reads and writes: of the one that ran
/// beside the point, since the memory of a shared host drifts; else of the session's.
std::optional<Interval> memory_share_of(const Row& row, std::string_view) {
  const Roof* memory = memory_roof(row.session, RoofSource::measured, row.point.what);
  const std::optional<Share>& beside = row.point.share;
  if (memory != nullptr && beside && beside->roof == memory->name) return beside->of;
  const double roof = bandwidth_ceiling(row.session, row.point.what).rate;
  const std::optional<Interval> rate = metrics::bandwidth(row);
  if (!rate || !(roof > 0)) return std::nullopt;
  return mapped(*rate, [&](double one) { return one / roof; });
}
constexpr Metric memory_share =
    metric_of("share of DRAM bandwidth", "Share of the DRAM bandwidth", "%", memory_share_of,
              {0, 1}, {Trait::rate, Trait::plain, Trait::linear},
              [](double value, bool) { return fmt::format("{:.0f} %", 100 * value); });

std::string kind_of(const Row& row, std::string_view) {
  return row.point.flops_per_element() > 1 ? "more FLOP" : "at most 1 FLOP";
}
constexpr Label kind{"kind", kind_of};

/// The names of the operators at their dots; not of the many with 1 FLOP, which lie together.
std::vector<Note> names_at_dots(const Results& results) {
  std::vector<Note> notes;
  for (const Point* point : results.points) {
    const std::optional<Interval> rate = metrics::flops({*point, results.session});
    if (point->status != Status::ok || !rate) continue;
    const double x = point->work.intensity();
    if (point->flops_per_element() > 1)
      notes.push_back({Note::At::spot, x, rate->median, std::string(point->what.op()->name)});
  }
  return notes;
}

std::vector<Chart> charts(const Results& results) {
  const Chart share =
      chart_of("operators", "Share of the DRAM bandwidth", labels::op, memory_share, labels::dtype);
  Chart roofline = chart_of("operators-roofline", "Operators on the roofline", metrics::intensity,
                            metrics::flops, kind);
  roofline.notes = names_at_dots(results);
  roofline.overlays = {Overlay::roofs, Overlay::ridge};
  return {share, roofline};
}

// ---- the verdict

const Point* find(const Results& results, Dtype dtype, Op op) {
  return first_measured(results.points, [&](const kernels::Case& what) {
    return what.dtype == dtype && what.ops == kernels::Ops(op);
  });
}

double share_of(const Results& results, const Point& point) {
  return memory_share.at(point, results.session).median;
}

/// Bound by memory, by launches or by arithmetic.
std::string reason_of(const Results& results, const Point& gelu) {
  const double share = share_of(results, gelu);
  const double plain = share_of(results, *find(results, gelu.what.dtype, Op::relu));
  if (!(share > 0)) return "";
  if (share >= bound_by_memory)
    return fmt::format(" Both are bound by memory: gelu reaches {:.0f} % of its bandwidth.",
                       100 * share);
  if (share * as_much >= plain)
    return fmt::format(
        " Both reach {:.0f} % of the memory's bandwidth: choose more elements, so that launches "
        "take no part of the time.",
        100 * share);
  return fmt::format(
      " gelu is bound by arithmetic here: it reaches {:.0f} % of the memory's bandwidth, relu "
      "{:.0f} %.",
      100 * share, 100 * plain);
}

void add_rows(const Results& results, const Point& relu, LabVerdict& verdict) {
  for (const Point* point : results.points) {
    if (point->status != Status::ok || point->what.dtype != relu.what.dtype) continue;
    const Op op = point->what.op();
    if (op == Op::gelu || op == Op::gelu_tanh) {
      const Interval longer = times_as_long(*point, relu);
      verdict.rows.insert(verdict.rows.begin(), {fmt::format("{} over relu", op->name), Interval{1},
                                                 longer, "x", judge(longer, 0, as_much)});
    }
    if (const double share = share_of(results, *point); share > 0)
      verdict.inform(fmt::format("{}, of the DRAM bandwidth", op->name), Interval{share}, "%");
  }
}

/// Which of the two was not measured, and why not.
std::string missing(const Results& results, Dtype dtype) {
  for (const Op op : {Op::relu, Op::gelu}) {
    for (const Point* point : results.points) {
      const kernels::Case& what = point->what;
      if (point->status != Status::ok && what.dtype == dtype && what.ops == kernels::Ops(op))
        return fmt::format("{} was not measured: {}.", op->name, point->why);
    }
  }
  return "Measure relu and gelu.";
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Dtype dtype = results.points.empty() ? Dtype::fp32 : results.points.front()->what.dtype;
  const Point* relu = find(results, dtype, Op::relu);
  const Point* gelu = find(results, dtype, Op::gelu);
  if (relu == nullptr || gelu == nullptr) return cannot_say(missing(results, dtype));
  const Interval ratio = times_as_long(*gelu, *relu);
  add_rows(results, *relu, verdict);
  verdict.says = conclude(verdict.rows);
  verdict.headline = fmt::format("gelu takes {:.2f} times as long as relu.", ratio.median) +
                     reason_of(results, *gelu);
  if (verdict.says == Says::differs)
    verdict.advice.push_back("gelu-tanh costs less arithmetic and differs by less than 0.001.");
  distrust_unsure(verdict, std::array{relu, gelu});
  return verdict;
}

}  // namespace

extern constinit const Lab operators_lab{
    .name = "operators",
    .title = "Operators",
    .group = "Memory",
    .question = "Which operators of a neural network are bound by memory?",
    .about =
        "Each operator runs alone over tensors in memory. Its bytes are the least that it must "
        "move, and its FLOP come from a table in docs/lab-notes.md. If an operator reaches the "
        "bandwidth of the memory, its time depends on its bytes alone. Where a bar is short, "
        "something else is the limit, usually arithmetic.",
    .needs =
        "Each of 19 operators once. The verdict compares relu and gelu in the same element type.",
    .claim = {"Activation functions all cost nearly the same, though gelu has many more operations "
              "than relu.",
              "Making Deep Learning Go Brrrr, Bandwidth"},
    .reads = {"dtype", "elements", "data"},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 10,
};

}  // namespace engine
