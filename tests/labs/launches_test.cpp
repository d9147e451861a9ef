// The lab `launches`: its verdict on devices whose starts cost what a test decides.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "engine/session/session_file.hpp"
#include "kernels/families/interpreter/interpreter.hpp"
#include "kernels/families/steps/steps.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using kernels::Family;
using kernels::Start;
using test::Made;
using test::row;
using tests::contains;

namespace {

/// Seconds of one step by how it is started, and of one addition in Python; 0: not measured.
using Costs = std::map<Start, double>;

Made measured(const Costs& steps, double python, bool gpu = false) {
  const std::vector<kernels::Kernel> kernels{{.family = Family::steps, .op = kernels::Op::add}};
  const auto seconds = [&](Point& point) {
    const auto repeat = static_cast<double>(point.what.repeat);
    if (point.what.family == Family::interpreter)
      return point.what.dtype == kernels::Dtype::fp64 ? python * repeat : 0;
    const Start start = kernels::start_of(point.what, "");
    if (start == Start::stream || start == Start::queue)
      kernels::note_queue(0.25 * repeat * steps.at(start), repeat * steps.at(start), point.values,
                          point.spans);
    return steps.contains(start) ? repeat * steps.at(start) : 0;
  };
  Made made("launches", seconds, gpu ? kernels : std::vector<kernels::Kernel>{});
  Roof roof;
  roof.name = "fp32 FMA";
  roof.dtype = kernels::Dtype::fp32;
  roof.rate = 6e13;
  made.session.roofs = {roof};
  return made;
}

bool has_row(const LabVerdict& verdict, std::string_view what) {
  return std::ranges::any_of(verdict.rows,
                             [&](const VerdictRow& one) { return contains(one.what, what); });
}

// An H200 by PyTorch, beside which nothing of ours was measured.
const Costs like_h200{{Start::stream, 3.2e-6},
                      {Start::wait, 9e-6},
                      {Start::graph, 0.5e-6},
                      {Start::dependent, 2.45e-6},
                      {Start::persistent, 0.9e-6}};
const Costs like_server{
    {Start::call, 8e-9}, {Start::loop, 0.6e-6}, {Start::wake, 20e-6}, {Start::queue, 0.3e-6}};

}  // namespace

TEST_CASE("launches: a GPU is asked for five ways of starting steps, a CPU for four") {
  const auto starts_of = [](bool gpu) {
    std::vector<Start> starts;
    for (const Point& point : measured(gpu ? like_h200 : like_server, 0, gpu).session.points)
      starts.push_back(kernels::start_of(point.what, ""));
    return starts;
  };
  CHECK(starts_of(true) ==
        std::vector{Start::stream, Start::wait, Start::graph, Start::dependent, Start::persistent});
  CHECK(starts_of(false) == std::vector{Start::call, Start::loop, Start::wake, Start::queue});
}

TEST_CASE("launches: the claim holds where a graph takes less than half of what a stream takes") {
  const LabVerdict verdict = measured(like_h200, 150e-9, true).verdict();
  CHECK(verdict.says == Says::holds);
  CHECK(verdict.headline ==
        "A step costs 3.20 µs in a stream and 500 ns in a CUDA graph; in the time of the first, "
        "fp32 FMA arithmetic could have done 192 MFLOP.");
  CHECK(row(verdict, "in a CUDA graph is cheaper").here->median == doctest::Approx(6.4));
  CHECK(row(verdict, "queued all launches").here->median == doctest::Approx(0.25));
  CHECK(row(verdict, "with dependent launches").here->median == doctest::Approx(2.45e-6));
  const VerdictRow& python = row(verdict, "arithmetic in the time of one of them");
  CHECK(python.claimed->median == 9.75e6);
  CHECK(python.here->median == doctest::Approx(150e-9 * 6e13));
  CHECK(python.says == Says::not_yet);  // of an A100: it informs
}

TEST_CASE("launches: the claim does not hold where a graph takes as long as a stream") {
  Costs costs = like_h200;
  costs[Start::graph] = 3e-6;
  const LabVerdict verdict = measured(costs, 0, true).verdict();
  CHECK(verdict.says == Says::differs);
  CHECK(verdict.headline == "A step costs 3.20 µs in a stream and 3.00 µs in a CUDA graph.");
}

TEST_CASE("launches: without Python its rows are missing and the verdict is the same") {
  const LabVerdict with = measured(like_server, 30e-9).verdict();
  const LabVerdict without = measured(like_server, 0).verdict();
  CHECK(with.says == Says::holds);
  CHECK(without.says == Says::holds);
  CHECK(with.headline == without.headline);
  CHECK(has_row(with, "Python"));
  CHECK_FALSE(has_row(without, "Python"));
  CHECK(has_row(without, "queued all tasks"));
}

TEST_CASE("launches: a session reads as it was written, rows without a time among them") {
  Session session = measured(like_server, 30e-9).session;
  Point missing = session.points.back();
  missing.status = Status::skipped;
  missing.why = "there is no python3 on PATH";
  missing.what = kernels::interpreter_case(kernels::Interpreter::pytorch, 4096);
  missing.work = kernels::work_of(missing.what);
  missing.seconds = {};
  session.points.push_back(missing);
  const std::string text = to_json(session);
  CHECK(to_json(from_json(text, "the session")) == text);
}

TEST_CASE("launches: without one of the two that are compared there is no verdict") {
  Costs costs = like_h200;
  costs.erase(Start::graph);
  const LabVerdict verdict = measured(costs, 30e-9, true).verdict();
  CHECK(verdict.says == Says::cannot_say);
  CHECK(contains(verdict.headline, "Measure steps in a stream and in a graph"));
}
