// The lab `rematerialize`: its verdict on results that are made up, and what it refuses.
#include <doctest/doctest.h>

#include <algorithm>

#include "engine/session/session_file.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using engine::Says;
using kernels::Activations;
using test::Made;
using tests::contains;

namespace {

constexpr double memory = 2e10, peak = 1e12;

double by_memory(Point& point) { return point.work.bytes / memory; }
double by_arithmetic(Point& point) { return point.work.flops / peak; }

const VerdictRow& row_with(const LabVerdict& verdict, std::string_view words) {
  const auto found = std::ranges::find_if(
      verdict.rows, [&](const VerdictRow& row) { return contains(row.what, words); });
  REQUIRE(found != verdict.rows.end());
  return *found;
}

}  // namespace

TEST_CASE("rematerialize: recomputing is faster, slower, or was not measured") {
  const LabVerdict verdict = Made("rematerialize", by_memory).verdict();
  CHECK(verdict.says == Says::holds);
  // 4 results, a gradient, the input and its gradient, against one result and these.
  CHECK(row_with(verdict, "memory, kept").here->median == doctest::Approx(7.0 / 4));
  CHECK(row_with(verdict, "4 x mul, time, kept").what.ends_with("(bytes: 2.2x)"));
  CHECK(row_with(verdict, "4 x mul, time, kept").says == Says::holds);
  CHECK(row_with(verdict, "4 x silu, time, kept").says == Says::not_yet);
  CHECK(row_with(verdict, "4 x mul, time, kept").here->median == doctest::Approx(11.0 / 5));
  CHECK(row_with(verdict, "4 x mul, time, unfused").here->median == doctest::Approx(4));
  CHECK(contains(verdict.headline, "4 x silu 2.20x."));

  const LabVerdict slower = Made("rematerialize", by_arithmetic).verdict();
  CHECK(slower.says == Says::differs);
  REQUIRE(slower.advice.size() == 1);
  CHECK(contains(slower.advice.front(), "Keep the activations of silu"));
  CHECK(row_with(slower, "4 x mul, time, kept").here->median == doctest::Approx(8.0 / 11));

  const auto alike = [](Point&) { return 1e-2; };
  CHECK(Made("rematerialize", alike).verdict().says == Says::cannot_say);
  const auto never_recomputed = [](Point& point) {
    const bool again = activations_of(point.what) == Activations::recomputed;
    return again ? 0 : by_memory(point);
  };
  CHECK(Made("rematerialize", never_recomputed).verdict().says == Says::cannot_say);
}

TEST_CASE("rematerialize: the longest chain that is complete decides, and disturbed ones do not") {
  const auto short_ones = [](Point& point) {
    const bool missing =
        kernels::operators_of(point.what) == 4 && point.what.fusion == kernels::Fusion::unfused;
    return missing ? 0 : by_memory(point);
  };
  CHECK(contains(Made("rematerialize", short_ones).verdict().headline, "2 x mul runs"));
  Made made("rematerialize", by_memory);
  for (Point& point : made.session.points) point.disturbed = true;
  CHECK(made.verdict().says == Says::cannot_say);
}

TEST_CASE("rematerialize: every case has a kernel that refuses it not, in whole registers") {
  for (const Point& point : Made("rematerialize", by_memory).session.points) {
    CAPTURE(describe(point.what));
    CHECK(refusal_of(point.what).empty());
    CHECK(point.what.elements % kernels::backward_granule == 0);
  }
}

TEST_CASE("rematerialize: unknown operators, too many of them and long chains are refused") {
  Spec spec;
  spec.lab = "rematerialize";
  CHECK_THROWS_AS(set_knob(spec, "operators", "mul,sine"), BadInput);
  CHECK_THROWS_AS(set_knob(spec, "operators", ""), BadInput);
  CHECK_THROWS_AS(set_knob(spec, "operators",
                           "mul,mul,mul,mul,mul,mul,mul,mul,mul,mul,mul,mul,mul,mul,mul,mul,mul"),
                  BadInput);
  CHECK_THROWS_AS(set_knob(spec, "lengths", "17"), BadInput);
  CHECK_THROWS_AS(set_knob(spec, "lengths", "0"), BadInput);
  set_knob(spec, "operators", "gelu-tanh");
  const Session session;
  const Plan plan = find_lab("rematerialize")->plan(spec, {{}, {}, 64e9}, {spec, session, {}});
  CHECK(plan.asks.size() == 9);
}
