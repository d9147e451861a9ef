// The lab `autotune`: every shape of one kernel, halved round by round, and what the search is
// worth.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/labs/lab.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/session/session_file.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Case;
using kernels::Units;

constexpr std::array<std::string_view, 2> choices{"vector", "matrix"};
constexpr LabKnob tuned = LabKnob::choice(
    "tuned", "Whose shapes are tried: fp32 FMA on vector units, or bf16 products on matrix units.",
    "vector", choices);
/// A difference that is worth a search.
constexpr double worth = 1.02;
/// What its points are called, before the shape: tried in a round, or measured to the end.
constexpr std::string_view round_word = "round ", found_word = "found", default_word = "default";

std::string label_of(std::string_view word, const Case& candidate) {
  return fmt::format("{}: {}", word, kernels::text_of(candidate.shape));
}
std::string label_of(std::size_t round, const Case& candidate) {
  return label_of(fmt::format("{}{}", round_word, round), candidate);
}
/// "round 1", "found".
std::string word_of_point(const Point& point) {
  return point.label.substr(0, point.label.find(':'));
}
/// It was tried in a round, and not measured to the end.
bool is_trial(const Point& point) { return point.label.starts_with(round_word); }

/// The shapes of the chosen kernel, the default first.
std::vector<Case> candidates_of(const Spec& spec, const Place& place) {
  const Units units = text_of(spec, tuned) == "matrix" ? Units::matrix : Units::vector;
  std::vector<Case> candidates;
  std::ranges::copy_if(place.shapes, std::back_inserter(candidates),
                       [&](const Case& one) { return one.units == units; });
  return candidates;
}

// ---- the points

const Point* labelled(std::span<const Point* const> points, std::string_view label) {
  const auto found = std::ranges::find(points, label, &Point::label);
  return found == points.end() ? nullptr : *found;
}

double rate_of(const Point* point) {
  return point != nullptr && point->status == Status::ok ? point->flops_per_second() : 0;
}

/// The median of the trials of a shape so far; 0: one of them failed.
double rate_of(std::span<const Point* const> points, const Case& candidate, std::size_t rounds) {
  std::vector<double> rates;
  for (std::size_t round = 1; round <= rounds; ++round)
    rates.push_back(rate_of(labelled(points, label_of(round, candidate))));
  return std::ranges::min(rates) > 0 ? median_of(rates) : 0;
}

/// The asks of a search: all candidates, then the faster half of them, and so on; each round needs
/// the one before. Then the last one, and the default, to the end.
std::vector<Ask> search(std::vector<Case> candidates, std::span<const Point* const> points) {
  std::vector<Ask> asks;
  if (candidates.empty()) return asks;
  const Case usual = candidates.front();
  for (std::size_t round = 1; candidates.size() > 1; ++round) {
    const auto trial = [&](const Case& one) { return labelled(points, label_of(round, one)); };
    for (const Case& one : candidates)
      asks.push_back({.what = one, .label = label_of(round, one), .once = true});
    if (std::ranges::any_of(candidates, [&](const Case& one) { return trial(one) == nullptr; }))
      return asks;
    const auto rate = [&](const Case& one) { return rate_of(points, one, round); };
    std::ranges::stable_sort(candidates, std::ranges::greater{}, rate);
    candidates.resize((candidates.size() + 1) / 2);
    std::erase_if(candidates, [&](const Case& one) { return rate(one) <= 0; });
    if (candidates.empty()) return asks;
  }
  asks.push_back({.what = usual, .label = label_of(default_word, usual)});
  asks.push_back({.what = candidates.front(), .label = label_of(found_word, candidates.front())});
  return asks;
}

Plan plan(const Spec& spec, const Place& place, const Results& so_far) {
  Plan plan;
  plan.asks = search(candidates_of(spec, place), so_far.points);
  if (plan.asks.empty() && !place.shapes.empty())
    throw BadInput(fmt::format("--tuned {}: {} has no such kernel with several shapes; choose {}",
                               text_of(spec, tuned), place.info.id,
                               text_of(spec, tuned) == "matrix" ? "vector" : "matrix"));
  return plan;
}

/// Measured to the end.
const Point* measured(const Results& results, std::string_view word) {
  const Point* found = nullptr;
  for (const Point* point : results.points)
    if (point->status == Status::ok && word_of_point(*point) == word) found = point;
  return found;
}

/// s that all trials took, with what they needed beside the timed runs.
double cost_of(const Results& results) {
  double seconds = 0;
  for (const Point* point : results.points) {
    if (!is_trial(*point)) continue;
    for (const kernels::Span& phase : point->phases)
      if (phase.name != "devices" && phase.name != "roofs") seconds += phase.end - phase.begin;
  }
  return seconds;
}

// ---- the charts

std::optional<Interval> number_of(const Row& row, std::string_view) {
  double number = 1;
  for (const Point* point : row.all) {
    if (point == &row.point) return Interval{number};
    if (point->run == row.point.run && is_trial(*point)) ++number;
  }
  return std::nullopt;
}

constexpr Label round_label{
    "round", [](const Row& row, std::string_view) { return word_of_point(row.point); }};
constexpr Label shape_label{"shape", [](const Row& row, std::string_view) {
                              return kernels::text_of(row.point.what.shape);
                            }};

std::vector<Chart> charts(const Results&) {
  const Metric trial =
      metric_of("trial", "Trial", "", number_of, {1, 20}, {Trait::plain, Trait::linear});
  Chart trials = chart_of("autotune", "Trials, round by round", trial, metrics::flops, round_label);
  trials.y.log = false;
  trials.along = "repeat";
  trials.shows = [](const Row& row) { return is_trial(row.point); };
  Chart shapes = chart_of("autotune-shapes", "Default against found", shape_label, metrics::flops,
                          round_label);
  shapes.shows = [](const Row& row) { return !is_trial(row.point); };
  return {trials, shapes};
}

// ---- the verdict

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Point *usual = measured(results, default_word), *found = measured(results, found_word);
  if (usual == nullptr || found == nullptr)
    return cannot_say("Measure every shape, and the default and the fastest to the end.");
  const auto rate = [](const Point& point) {
    return quotient(Interval{point.work.flops}, time_of(point));
  };
  const auto trials = static_cast<double>(
      std::ranges::count_if(results.points, [](const Point* point) { return is_trial(*point); }));
  const Interval gain = quotient(rate(*found), rate(*usual));
  const double cost = cost_of(results);
  const std::string shape = kernels::text_of(found->what.shape);
  verdict.rows = {
      {fmt::format("default: {}", kernels::text_of(usual->what.shape)), {}, rate(*usual), "FLOP/s"},
      {fmt::format("found: {}", shape), {}, rate(*found), "FLOP/s"},
      {"trials", {}, Interval{trials}, ""},
      {"time of the search", {}, Interval{cost}, "s"}};
  verdict.judge("found is faster by", {}, gain, "x", worth);
  verdict.says = conclude(verdict.rows);
  const double saved = usual->seconds.median * (1 - 1 / gain.median);  // in a run of the default
  if (verdict.says == Says::holds && saved > 0) {
    const double runs = std::ceil(cost / saved);
    verdict.inform("runs of the default after which it pays", Interval{runs}, "");
    verdict.headline = fmt::format(
        "{} is {} as fast as the default; the search took {} and pays after {} of such work.",
        shape, text_of(Interval{gain.median}, "x"), units::seconds(cost),
        units::seconds(runs * usual->seconds.median));
  } else {
    verdict.headline =
        fmt::format("The search took {} and found {}, which is {} as fast as the default.",
                    units::seconds(cost), shape, text_of(Interval{gain.median}, "x"));
  }
  distrust_unsure(verdict, std::array{usual, found});
  return verdict;
}

std::string why_not(const Place& place) {
  return place.shapes.empty() ? "This device has no kernel with several shapes." : "";
}

}  // namespace

extern constinit const Lab autotune_lab{
    .name = "autotune",
    .title = "Autotuning",
    .group = "Compute",
    .question = "What does it bring to search the fastest shape of a kernel, and when does it pay?",
    .about =
        "A kernel can be built and launched in many shapes: how many chains each thread has, how "
        "far a loop is unrolled, how wide its registers are. All shapes of one kernel are tried, "
        "each briefly; the faster half is tried again, and so on, until one is left. The median of "
        "its trials so far ranks a shape. Each dot is a trial. A trial is short, so that dots of "
        "one shape differ from round to round; the last one and the default are measured to the "
        "end. The search pays once the time that it took has been saved.",
    .needs =
        "Every shape of fp32 FMA on vector units, or of bf16 products on matrix units, and the "
        "default and the fastest one to the end. The verdict compares these two.",
    .claim = {"A search on the machine itself finds a faster kernel than a fixed choice.",
              "Whaley, Petitet, Dongarra: Automated empirical optimizations of software and the "
              "ATLAS project"},
    .knobs = {tuned},
    .why_not = why_not,
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 6,
};

}  // namespace engine
