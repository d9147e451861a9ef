// The lab `fusion`: a chain of pointwise operators, 1 to 16 long, fused into one kernel and
// unfused.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "engine/knob_text.hpp"
#include "engine/labs/lab.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise.hpp"

namespace engine {
namespace {

using kernels::By;
using kernels::Case;
using kernels::Dtype;
using kernels::Family;
using kernels::Fusion;
using kernels::Op;
using kernels::Ops;

/// For each core: input and output of so many bytes stay in its L2, and take much longer than a
/// launch.
constexpr std::uint64_t cached_bytes = std::uint64_t{1} << 18;
/// Of a GPU's L2, which all its cores share: input and output fill half of it.
constexpr double cached_share = 0.25;
/// Many points: each gets less time than in other labs, so that the lab takes no longer.
constexpr double part_of_time = 0.5;
/// Arithmetic in the caches scatters less than memory.
constexpr double part_of_time_in_caches = 0.2;
/// A fused chain that takes at most this much longer than one operator takes nearly as long.
constexpr double nearly = 1.15;

// ---- the chain

std::string refusal(std::string_view text) {
  std::vector<std::string_view> known;
  for (const Op op : Family::pointwise->ops) known.push_back(op->name);
  const auto is_known = [&](std::string_view name) {
    return std::ranges::find(known, name) != known.end();
  };
  const std::vector<std::string_view> names = split(text, ',');
  if (names.size() <= kernels::most_ops && std::ranges::all_of(names, is_known)) return "";
  return fmt::format("1 to {} operators, separated by commas, such as cos,cos; there are {}",
                     kernels::most_ops, fmt::join(known, ", "));
}

constexpr LabKnob chain_knob = LabKnob::text(
    "chain", "The operators of a chain, 1 to 16, separated by commas.", "cos,cos", refusal);
constexpr LabKnob length_knob = LabKnob::numbers(
    "length", "How many operators long: the chain is repeated up to each of these lengths.",
    "1:8:x2", 1, kernels::most_operators);

/// Throws BadInput.
Ops chain_of(const Spec& spec) {
  return kernels::ops_named(checked_text_of(spec, chain_knob)).value_or(Ops{});
}

/// The label of operators over data that stays in the caches.
constexpr std::string_view in_cache = "in cache";

/// The same case over another number of operators.
Case of_length(const Case& what, std::uint64_t length) { return with(what, "length", length); }

/// The length that the verdict is about: that of the chain, at least 2.
std::uint64_t length_to_judge(const Case& what) {
  return std::max<std::uint64_t>(2, what.ops.count);
}

// ---- the plan

/// The compiler was missing, failed or hung.
bool cannot_generate(const Results& so_far) {
  return std::ranges::any_of(so_far.points, [](const Point* point) {
    return point->what.by == By::generated && point->status == Status::skipped;
  });
}

/// The lengths to measure. The verdict needs one operator, and the chain itself or two.
std::set<std::uint64_t> lengths_of(const Spec& spec, const Case& what) {
  const std::vector<std::uint64_t> asked = numbers_of(spec, length_knob);
  std::set<std::uint64_t> lengths(asked.begin(), asked.end());
  lengths.insert({1, length_to_judge(what)});
  return lengths;
}

void add_lengths(const Spec& spec, Plan& plan, Case what, Fusion fusion, By by) {
  what.fusion = fusion;
  what.by = by;
  for (const std::uint64_t length : lengths_of(spec, what))
    plan.asks.push_back({of_length(what, length), "", part_of_time});
}

Case in_caches(Case what, const Place& place) {
  const auto cores = static_cast<std::uint64_t>(std::max(1, place.info.multiprocessors));
  const auto of_l2 = static_cast<std::uint64_t>(place.info.l2_bytes * cached_share);
  const bool gpu = place.info.kind == "cuda";
  const std::uint64_t bytes = gpu && of_l2 > 0 ? of_l2 : cached_bytes * cores;
  what.elements = bytes / size_of(what.dtype);
  return what;
}

/// What arithmetic takes, over data that stays in the caches: every operator of the chain alone.
void add_cached(Plan& plan, Case what, const Ops& chain) {
  for (const Op op : std::set<Op>(chain.begin(), chain.end())) {
    what.ops = op;
    plan.asks.push_back({of_length(what, 1), std::string(in_cache), part_of_time_in_caches});
  }
}

/// And the fused chains: together, operators load and store once, and may overlap.
void add_cached_chains(const Spec& spec, Plan& plan, Case what, By by) {
  what.by = by;
  for (const std::uint64_t length : lengths_of(spec, what))
    if (length > 1)
      plan.asks.push_back({of_length(what, length), std::string(in_cache), part_of_time_in_caches});
}

Plan plan(const Spec& spec, const Place& place, const Results& so_far) {
  const Ops chain = chain_of(spec);
  Plan plan;
  for (const Dtype dtype : spec.dtypes) {
    Case what = usual_case(spec, place, Family::pointwise, dtype);
    what.ops = chain;
    const Case cached = in_caches(what, place);
    add_cached(plan, cached, chain);
    const auto add_fused = [&](By by) {
      add_lengths(spec, plan, what, Fusion::fused, by);
      add_cached_chains(spec, plan, cached, by);
    };
    add_fused(By::generated);
    add_lengths(spec, plan, what, Fusion::unfused, By::own);
    if (cannot_generate(so_far)) add_fused(By::own);
  }
  return plan;
}

// ---- the points: which chains were measured, and how long memory and arithmetic take

/// A point in the caches.
bool is_cached(const Point& point) { return point.label == in_cache; }

/// A measured chain of the lab's lengths.
bool is_chain(const Point& point) { return point.status == Status::ok && !is_cached(point); }

/// The fused chain of as many operators as an unfused one, or the other way round; null: none. Of
/// fused ones that which was generated, where it is there.
const Point* find(const Points& points, const Case& like, Fusion fusion) {
  const Point* found = nullptr;
  for (const Point* point : points) {
    const Case& what = point->what;
    const bool alike = is_chain(*point) && what.fusion == fusion && what.ops == like.ops &&
                       what.more == like.more && what.dtype == like.dtype &&
                       what.elements == like.elements;
    if (alike && (found == nullptr || what.by == By::generated)) found = point;
  }
  return found;
}

/// The fastest run: short runs wait for threads that others hold back, and arithmetic does not.
double fastest(const Point& point) {
  const std::vector<double>& samples = point.seconds.samples;
  return samples.empty() ? point.seconds.median : *std::ranges::min_element(samples);
}

/// Seconds of all operators of a chain in caches, for as many elements and without the launches: of
/// the whole chain where it was measured there, else of its operators together. Nothing where one
/// is missing.
std::optional<double> arithmetic_seconds(const Results& results, const Case& what) {
  // Seconds per element of one kernel; a chain that was built in another way takes another time.
  const auto cached = [&](const Ops& ops, std::uint64_t count) -> std::optional<double> {
    const auto found = std::ranges::find_if(results.points, [&](const Point* point) {
      return point->status == Status::ok && is_cached(*point) && point->what.dtype == what.dtype &&
             point->what.ops == ops && kernels::operators_of(point->what) == count &&
             (count == 1 || point->what.by == what.by);
    });
    if (found == results.points.end()) return std::nullopt;
    const double launch = predict(results.session, **found).overhead_seconds;
    return std::max(0.0, fastest(**found) - launch) / static_cast<double>((*found)->what.elements);
  };
  const auto elements = static_cast<double>(what.elements);
  const std::uint64_t count = kernels::operators_of(what);
  if (const auto whole = cached(what.ops, count); whole && count > 1) return *whole * elements;
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::optional<double> one = cached(kernels::operator_at(what, i), 1);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum * elements;
}

/// Seconds of the memory alone at the measured roof; 0 without one.
double memory_seconds(const Results& results, const Case& what) {
  const kernels::Work work = kernels::work_of(what, results.session.device.kind);
  return predict(results.session, what, work).bandwidth_seconds;
}

/// The larger of memory and arithmetic, for each launch. Nothing where one is not known.
std::optional<double> predicted_seconds(const Results& results, const Case& what) {
  const std::optional<double> arithmetic = arithmetic_seconds(results, what);
  const double memory = memory_seconds(results, what);
  if (!arithmetic || !(memory > 0)) return std::nullopt;
  if (what.fusion == Fusion::fused) return std::max(*arithmetic, memory);
  double sum = 0;
  for (std::uint64_t i = 0; i < kernels::operators_of(what); ++i) {
    Case one = of_length(what, 1);
    one.ops = kernels::operator_at(what, i);
    sum += std::max(arithmetic_seconds(results, one).value_or(0), memory_seconds(results, one));
  }
  return sum;
}

// ---- charts

/// The points of the same run: a chart shows some of them only.
Points beside(const Row& row) { return points_of(row.session, row.point.run, row.point.lab); }

std::optional<Interval> speedup_of(const Row& row, std::string_view) {
  const Point* unfused = find(beside(row), row.point.what, Fusion::unfused);
  if (unfused == nullptr) return std::nullopt;
  return times_as_long(*unfused, row.point);
}
std::string speedup_text(double value, bool) { return fmt::format("{:.3g}x", value); }
constexpr Metric speedup =
    metric_of("speed-up of fusion", "Times faster than unfused", "", speedup_of, {0.5, 16},
              {Trait::rate, Trait::plain}, speedup_text);

std::string how_of(const Row& row, std::string_view) {
  const Case& what = row.point.what;
  const std::string_view how = what.fusion == Fusion::unfused ? "unfused"
                               : what.by == By::generated     ? "fused, generated"
                                                              : "fused, built in";
  return fmt::format("{} {}", name_of(what.dtype), how);
}
constexpr Label how{"how", how_of};

/// One value for each length, of the first element type that was measured.
template <class Value>
Curve curve_of(const Results& results, std::string name, Fusion fusion, Value value) {
  Curve curve{std::move(name)};
  for (const Point* point : results.points) {
    if (!is_chain(*point) || point->what.fusion != fusion ||
        point->what.dtype != results.points.front()->what.dtype)
      continue;
    const auto x = static_cast<double>(kernels::operators_of(point->what));
    const std::optional<double> y = value(point->what);
    if (!y || !(*y > 0) || std::ranges::find(curve.x, x) != curve.x.end()) continue;
    const auto at = std::ranges::lower_bound(curve.x, x) - curve.x.begin();
    curve.x.insert(curve.x.begin() + at, x);
    curve.y.insert(curve.y.begin() + at, *y);
  }
  return curve;
}

std::vector<Chart> charts(const Results& results) {
  const auto add = [](Chart& chart, Curve curve) {
    if (curve.x.size() > 1) chart.curves.push_back(std::move(curve));
  };
  const auto seconds = [&](const Case& what) { return predicted_seconds(results, what); };
  Metric length = metrics::axis("length");
  length.title = "Operators in the chain";
  length.range.high = kernels::most_operators;
  Chart runtime = chart_of("fusion", "Time of the chain", length, metrics::runtime, how);
  runtime.shows = [](const Row& row) { return !is_cached(row.point); };
  Chart faster = chart_like(runtime, "fusion-speedup", "Speed-up of fusion", speedup);
  faster.shows = [](const Row& row) {
    return !is_cached(row.point) && row.point.what.fusion == Fusion::fused;
  };
  add(runtime, curve_of(results, "memory alone, fused", Fusion::fused, [&](const Case& what) {
        return std::optional(memory_seconds(results, what));
      }));
  add(faster, curve_of(results, "memory alone", Fusion::fused, [&](const Case& what) {
        return std::optional(static_cast<double>(kernels::operators_of(what)));
      }));
  add(faster, curve_of(results, "memory or arithmetic", Fusion::fused, [&](Case what) {
        const std::optional<double> fused = seconds(what);
        what.fusion = Fusion::unfused;
        const std::optional<double> unfused = seconds(what);
        return fused && unfused ? std::optional(*unfused / *fused) : std::nullopt;
      }));
  return {runtime, faster};
}

// ---- the verdict

/// The points that the verdict is about: chains of one length, and the first operator alone.
struct Pair {
  const Point *fused = nullptr, *unfused = nullptr, *single = nullptr;
  bool complete() const { return fused != nullptr && unfused != nullptr && single != nullptr; }
};

/// Of the first chain that was measured.
Pair pair_of(const Results& results, std::optional<std::uint64_t> length = {}) {
  const auto found =
      std::ranges::find_if(results.points, [](const Point* point) { return is_chain(*point); });
  if (found == results.points.end()) return {};
  const Case& first = (*found)->what;
  const Case chain = of_length(first, length.value_or(length_to_judge(first)));
  return {find(results.points, chain, Fusion::fused), find(results.points, chain, Fusion::unfused),
          find(results.points, of_length(first, 1), Fusion::fused)};
}

void add_rows(const Pair& pair, LabVerdict& verdict) {
  const std::uint64_t count = kernels::operators_of(pair.fused->what);
  verdict.judge(fmt::format("{} operators fused, over 1 operator", count), Interval{1},
                times_as_long(*pair.fused, *pair.single), "x", 0, nearly);
  verdict.inform(fmt::format("{0} operators, unfused over fused (memory: {0}x)", count),
                 times_as_long(*pair.unfused, *pair.fused), "x");
  verdict.inform("tensors read and written, unfused", Interval{2 * static_cast<double>(count)}, "");
  verdict.inform("tensors read and written, fused", Interval{2}, "");
}

/// What limits the longest chains, against the larger of memory and arithmetic.
void add_limits(const Results& results, LabVerdict& verdict) {
  for (const std::uint64_t length : {8, 16}) {
    const Pair pair = pair_of(results, length);
    if (!pair.complete()) continue;
    const auto predicted = predicted_seconds(results, pair.fused->what);
    const auto unfused = predicted_seconds(results, pair.unfused->what);
    if (!predicted || !unfused) continue;
    verdict.inform(fmt::format("{} operators, unfused over fused (predicted: {})", length,
                               text_of(Interval{*unfused / *predicted}, "x")),
                   times_as_long(*pair.unfused, *pair.fused), "x");
    verdict.inform(
        fmt::format("{} operators fused, over the prediction", length),
        quotient(metrics::runtime.at(*pair.fused, results.session), Interval{*predicted}), "x");
  }
}

/// Why fusing gains less than the reads and writes that it saves.
std::string reason_of(const Results& results, const Point& fused) {
  const auto arithmetic = arithmetic_seconds(results, fused.what);
  const double memory = memory_seconds(results, fused.what);
  if (!arithmetic || !(memory > 0)) return "";
  if (*arithmetic <= memory) return " The memory traffic alone would allow more.";
  return fmt::format(
      " Arithmetic is the limit here: it takes {:.2g} times as long as the memory traffic.",
      *arithmetic / memory);
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Pair pair = pair_of(results);
  if (!pair.complete())
    return cannot_say("Measure the chain fused and unfused, and its first operator alone.");
  add_rows(pair, verdict);
  add_limits(results, verdict);
  const Interval longer = *verdict.rows[0].here, faster = *verdict.rows[1].here;
  verdict.says = conclude(verdict.rows);
  verdict.headline = fmt::format("Fused, {} is {:.2f}x as fast; memory traffic alone predicts {}x.",
                                 text_of(pair.fused->what.ops), faster.median,
                                 kernels::operators_of(pair.fused->what));
  if (longer.median > nearly) verdict.headline += reason_of(results, *pair.fused);
  distrust_unsure(verdict, std::array{pair.fused, pair.unfused, pair.single});
  if (verdict.says == Says::differs)
    verdict.advice.push_back(
        "Operators of little arithmetic, such as relu and mul, are free here.");
  return verdict;
}

}  // namespace

extern constinit const Lab fusion_lab{
    .name = "fusion",
    .title = "Fused operators",
    .group = "Memory",
    .question = "How much faster is a chain of operators in one kernel?",
    .about =
        "A chain of pointwise operators, 1 to 16 long, runs in two ways. Unfused, each operator is "
        "a kernel of its own, which reads its input from memory and writes its output there. "
        "Fused, one kernel reads once, applies all operators, and writes once. The fused kernel is "
        "generated for exactly this chain and compiled by the C++ compiler of the system, or by "
        "NVRTC for a GPU; the note of a point names the file of its source. Without a compiler, a "
        "CPU runs the operators' own loops over blocks that stay in the L1, and a GPU applies the "
        "operators from a list. The fused chains and each operator alone also run on data in the "
        "caches: that shows how long the arithmetic takes.",
    .needs =
        "Chains of 1, 2, 4 and 8 operators, fused and unfused; in the caches, the fused chains and "
        "each different operator alone: 12 for cos,cos. The verdict compares the chain in both "
        "ways with one operator alone.",
    .claim = {"A fused x.cos().cos() takes nearly the same time as x.cos().",
              "Making Deep Learning Go Brrrr, Bandwidth"},
    .reads = {"dtype", "elements", "data"},
    .knobs = {chain_knob, length_knob},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 12,
};

}  // namespace engine
