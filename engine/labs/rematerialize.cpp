// The lab `rematerialize`: the activations of a chain of pointwise operators are kept for the
// backward pass, or computed again.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/knob_text.hpp"
#include "engine/labs/lab.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise.hpp"

namespace engine {
namespace {

using kernels::Activations;
using kernels::Case;
using kernels::Family;
using kernels::Fusion;
using kernels::Op;

/// Many points: each gets less time than in other labs, so that the lab takes no longer.
constexpr double part_of_time = 0.5;

// ---- the chains

std::vector<Op> operators_in(std::string_view text) {
  std::vector<Op> found;
  for (const std::string_view name : split(text, ',')) {
    const auto op =
        std::ranges::find(Family::pointwise->ops, name, [](Op one) { return one->name; });
    if (op == Family::pointwise->ops.end()) return {};
    found.push_back(*op);
  }
  return found.size() <= kernels::most_ops ? found : std::vector<Op>{};
}

std::string refusal(std::string_view text) {
  if (!operators_in(text).empty()) return "";
  return fmt::format("1 to {} operators of the lab fusion, separated by commas, such as mul,cos",
                     kernels::most_ops);
}

constexpr LabKnob operators = LabKnob::text(
    "operators", "Operators, each as a chain of itself, separated by commas.", "mul,silu", refusal);
constexpr LabKnob lengths = LabKnob::numbers("lengths", "How many operators long the chains are.",
                                             "1:4:x2", 1, kernels::most_operators);

/// How forward and backward pass run.
struct Way {
  Fusion fusion;
  Activations activations;
  std::string_view name;
};
constexpr std::array ways{Way{Fusion::unfused, Activations::kept, "unfused, kept"},
                          Way{Fusion::fused, Activations::kept, "fused, kept"},
                          Way{Fusion::fused, Activations::recomputed, "fused, recomputed"}};

Case in_way(Case what, const Way& way) {
  what.fusion = way.fusion;
  return with_activations(what, way.activations);
}

const Way& way_of(const Case& what) {
  const auto found =
      std::ranges::find_if(ways, [&](const Way& way) { return in_way(what, way) == what; });
  return found == ways.end() ? ways.front() : *found;
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  Plan plan;
  for (const kernels::Dtype dtype : spec.dtypes) {
    Case what = usual_case(spec, place, Family::pointwise, dtype);
    what.by = kernels::By::generated;
    // Four tensors instead of two are as large as those of other labs.
    if (spec.elements == 0) what.elements /= 2;
    what.elements = std::max<std::uint64_t>(1, what.elements / kernels::backward_granule) *
                    kernels::backward_granule;
    for (const Op op : operators_in(checked_text_of(spec, operators))) {
      what.ops = op;
      for (const std::uint64_t length : numbers_of(spec, lengths)) {
        for (const Way& way : ways) {
          const Case one = in_way(with(what, "length", length), way);
          refuse_beyond_memory(lengths, spec, place, one);
          const bool automatic = spec.elements == 0 && is_automatic(spec, lengths);
          if (!automatic || leaves_room(place, one)) plan.asks.push_back({one, {}, part_of_time});
        }
      }
    }
  }
  return plan;
}

// ---- charts

std::string chain_and_way(const Row& row, std::string_view) {
  return fmt::format("{} {}", row.point.what.op()->name, way_of(row.point.what).name);
}
constexpr Label series_label{"chain", chain_and_way};

std::string activations_word(const Row& row, std::string_view) {
  const bool kept = activations_of(row.point.what) == Activations::kept;
  return kept ? "kept" : "recomputed";
}
constexpr Label activations_label{"activations", activations_word};

std::optional<Interval> allocated_of(const Row& row, std::string_view) {
  return Interval{footprint_of(row.point.what)};
}
constexpr Metric allocated =
    metric_of("allocated", "Memory allocated", "B", allocated_of, {1e6, 1e9});

Chart over_lengths(std::string_view id, std::string_view title, const Metric& y,
                   const Label& series) {
  Metric x = metrics::axis("length");
  x.title = "Operators in the chain";
  x.range.high = 8;
  return chart_of(id, title, x, y, series);
}

/// Memory depends on neither the operator nor fusion: the first operator stands for all.
bool tells_memory(const Row& row) {
  if (row.point.what.fusion == Fusion::unfused) return false;
  for (const Point& point : row.session.points)
    if (point.lab == row.point.lab && point.run == row.point.run)
      return point.what.ops == row.point.what.ops;
  return true;
}

std::vector<Chart> charts(const Results&) {
  Chart memory = over_lengths("rematerialize-memory", "Memory of forward and backward pass",
                              allocated, activations_label);
  memory.shows = tells_memory;
  return {over_lengths("rematerialize", "Time of forward and backward pass", metrics::runtime,
                       series_label),
          memory};
}

// ---- the verdict

/// The three ways of one chain.
struct Chain {
  std::array<const Point*, ways.size()> of{};
  bool complete() const { return std::ranges::count(of, nullptr) == 0; }
  const Point& unfused() const { return *of[0]; }
  const Point& kept() const { return *of[1]; }
  const Point& recomputed() const { return *of[2]; }
};

Chain chain_of(const Results& results, const Case& what) {
  Chain chain;
  for (const Point* point : results.points)
    for (std::size_t i = 0; i < ways.size(); ++i)
      if (point->status == Status::ok && point->what == in_way(what, ways[i])) chain.of[i] = point;
  return chain;
}

/// The longest complete chain of each operator, in the order of measurement; one element type.
std::vector<Chain> longest_chains(const Results& results) {
  std::vector<Chain> found;
  for (const Point* point : results.points) {
    const Case& what = point->what;
    if (what.dtype != results.points.front()->what.dtype) continue;
    const Chain chain = chain_of(results, what);
    if (!chain.complete()) continue;
    const auto known = std::ranges::find_if(
        found, [&](const Chain& other) { return other.kept().what.ops == what.ops; });
    if (known == found.end()) {
      found.push_back(chain);
    } else if (kernels::operators_of(what) > kernels::operators_of(known->kept().what)) {
      *known = chain;
    }
  }
  return found;
}

std::string name_of(const Chain& chain) {
  const Case& what = chain.kept().what;
  return fmt::format("{} x {}", kernels::operators_of(what), what.op()->name);
}

/// The claim is about the chain whose arithmetic is cheapest: memory bandwidth is its limit.
void add_rows(const Chain& chain, bool decides, LabVerdict& verdict) {
  const auto add = [&](std::string_view compared, const Point& above) {
    const double bytes = above.work.bytes / chain.recomputed().work.bytes;  // what they alone say
    verdict.inform(fmt::format("{}, time, {} (bytes: {})", name_of(chain), compared,
                               text_of(Interval{bytes}, "x")),
                   times_as_long(above, chain.recomputed()), "x");
  };
  add("kept over recomputed", chain.kept());
  if (decides) verdict.rows.back().says = judge(*verdict.rows.back().here, 1, HUGE_VAL);
  add("unfused over recomputed", chain.unfused());
}

/// What the others do, and which of them are better kept.
void add_others(const std::vector<Chain>& chains, const Chain& cheapest, LabVerdict& verdict) {
  for (const Chain& chain : chains) {
    if (chain.kept().what.ops == cheapest.kept().what.ops) continue;
    const double faster = times_as_long(chain.kept(), chain.recomputed()).median;
    verdict.headline += fmt::format(", {} {:.2f}x", name_of(chain), faster);
    if (faster < 1)
      verdict.advice.push_back(
          fmt::format("Keep the activations of {}: recomputing them takes longer than the memory "
                      "traffic that it saves.",
                      chain.kept().what.op()->name));
  }
  verdict.headline += ".";
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const std::vector<Chain> chains = longest_chains(results);
  if (chains.empty())
    return cannot_say(
        "Measure a chain in all three ways; on a CPU they need a C++ compiler, on a GPU NVRTC.");
  const Chain& cheapest = *std::ranges::min_element(chains, {}, [](const Chain& chain) {
    return chain.kept().flops_per_element() /
           static_cast<double>(kernels::operators_of(chain.kept().what));
  });
  const double memory =
      footprint_of(cheapest.kept().what) / footprint_of(cheapest.recomputed().what);
  verdict.inform(fmt::format("{} operators, memory, kept over recomputed",
                             kernels::operators_of(cheapest.kept().what)),
                 Interval{memory}, "x");
  for (const Chain& chain : chains) add_rows(chain, &chain == &cheapest, verdict);
  const Interval faster = times_as_long(cheapest.kept(), cheapest.recomputed());
  verdict.says = conclude(verdict.rows);
  verdict.headline = fmt::format(
      "Recomputing needs 1/{:.2g} of the memory, and {} runs {:.2f}x as fast as with kept "
      "activations",
      memory, name_of(cheapest), faster.median);
  add_others(chains, cheapest, verdict);
  distrust_unsure(verdict, cheapest.of);
  return verdict;
}

}  // namespace

extern constinit const Lab rematerialize_lab{
    .name = "rematerialize",
    .title = "Keep or recompute",
    .group = "Memory",
    .question = "Is it faster to keep activations for the backward pass, or to recompute them?",
    .about =
        "A chain of one pointwise operator runs forward and backward. The backward pass needs the "
        "input of every operator. Kept: the forward pass writes all of them, and the backward pass "
        "reads them again. Recomputed: the backward pass reads only the input of the chain and "
        "computes the others again in registers. That needs more arithmetic and less memory "
        "traffic. Unfused, every operator is a kernel of its own, and everything is kept. A row "
        "also says what the bytes alone would give. All kernels are generated and compiled on this "
        "machine.",
    .needs =
        "Chains of 1, 2 and 4 operators, of mul and of silu, each in three ways: 18. The verdict "
        "uses the longest chain of each operator that ran in all three ways.",
    .claim = {"Recomputing activations lowers both memory and runtime, as long as memory bandwidth "
              "is the limit.",
              "Making Deep Learning Go Brrrr, Bandwidth"},
    .reads = {"dtype", "elements", "data"},
    .knobs = {operators, lengths},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 10,
};

}  // namespace engine
