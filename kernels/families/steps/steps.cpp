// `steps`: each element becomes its neighbour plus one, again and again, so that no step can begin
// before the one before it has ended. What is measured is what it costs to start a step.
#include "kernels/families/steps/steps.hpp"

#include <array>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::add};
constexpr std::array<std::string_view, 9> starts{
    "stream", "wait", "graph", "dependent", "persistent", "call", "loop", "wake", "queue"};
constexpr std::array axes{
    AxisInfo{"start", "", "How each step is started.", 1, starts.size(), 1, starts}};

bool is_one_kernel(const Case& c) {
  return c.more[0] == static_cast<std::uint64_t>(Start::persistent);
}

/// N additions a step; each step reads and writes all elements.
Work work(const Case& c) {
  const double all = static_cast<double>(c.elements) * static_cast<double>(c.repeat);
  return {.flops = all,
          .bytes = 2 * static_cast<double>(size_of(c.dtype)) * all,
          .launches = is_one_kernel(c) ? 1 : static_cast<double>(c.repeat)};
}

/// Input, and the results of two steps.
double footprint(const Case& c) { return 3 * tensor_bytes(c); }

Bounds bounds(const Case& c) { return {{{c.dtype, c.units, Op::fma, 0.5}}}; }

std::string refuse(const Case& c) {
  return c.dtype == Dtype::fp32 ? "" : "steps run in fp32: choose fp32";
}

/// fp32 rounds each addition; all elements are compared.
Check check(Checkable& steps, const std::stop_token& stop) {
  const Case& c = steps.timed();
  const auto judge = [&](std::uint64_t i, double got) -> Check {
    auto expected = static_cast<float>(steps.input(0, (i + c.repeat) % c.elements));
    for (std::uint64_t step = 0; step < c.repeat; ++step) expected += 1;
    if (got == static_cast<double>(expected)) return {.ok = true};
    return {false, mismatch(i, c.elements, static_cast<double>(expected), got)};
  };
  return compare(steps, steps.run_poisoned(c, {}, stop), {0, c.elements}, samples_for(c.repeat),
                 stop, judge);
}

}  // namespace

Start start_of(const Case& c, std::string_view kind) {
  if (c.more[0] != 0) return static_cast<Start>(c.more[0]);
  return kind == "cpu" ? Start::loop : Start::stream;
}

Case steps_case(Start start, std::uint64_t elements, std::uint64_t steps) {
  return {.family = Family::steps,
          .ops = Op::add,
          .elements = elements,
          .repeat = steps,
          .more = {static_cast<std::uint64_t>(start)}};
}

std::string_view words_of(Start start) {
  constexpr std::array<std::string_view, starts.size()> words{
      "in a stream",          "with a wait after each",
      "in a CUDA graph",      "with dependent launches",
      "in one kernel",        "by a function call",
      "in a parallel loop",   "with woken threads",
      "from a queue of tasks"};
  return word_at(words, static_cast<std::uint64_t>(start));
}

void note_queue(double queued, double all, std::vector<Value>& values, std::vector<Span>& spans) {
  values = {{"time to queue", queued}};
  spans = {{"host", "queues", 0, queued}, {"host", "is free", queued, all}};
}

extern const FamilyInfo steps_family{
    .name = "steps",
    .help = "small steps that depend on each other",
    .ops = ops,
    .for_labs = true,
    .limit = Limit::overhead,
    .step = "step",
    .steps = "steps",
    .axes = axes,
    .work = work,
    .footprint = footprint,
    .bounds = bounds,
    .refuse = refuse,
    .tag = [](const Case&) { return std::string("step"); },
    .check = on_random<check>,
};

}  // namespace kernels
