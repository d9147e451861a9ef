// The verdicts of the labs of operators, of results that are made up.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "engine/session/session_file.hpp"
#include "kernels/families/pointwise/pointwise.hpp"
#include "tests/engine/made_results.hpp"

using namespace engine;
using engine::Says;
using test::Made;

namespace {

/// Memory at 20 GB/s, and so many seconds of arithmetic for each operator and element: what is
/// longer counts, in each launch.
test::Seconds operators_of(double arithmetic) {
  return [=](const Point& point) {
    const bool cached = !point.label.empty();
    const kernels::Case& what = point.what;
    const auto elements = static_cast<double>(what.elements);
    const auto operators = static_cast<double>(kernels::operators_of(what));
    const double launches = what.fusion == kernels::Fusion::fused ? 1 : operators;
    const double memory = cached ? 0 : 8 * elements / 2e10;
    return launches * std::max(memory, operators / launches * arithmetic * elements);
  };
}

Made made_fusion(double arithmetic, double memory_roof = 2e10) {
  Made made("fusion", operators_of(arithmetic));
  Roof memory;
  memory.name = "DRAM copy";
  memory.kind = RoofKind::bandwidth;
  memory.rate = memory_roof;
  made.session.roofs = {memory};
  return made;
}

std::optional<Interval> here(const LabVerdict& verdict, std::string_view what) {
  for (const VerdictRow& row : verdict.rows)
    if (row.what == what) return row.here;
  return std::nullopt;
}

}  // namespace

TEST_CASE("fusion: two operators cost what one does where memory is the limit, else not") {
  const LabVerdict free = made_fusion(1e-11).verdict();
  CHECK(free.says == Says::holds);
  CHECK(here(free, "2 operators, unfused over fused (memory: 2x)")->median == doctest::Approx(2));
  CHECK(here(free, "8 operators, unfused over fused (predicted: 8x)")->median ==
        doctest::Approx(8));
  CHECK(here(free, "8 operators fused, over the prediction")->median == doctest::Approx(1));
  CHECK(here(free, "tensors read and written, unfused")->median == 4);

  const LabVerdict bound = made_fusion(1e-9).verdict();
  CHECK(bound.says == Says::differs);
  CHECK(here(bound, "2 operators, unfused over fused (memory: 2x)")->median == doctest::Approx(1));
  CHECK(bound.headline.find("Arithmetic is the limit here") != std::string::npos);
  CHECK(here(bound, "8 operators fused, over the prediction")->median == doctest::Approx(1));

  Made without_fused("fusion", [](const Point& point) {
    return point.what.fusion == kernels::Fusion::fused ? 0.0 : 1.0;
  });
  CHECK(without_fused.verdict().says == Says::cannot_say);
  Made disturbed = made_fusion(1e-11);
  for (Point& point : disturbed.session.points) point.disturbed = true;
  CHECK(disturbed.verdict().says == Says::cannot_say);
}

TEST_CASE("fusion: a chain is predicted by the chain in the caches, whose traffic it has once") {
  constexpr double memory = 2e10, cache = 2.5 * memory;
  const kernels::Kernel of_gpu{.family = kernels::Family::pointwise, .op = kernels::Op::cos};
  const auto made_with = [&](double arithmetic, const std::vector<kernels::Kernel>& kernels) {
    Made made(
        "fusion",
        [=](const Point& point) {
          const auto operators = static_cast<double>(kernels::operators_of(point.what));
          const double launches = point.what.fusion == kernels::Fusion::fused ? 1 : operators;
          const double bytes = 8 * static_cast<double>(point.what.elements);
          const double seconds = operators * arithmetic * static_cast<double>(point.what.elements);
          return std::max(launches * bytes / (point.label.empty() ? memory : cache), seconds);
        },
        kernels);
    made.session.roofs = made_fusion(1e-11).session.roofs;
    return made;
  };
  for (const auto& kernels : {std::vector<kernels::Kernel>{}, std::vector{of_gpu}}) {
    // Eight operators in a cache of 2.5 times the memory's speed would be 3.2 times its time.
    const LabVerdict free = made_with(1e-12, kernels).verdict();
    CHECK(free.says == Says::holds);
    CHECK(here(free, "8 operators, unfused over fused (predicted: 8x)")->median ==
          doctest::Approx(8));
    CHECK(here(free, "8 operators fused, over the prediction")->median == doctest::Approx(1));
    // Arithmetic of 8 operators as long as twice the memory: found in the caches, too.
    const LabVerdict bound = made_with(2 * 8 / memory / 8, kernels).verdict();
    CHECK(here(bound, "8 operators fused, over the prediction")->median == doctest::Approx(1));
    CHECK(here(bound, "8 operators, unfused over fused (predicted: 4x)")->median ==
          doctest::Approx(4));
  }
}

TEST_CASE("fusion: where no kernel can be generated, the plan asks for cache-blocked passes") {
  Made made("fusion", operators_of(1e-11));
  const Place place{made.session.device, {}, 64e9};
  const Lab& lab = *find_lab("fusion");
  const auto blocked = [&] {
    int count = 0;
    for (const Ask& ask :
         lab.plan(made.spec, place, results_of(made.spec.lab, made.session)).asks) {
      count += ask.what.by == kernels::By::own && ask.what.fusion == kernels::Fusion::fused &&
               ask.label.empty();
    }
    return count;
  };
  CHECK(blocked() == 0);
  for (Point& point : made.session.points)
    if (point.what.by == kernels::By::generated) point.status = Status::skipped;
  CHECK(blocked() == 4);
}

TEST_CASE("fusion: a chain of no, too many or unknown operators is refused in one sentence") {
  const auto refused = [](std::string_view text) {
    Spec spec;
    try {
      set_knob(spec, "chain", text);
    } catch (const BadInput& bad) {
      return std::string(bad.what());
    }
    return std::string();
  };
  std::string many = "cos";
  for (int i = 1; i < 10'000; ++i) many += ",cos";
  for (const std::string& text :
       {std::string(), std::string("cos,,cos"), std::string("sinus"), many})
    CHECK(refused(text).find("expected 1 to 16 operators") != std::string::npos);
  CHECK(refused("relu,gelu-tanh,mul").empty());
  Spec spec;
  spec.lab = "fusion";
  set_knob(spec, "chain", "relu,mul");
  const Place place{{}, {}, 64e9};
  const Session nothing;
  const Plan plan = find_lab("fusion")->plan(spec, place, {spec, nothing, {}});
  CHECK(kernels::text_of(plan.asks.back().what.ops) == "relu,mul");
  CHECK(kernels::operators_of(plan.asks.back().what) == 8);
}

TEST_CASE("operators: gelu costs what relu costs where memory is the limit, else not") {
  const auto made_with = [](double seconds_per_flop) {
    Made made("operators", [=](const Point& point) {
      return std::max(point.work.bytes / 2e10, point.work.flops * seconds_per_flop);
    });
    Roof memory;
    memory.name = "DRAM copy";
    memory.kind = RoofKind::bandwidth;
    memory.rate = 2e10;
    made.session.roofs = {memory};
    return made;
  };
  const LabVerdict free = made_with(1e-13).verdict();
  CHECK(free.says == Says::holds);
  CHECK(here(free, "gelu over relu")->median == doctest::Approx(1));
  CHECK(here(free, "relu, of the DRAM bandwidth")->median == doctest::Approx(1));
  CHECK(free.headline.find("bound by memory") != std::string::npos);
  // The copy that ran beside a point says more than the session's: memory drifts.
  Made drifted = made_with(1e-13);
  for (Point& point : drifted.session.points) point.share = Share{"DRAM copy", {0.5}};
  CHECK(here(drifted.verdict(), "relu, of the DRAM bandwidth")->median == 0.5);
  // 126 FLOP at 10 GFLOP/s against 8 bytes at 20 GB/s.
  const LabVerdict bound = made_with(1e-10).verdict();
  CHECK(bound.says == Says::differs);
  CHECK(here(bound, "gelu over relu")->median == doctest::Approx(31.5));
  CHECK(bound.headline.find("bound by arithmetic") != std::string::npos);
  Made launches("operators", [](const Point& point) { return 3 * point.work.bytes / 2e10; });
  launches.session.roofs = made_with(1e-13).session.roofs;
  CHECK(launches.verdict().says == Says::holds);
  CHECK(launches.verdict().headline.find("Both reach 33 %") != std::string::npos);
  Made no_gelu("operators",
               [](const Point& point) { return point.what.op() == kernels::Op::gelu ? 0.0 : 1.0; });
  CHECK(no_gelu.verdict().says == Says::cannot_say);
  CHECK(no_gelu.verdict().headline == "Measure relu and gelu.");
  Made no_library = made_with(1e-13);
  for (Point& point : no_library.session.points) {
    if (point.what.op() != kernels::Op::gelu) continue;
    point.status = Status::skipped;
    point.why = "needs a library";
  }
  CHECK(no_library.verdict().headline == "gelu was not measured: needs a library.");
  Made disturbed = made_with(1e-13);
  for (Point& point : disturbed.session.points) point.disturbed = true;
  CHECK(disturbed.verdict().says == Says::cannot_say);
}
