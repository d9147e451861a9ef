// The lab `launches`: what it costs to start a small step in each of the ways that a device has,
// beside what Python and PyTorch take for one operation.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/interpreter/interpreter.hpp"
#include "kernels/families/steps/steps.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Family;
using kernels::Interpreter;
using kernels::Start;

constexpr std::array on_gpu{Start::stream, Start::wait, Start::graph, Start::dependent,
                            Start::persistent};
constexpr std::array on_cpu{Start::call, Start::loop, Start::wake, Start::queue};

/// Below the about 1000 launches that a stream takes before it makes the host wait.
constexpr LabKnob steps =
    LabKnob::number("steps", "Steps of one run.", "256", 2, kernels::max_repeat);
constexpr std::uint64_t additions = kernels::max_repeat;
/// One warp on each multiprocessor; one cache line of fp32 on each core.
constexpr std::uint64_t elements_per_multiprocessor = 32, elements_per_core = 16;
/// Far less: the cheapest way of starting steps against the usual one.
constexpr double far_less = 2;

// "Making Deep Learning Go Brrrr From First Principles", Overhead: of an A100, of Python and of
// PyTorch on its author's machine.
constexpr double claimed_additions = 32e6, claimed_operations = 280e3, claimed_flop = 9.75e6;

Plan plan(const Spec& spec, const Place& place, const Results&) {
  const bool gpu = place.info.kind != "cpu";
  const std::uint64_t of_run = number_of(spec, steps);
  const auto of_all = static_cast<std::uint64_t>(std::max(place.info.multiprocessors, 1));
  const auto elements_of = [&](Start start) {
    // One thread does all of a step.
    if (start == Start::call || start == Start::queue) return elements_per_core;
    return of_all * (gpu ? elements_per_multiprocessor : elements_per_core);
  };
  Plan plan;
  const auto ask = [&](std::span<const Start> starts) {
    for (const Start start : starts)
      plan.asks.push_back({kernels::steps_case(start, elements_of(start), of_run)});
  };
  gpu ? ask(on_gpu) : ask(on_cpu);
  for (const Interpreter program : {Interpreter::python, Interpreter::pytorch})
    plan.asks.push_back({kernels::interpreter_case(program, additions)});
  return plan;
}

// ---- the points

bool interprets(const kernels::Case& what, Interpreter program) {
  return what.family == Family::interpreter && what.more[0] == static_cast<std::uint64_t>(program);
}

const Point* find(const Results& results, Start start) {
  return last_measured(results.points, [&](const kernels::Case& what) {
    return what.family == Family::steps && kernels::start_of(what, "") == start;
  });
}
const Point* find(const Results& results, Interpreter program) {
  return last_measured(results.points,
                       [&](const kernels::Case& what) { return interprets(what, program); });
}

/// Seconds of one step or addition.
Interval each(const Point& point) {
  return quotient(time_of(point), Interval{static_cast<double>(point.what.repeat)});
}

std::string_view words_of_start(const Point& point) {
  return kernels::words_of(kernels::start_of(point.what, ""));
}

/// "graph", "PyTorch".
std::string word_of_point(const Point& point) {
  if (interprets(point.what, Interpreter::python)) return "Python";
  if (interprets(point.what, Interpreter::pytorch)) return "PyTorch";
  return kernels::text_of(point.what.family->axes.front(), point.what.more[0]);
}

/// The fastest measured floating-point arithmetic of the device; null: none was measured.
const Roof* fastest(const Session& session) {
  const Roof* found = nullptr;
  for (const Roof& roof : session.roofs) {
    const bool counts = roof.kind == RoofKind::compute && roof.source == RoofSource::measured &&
                        roof.dtype && !info_of(*roof.dtype).integer &&
                        roof.data == kernels::Data::random;
    if (counts && (found == nullptr || roof.rate > found->rate)) found = &roof;
  }
  return found;
}

/// What arithmetic at a roof does in a time.
Interval flop_in(const Interval& seconds, const Roof& roof) {
  return quotient(seconds, Interval{1 / roof.rate});
}

// ---- the charts

std::optional<Interval> time_of_each(const Row& row, std::string_view) { return each(row.point); }

std::optional<Interval> flop_meanwhile(const Row& row, std::string_view) {
  const Roof* roof = fastest(row.session);
  if (roof == nullptr) return std::nullopt;
  return flop_in(each(row.point), *roof);
}

constexpr Label way{"way",
                    [](const Row& row, std::string_view) { return word_of_point(row.point); }};

std::vector<Chart> charts(const Results&) {
  const Metric time =
      metric_of("time of a step", "Time of one step or addition", "s", time_of_each, {1e-9, 1e-4});
  const Metric flop = metric_of("FLOP meanwhile", "FLOP in the time of one step", "FLOP",
                                flop_meanwhile, {1e2, 1e9});
  Chart host{.id = "launches-host", .title = "How far the host runs ahead", .kind = Kind::lanes};
  host.series = way;
  host.empty = "No steps that the host queues ahead: run the lab.";
  return {chart_of("launches", "What starting one step costs", way, time, labels::family),
          chart_of("launches-flop", "FLOP possible meanwhile", way, flop, labels::family), host};
}

// ---- the verdict

void add_interpreters(const Results& results, const Roof* roof, LabVerdict& verdict) {
  const auto rate = [](const Point& point) { return quotient(Interval{1}, each(point)); };
  if (const Point* python = find(results, Interpreter::python)) {
    verdict.rows.push_back(
        {"additions in Python, each second", Interval{claimed_additions}, rate(*python), ""});
    if (roof != nullptr)
      verdict.rows.push_back({fmt::format("{} arithmetic in the time of one of them", roof->name),
                              Interval{claimed_flop}, flop_in(each(*python), *roof), "FLOP"});
  }
  if (const Point* torch = find(results, Interpreter::pytorch))
    verdict.rows.push_back(
        {fmt::format("tiny operations in PyTorch, each second ({})", torch->note),
         Interval{claimed_operations}, rate(*torch), ""});
}

/// How far the host runs ahead.
void add_lead(const Point& usual, std::string_view what, LabVerdict& verdict) {
  const std::optional<double> queued = told(usual, "time to queue");
  if (!queued || !(usual.seconds.median > 0)) return;
  verdict.inform(fmt::format("the host has queued all {} after", what),
                 Interval{*queued / usual.seconds.median}, "%");
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const bool gpu = find(results, Start::stream) != nullptr;
  const Point* usual = find(results, gpu ? Start::stream : Start::wake);
  const Point* cheap = find(results, gpu ? Start::graph : Start::call);
  if (usual == nullptr || cheap == nullptr)
    return cannot_say(
        "Measure steps in a stream and in a graph, on a CPU woken threads and a function call.");
  const Roof* roof = fastest(results.session);
  for (const Point* point : results.points)
    if (point->status == Status::ok && point->what.family == Family::steps)
      verdict.inform(fmt::format("a step {}", words_of_start(*point)), each(*point), "s");
  verdict.judge(fmt::format("a step {} is cheaper by", words_of_start(*cheap)), {},
                times_as_long(*usual, *cheap), "x", far_less);
  if (const Point* queued = gpu ? usual : find(results, Start::queue))
    add_lead(*queued, gpu ? "launches" : "tasks", verdict);
  const double seconds = each(*usual).median;
  if (roof != nullptr)
    verdict.inform(
        fmt::format("{} arithmetic in the time of a step {}", roof->name, words_of_start(*usual)),
        flop_in(each(*usual), *roof), "FLOP");
  add_interpreters(results, roof, verdict);
  verdict.says = conclude(verdict.rows);
  verdict.headline =
      fmt::format("A step costs {} {} and {} {}", units::seconds(seconds), words_of_start(*usual),
                  units::seconds(each(*cheap).median), words_of_start(*cheap));
  if (verdict.says == Says::holds && roof != nullptr)
    verdict.headline += fmt::format("; in the time of the first, {} arithmetic could have done {}",
                                    roof->name, units::flops(seconds * roof->rate));
  verdict.headline += ".";
  distrust_unsure(verdict, std::array{usual, cheap});
  return verdict;
}

}  // namespace

extern constinit const Lab launches_lab{
    .name = "launches",
    .title = "Launches",
    .group = "Overhead",
    .question = "What does it cost to start a small piece of work?",
    .about =
        "Each step adds one to what its neighbour was in the step before, so no step can begin "
        "before the last one has ended; the additions themselves take next to nothing. On a GPU "
        "the steps are kernels: queued in a stream, with a wait after each, replayed as a CUDA "
        "graph, launched before the one before has ended (programmatic dependent launch), or all "
        "in one kernel whose blocks wait for each other. On a CPU: a function call, a parallel "
        "loop of threads that spin, threads that sleep and are woken, and a queue of tasks. "
        "Beside them: one addition in Python and one of tiny tensors in PyTorch, where the "
        "python3 on PATH has them. The third chart shows when the host has queued its steps and "
        "is free to do something else.",
    .needs =
        "Five ways of starting 256 steps on a GPU, four on a CPU. The verdict compares the graph "
        "with the stream, on a CPU the function call with woken threads. Python and PyTorch "
        "inform: where they are missing, or give no answer in time, their rows are missing.",
    .claim = {"Overhead comes from being free to do something else at each step; CUDA Graphs give "
              "that up, and the overhead with it.",
              "Making Deep Learning Go Brrrr, Overhead"},
    .knobs = {steps},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 8,
};

}  // namespace engine
