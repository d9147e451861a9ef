// The lab `bert`: which operators make up a layer, and its verdict on results that are made up.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "engine/labs/parts/bert_layer.hpp"
#include "engine/session/session_file.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using bert::Class;
using bert::Layer;
using engine::Says;
using test::Made;
using tests::contains;

namespace {

constexpr double peak = 3e12, memory = 2e10;

bool is_product(const kernels::Case& what) { return what.family == kernels::Family::matmul; }

/// Products at the peak, all else as fast as memory.
double at_roofs(Point& point) {
  return is_product(point.what) ? point.work.flops / peak : point.work.bytes / memory;
}

double flops_of(const Layer& layer, Class one) {
  double sum = 0;
  for (const bert::Operator& op : operators_of(layer))
    if (bert::class_of(op.what) == one) sum += op.times * bert::plain_flops(op.what);
  return sum;
}

const VerdictRow& row_with(const LabVerdict& verdict, std::string_view words) {
  const auto found = std::ranges::find_if(
      verdict.rows, [&](const VerdictRow& row) { return contains(row.what, words); });
  REQUIRE(found != verdict.rows.end());
  return *found;
}

Plan plan_of(const Spec& spec, double free_bytes = 64e9) {
  const Session session;
  return find_lab("bert")->plan(spec, {{}, {}, free_bytes}, {spec, session, {}});
}

Spec spec_with(std::string_view knob, std::string_view text) {
  Spec spec;
  spec.lab = "bert";
  set_knob(spec, knob, text);
  return spec;
}

}  // namespace

TEST_CASE("bert: a layer has no operator twice, and its kernels refuse none of them") {
  for (const bool backward : {false, true}) {
    for (const bool fused : {false, true}) {
      const Layer layer{.batch = 2, .sequence = 128, .backward = backward, .fused = fused};
      const auto list = operators_of(layer);
      for (std::size_t i = 0; i < list.size(); ++i) {
        CAPTURE(list[i].name);
        CHECK(refusal_of(list[i].what).empty());
        CHECK(std::ranges::count(list, list[i].what, &bert::Operator::what) == 1);
        CHECK(std::ranges::count(list, list[i].name, &bert::Operator::name) == 1);
      }
    }
  }
}

TEST_CASE("bert: contractions do 24 D^2 + 4 S D FLOP per token, and twice as many backward") {
  Layer layer{.width = 1024, .batch = 3, .sequence = 512};
  const double per_token = 24.0 * 1024 * 1024 + 4.0 * 512 * 1024;
  CHECK(flops_of(layer, Class::contraction) == doctest::Approx(3 * 512 * per_token));
  layer.backward = true;
  CHECK(flops_of(layer, Class::contraction) == doctest::Approx(3 * 3 * 512 * per_token));
}

TEST_CASE("bert: shares of FLOP are about the published ones, fused or not") {
  for (const bool fused : {false, true}) {
    const Layer layer{.width = 1024, .batch = 8, .sequence = 512, .backward = true, .fused = fused};
    double all = 0;
    for (const Class one : bert::classes) all += flops_of(layer, one);
    CHECK(flops_of(layer, Class::contraction) / all == doctest::Approx(0.998).epsilon(0.002));
    CHECK(flops_of(layer, Class::normalization) / all == doctest::Approx(0.0013).epsilon(0.4));
    CHECK(flops_of(layer, Class::element_wise) / all < 0.002);
  }
}

TEST_CASE("bert: operators beside the products are slow, as fast as these, or were not measured") {
  const Made made("bert", at_roofs);
  const LabVerdict verdict = made.verdict();
  CHECK(verdict.says == Says::holds);
  CHECK(row_with(verdict, "contraction, of the FLOP").claimed->median == 0.998);
  CHECK(row_with(verdict, "contraction, of the FLOP").here->median > 0.995);
  // softmax and layernorm: 5 or 6 FLOP for 8 byte at 20 GB/s.
  CHECK(row_with(verdict, "normalization, times less").here->median > peak / 15e9);
  CHECK(row_with(verdict, "normalization, times less").here->median < peak / 12.5e9);
  CHECK(row_with(verdict, "element-wise, times less").here->median > 200);
  double shares = 0;
  for (const VerdictRow& row : verdict.rows)
    if (contains(row.what, "of the runtime") && !contains(row.what, "library"))
      shares += row.here->median;
  CHECK(shares == doctest::Approx(1));

  CHECK(verdict.advice.size() == 1);
  const auto warm = [](Point& point) {
    point.cold = false;
    return at_roofs(point);
  };
  CHECK(contains(Made("bert", warm).verdict().advice.front(), "larger batch"));

  const auto alike = [](Point& point) { return bert::plain_flops(point.what) / peak; };
  CHECK(Made("bert", alike).verdict().says == Says::differs);
  const auto near_border = [](Point& point) {
    const Class one = bert::class_of(point.what);
    const double less = one == Class::contraction ? 1 : one == Class::normalization ? 125 : 1000;
    return bert::plain_flops(point.what) / peak * less;
  };
  CHECK(Made("bert", near_border).verdict().says == Says::cannot_say);
  CHECK(contains(Made("bert", near_border).verdict().headline, "scatter too much"));
  const auto no_softmax = [](Point& point) {
    return point.what.op() == kernels::Op::softmax ? 0 : at_roofs(point);
  };
  CHECK(Made("bert", no_softmax).verdict().says == Says::cannot_say);
  CHECK(Made("bert", [](Point&) { return 0; }).verdict().says == Says::cannot_say);
}

TEST_CASE("bert: an operator counts as often as it runs, contractions of a library beside ours") {
  const auto one_ms = [](Point& point) {
    return point.what.by == kernels::By::library ? 2e-3 : 1e-3;
  };
  const LabVerdict verdict = Made("bert", one_ms).verdict();
  double runs = 0, products = 0;
  for (const bert::Operator& op : bert::operators_of({.batch = 8, .sequence = 128})) {
    runs += op.times;
    if (is_product(op.what)) products += op.times;
  }
  CHECK(row_with(verdict, "the layer").here->median == doctest::Approx(runs * 1e-3));
  CHECK(row_with(verdict, "contractions by the library, of").here->median ==
        doctest::Approx(2 * products / (runs + products)));
  const auto ours = [](Point& point) {
    return point.what.by == kernels::By::library ? 0 : at_roofs(point);
  };
  const LabVerdict alone = Made("bert", ours).verdict();
  CHECK(alone.says == Says::holds);
  CHECK(std::ranges::none_of(alone.rows,
                             [](const VerdictRow& row) { return contains(row.what, "library"); }));
}

TEST_CASE("bert: disturbed points make the verdict unsure") {
  Made made("bert", at_roofs);
  for (Point& point : made.session.points) point.disturbed = true;
  CHECK(made.verdict().says == Says::cannot_say);
}

TEST_CASE("bert: knobs decide the layer, and the run tells which it was") {
  Spec spec = spec_with("model", "large");
  set_knob(spec, "fused", "on");
  set_knob(spec, "pass", "both");
  set_knob(spec, "batch", "3");
  set_knob(spec, "sequence", "192");
  const Layer layer{.width = 1024, .batch = 3, .sequence = 192, .backward = true, .fused = true};
  const std::vector<Ask> asks = plan_of(spec).asks;
  for (const bert::Operator& one : operators_of(layer))
    CHECK(std::ranges::count(asks, one.what, &Ask::what) == 1);
  Made made("bert", at_roofs, {}, spec);
  const LabVerdict then = made.verdict();
  CHECK(then.says != Says::cannot_say);
  made.session.runs.clear();
  CHECK(made.verdict().says == Says::cannot_say);  // of the usual layer nothing was measured
  made.session.runs = runs_told_by(made.session);  // as of an older file
  CHECK(made.verdict().headline == then.headline);
}

TEST_CASE("bert: layers that cannot be computed are refused with what to choose") {
  const auto why = [](const Spec& spec, double free_bytes = 64e9) -> std::string {
    try {
      plan_of(spec, free_bytes);
    } catch (const BadInput& reason) {
      return reason.what();
    }
    return "";
  };
  CHECK(why(spec_with("batch", "8")).empty());
  CHECK(contains(why(spec_with("dtype", "fp32,fp64")), "one element type"));
  CHECK(contains(why(spec_with("units", "both")), "vector or matrix"));
  CHECK(contains(why(spec_with("sequence", "100")), "a multiple of 64"));
  CHECK(contains(why(spec_with("sequence", "65536")), "smaller --batch or --sequence"));
  CHECK(contains(why(spec_with("batch", "4096")), "choose a smaller --batch"));
  CHECK(contains(why(spec_with("batch", "8"), 1e6), " are free; choose a smaller"));
  CHECK_THROWS_AS(set_knob(*std::make_unique<Spec>(), "model", "huge"), BadInput);
  CHECK_THROWS_AS(spec_with("batch", "99999999999999999999"), BadInput);
}

TEST_CASE("bert: element types and units that only the products have are refused with what lacks") {
  Place place;
  place.free_bytes = 64e9;
  for (const bert::Operator& one : bert::operators_of({}))
    place.kernels.push_back({.family = one.what.family, .op = one.what.op()});
  for (const kernels::Units units : {kernels::Units::vector, kernels::Units::matrix})
    place.kernels.push_back({.family = kernels::Family::matmul,
                             .op = kernels::Op::mma,
                             .dtype = kernels::Dtype::bf16,
                             .units = units});
  const auto why = [&](const Spec& spec) -> std::string {
    const Session session;
    try {
      find_lab("bert")->plan(spec, place, {spec, session, {}});
    } catch (const BadInput& reason) {
      return reason.what();
    }
    return "";
  };
  CHECK(why(spec_with("batch", "8")).empty());
  const std::string narrow = why(spec_with("dtype", "bf16"));
  CHECK(contains(narrow, "--dtype bf16 --units vector: "));
  CHECK(contains(narrow, "softmax"));
  CHECK_FALSE(contains(narrow, "projection"));
  CHECK(contains(why(spec_with("units", "matrix")), "projection"));
  Spec both = spec_with("units", "matrix");
  set_knob(both, "dtype", "bf16");
  CHECK(contains(why(both), "gelu"));
  // What lacks whatever the type is is said of its point.
  for (kernels::Kernel& row : place.kernels) row.runs = row.op != kernels::Op::softmax;
  CHECK(why(spec_with("batch", "8")).empty());
  place.kernels.clear();  // nobody knows
  CHECK(why(spec_with("dtype", "bf16")).empty());
}

TEST_CASE("bert: a device that lacks an operator says which one") {
  Place place;
  place.info.kind = "cuda";
  const auto why = [&] { return find_lab("bert")->why_not(place); };
  CHECK(why().empty());
  for (const bert::Operator& one : bert::operators_of({}))
    place.kernels.push_back({.family = one.what.family, .op = one.what.op()});
  CHECK(why().empty());
  std::erase_if(place.kernels,
                [](const kernels::Kernel& row) { return row.op == kernels::Op::softmax; });
  CHECK(contains(why(), "no kernel for the operator softmax"));
  place.kernels.push_back({.family = kernels::Family::rowwise,
                           .op = kernels::Op::softmax,
                           .runs = false,
                           .why_not = "needs SLEEF"});
  CHECK(contains(why(), "softmax cannot run: needs SLEEF"));
}
