// The lab `eager`: a list of small operators as single launches, as a graph and fused, and how much
// of the time the device works.
#include "kernels/families/eager/eager.hpp"

#include <fmt/format.h>

#include <array>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/session/session_file.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

using kernels::Family;
using kernels::Form;

constexpr std::array forms{Form::single, Form::graph, Form::fused};
constexpr LabKnob rows = LabKnob::number("rows", "Rows of the matrix.", "16", 1, 1024);
constexpr LabKnob width =
    LabKnob::number("columns", "Columns of the matrix.", "64", kernels::width_granule, 1024);
constexpr LabKnob layers =
    LabKnob::number("layers", "Layers: a matmul and four pointwise operators each.", "20", 1, 64);
/// A matmul that takes a GPU about as long as a launch, some us.
constexpr std::uint64_t rows_of_gpu = 256, width_of_gpu = 256;
/// Faster by this much: what the claim needs.
constexpr double faster = 1.2;
/// Products of one run, and of one of its rows, which a check goes through one by one.
constexpr std::uint64_t most_products = std::uint64_t{1} << 30,
                        most_of_a_row = std::uint64_t{1} << 23;

Plan plan(const Spec& spec, const Place& place, const Results&) {
  const std::uint64_t columns = number_on(place, spec, width, width_of_gpu);
  if (columns % kernels::width_granule != 0)
    throw BadInput(fmt::format("--columns {} is no multiple of {}: choose {}", columns,
                               kernels::width_granule,
                               columns / kernels::width_granule * kernels::width_granule));
  const std::uint64_t many = number_of(spec, layers);
  const std::uint64_t of_a_row = many * columns * columns;
  if (of_a_row > most_of_a_row)
    throw BadInput(
        fmt::format("--layers {} of --columns {} are more than a check can follow: choose fewer",
                    many, columns));
  const std::uint64_t of_matrix = number_on(place, spec, rows, rows_of_gpu);
  if (of_a_row * of_matrix > most_products)
    throw BadInput(
        fmt::format("--rows {} are too many for {} layers of {} columns: choose at most {}",
                    of_matrix, many, columns, most_products / of_a_row));
  Plan plan;
  for (const Form form : forms)
    plan.asks.push_back({kernels::eager_case(form, of_matrix, columns, many)});
  return plan;
}

// ---- the points

const Point* find(const Results& results, Form form) {
  return last_measured(results.points, [&](const kernels::Case& what) {
    return what.family == Family::eager && kernels::form_of(what) == form;
  });
}

/// Of the time, in a run whose launches were watched.
std::optional<Interval> works(const Point& point) {
  const std::optional<double> share = told(point, kernels::device_works);
  return share ? std::optional(Interval{*share}) : std::nullopt;
}

std::optional<Interval> share_of_peak(const Session& session, const Point& point) {
  const Roof* const roof =
      compute_roof(session, point.what.dtype, point.what.units, RoofSource::measured);
  if (roof == nullptr) return std::nullopt;
  return quotient(Interval{point.work.flops / roof->rate}, time_of(point));
}

// ---- the charts

/// "single", "graph", "fused".
constexpr Label form_label{"form", [](const Row& row, std::string_view) {
                             return kernels::text_of(row.point.what.family->axes.front(),
                                                     row.point.what.more[0]);
                           }};

std::vector<Chart> charts(const Results&) {
  Chart lanes{.id = "eager", .title = "Who works when", .kind = Kind::lanes};
  lanes.series = form_label;
  const Chart time = chart_of("eager-time", "Runtime of all operators", form_label,
                              metrics::runtime, labels::family);
  const Metric share =
      metric_of("device works", "Device works", "%",
                [](const Row& row, std::string_view) { return works(row.point); }, {0.01, 1});
  return {lanes, time,
          chart_like(time, "eager-works", "Share of the time in which the device works", share)};
}

// ---- the verdict

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Point *single = find(results, Form::single), *graph = find(results, Form::graph),
              *fused = find(results, Form::fused);
  if (single == nullptr || graph == nullptr || fused == nullptr)
    return cannot_say("Measure the operators as single launches, as a graph and fused.");
  for (const Point* point : {single, graph, fused}) {
    const std::string_view words = kernels::words_of(kernels::form_of(point->what));
    verdict.inform(fmt::format("all operators {}", words), time_of(*point), "s");
    if (const auto share = works(*point))
      verdict.inform(fmt::format("the device works, {}", words), share, "%");
    if (const auto share = share_of_peak(results.session, *point))
      verdict.inform(fmt::format("of the arithmetic roof, {}", words), share, "%.2");
  }
  const Interval by_graph = times_as_long(*single, *graph),
                 by_fusion = times_as_long(*single, *fused);
  verdict.judge("a graph is faster by", {}, by_graph, "x", faster);
  verdict.judge("fusion is faster by", {}, by_fusion, "x", faster);
  verdict.says = conclude(verdict.rows);
  const std::string times = fmt::format("as a graph they are {} as fast, fused {}",
                                        text_of(Interval{by_graph.median}, "x"),
                                        text_of(Interval{by_fusion.median}, "x"));
  const auto share = works(*single);
  verdict.headline =
      share ? fmt::format(
                  "The device works {} of the time while operators are launched one by one; {}.",
                  text_of(share, "%"), times)
            : fmt::format("Against operators that are launched one by one: {}.", times);
  distrust_unsure(verdict, std::array{single, graph, fused});
  return verdict;
}

}  // namespace

extern constinit const Lab eager_lab{
    .name = "eager",
    .title = "Eager operators",
    .group = "Overhead",
    .question =
        "How much of the time does the device work, and how much does it wait for the host?",
    .about =
        "Layers of a small model, 20 by default: a matmul, a bias, a relu, a scale and a residual "
        "each. As single launches, each operator is started by itself, as frameworks do in eager "
        "mode. As a graph, the same kernels are started together: on a GPU as a CUDA graph, on a "
        "CPU in one parallel region whose threads wait for each other. Fused, a layer is one "
        "kernel. The lanes show the host and the device in a run that is watched; its gaps are the "
        "time in which the device waits. On a GPU kernels note the time themselves, and the two "
        "clocks agree within some us. GPU-Util of nvidia-smi only tells how much of the time any "
        "kernel ran: a device that works all the time can still be far below its roof.",
    .needs =
        "The three forms of the same operators. The verdict compares the graph and the fused "
        "layers with the single launches; how much of the time the device works informs.",
    .claim = {"Small operators leave the device waiting for the host; a graph or fusion takes most "
              "of the launches away, and the waiting with them.",
              "Making Deep Learning Go Brrrr, Overhead"},
    .knobs = {rows, width, layers},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 6,
};

}  // namespace engine
