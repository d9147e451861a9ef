// What a kernel takes at its smallest size: when it is measured, beside which points it
// runs, and that labs find the same. On a fake device whose launches add to the work.
#include <doctest/doctest.h>

#include <algorithm>

#include "engine/roofs/roof_tasks.hpp"
#include "engine/verdict/overhead.hpp"
#include "engine/verdict/predict.hpp"
#include "kernels/families/family.hpp"
#include "tests/engine/worker/sweeper_harness.hpp"
#include "tests/text.hpp"

using namespace engine;
using fake::Harness;
using kernels::Case;
using kernels::Family;
using kernels::Launched;
using tests::contains;

namespace {

constexpr double overhead = 3e-6;  // s of a chain; an empty launch takes 1 us

double seconds_of(const Case& what) {
  const kernels::Work work = kernels::work_of(what);
  if (what.family != Family::chain) return fake::ideal_seconds(what);
  return work.launches * overhead + std::max(work.bytes / fake::bandwidth, work.flops / fake::peak);
}

SweepRequest request_of(std::uint64_t elements, FusionChoice fusion = FusionChoice::fused) {
  SweepRequest request = Harness::request({1, 2, 4, 8});
  request.spec.elements = elements;
  request.spec.fusion = fusion;
  return request;
}

Session session_of(const Harness& h) {
  Session session;
  session.device.id = session.device.kind = "cpu";
  session.roofs = fake::roofs();
  for (const Event& event : h.events) apply(session, event);
  return session;
}

}  // namespace

TEST_CASE(
    "a sweep of few elements measures what its kernel takes with nothing to do, and all points "
    "are overhead-bound by it") {
  Harness h({.seconds = seconds_of});
  h.finish(h.sweeper.start(request_of(512, FusionChoice::both)));
  CHECK(h.names_of_roofs() == std::vector<std::string>{"overhead chain fp32"});
  const Session session = session_of(h);
  REQUIRE(session.points.size() == 8);
  const Roof* roof = overhead_roof(session, session.points.front().what, Launched::threads);
  REQUIRE(roof != nullptr);
  CHECK(roof->kind == RoofKind::overhead);
  CHECK(roof->dtype == kernels::Dtype::fp32);
  CHECK(roof->cite == "chain fma, 16 elements, fake");
  CHECK(1 / roof->rate == doctest::Approx(overhead).epsilon(0.01));
  for (const Point& point : session.points) {
    CAPTURE(point.id);
    CHECK(point.launched == Launched::threads);
    REQUIRE(point.share);
    CHECK(point.share->roof == roof->name);
    const Verdict verdict = judge(session, point);
    CHECK(verdict.regime == Regime::overhead);
    CHECK(verdict.share_of_overhead == doctest::Approx(0.986).epsilon(0.01));
  }
}

TEST_CASE("where the work takes many times as long as a launch, no overhead is measured") {
  Harness h({.seconds = seconds_of});
  h.finish(h.sweeper.start(request_of(1 << 20)));
  CHECK(h.names_of_roofs().empty());
  for (const Point& point : h.points())
    CHECK(judge(session_of(h), point).regime != Regime::overhead);
}

TEST_CASE(
    "an overhead that a session knows is not measured again, and bounds its own kernel alone") {
  Harness h({.seconds = seconds_of});
  SweepRequest request = request_of(512);
  Roof known;
  known.name = "overhead chain fp32";
  known.kind = RoofKind::overhead;
  known.rate = 1 / overhead;
  request.known_roofs.push_back(known);
  h.finish(h.sweeper.start(request));
  CHECK(h.names_of_roofs().empty());

  Harness two({.seconds = seconds_of});
  SweepRequest both = request_of(512);
  both.spec.dtypes = {kernels::Dtype::fp32, kernels::Dtype::fp64};
  for (const Roof& roof : fake::roofs(kernels::Dtype::fp64)) both.known_roofs.push_back(roof);
  two.finish(two.sweeper.start(both));
  CHECK(two.names_of_roofs() ==
        std::vector<std::string>{"overhead chain fp32", "overhead chain fp64"});
  two.events.clear();
  two.finish(two.sweeper.start(request_of(512)));
  CHECK(two.names_of_roofs() == std::vector<std::string>{"overhead chain fp32"});
}

TEST_CASE(
    "what is launched in a stream has no overhead of its own, and what a graph has is named so") {
  const fake::Device gpu({.launched = [](const Case&) { return Launched::graph; }}, "cuda:0");
  Session known;
  known.device = gpu.info();
  known.roofs = fake::roofs();
  const auto names = [&](std::uint64_t elements) {
    std::vector<std::string> all;
    for (const RoofTask& task : overheads(gpu, known, {Case{.elements = elements}}))
      all.push_back(task.roof.name);
    return all;
  };
  CHECK(names(512) == std::vector<std::string>{"overhead chain fp32 graph"});
  CHECK(names(1 << 17) == std::vector<std::string>{"overhead chain fp32 graph"});  // 10 us
  CHECK(names(1 << 20).empty());                                                   // 84 us
}

TEST_CASE("a kernel at its smallest size is a case that its family accepts") {
  for (const kernels::Family family : kernels::all_families()) {
    Case what{.family = family, .elements = 1 << 20, .repeat = 8};
    if (!family->ops.empty()) what.ops = family->ops.front();
    if (!family->units.empty()) what.units = family->units.front();
    for (std::size_t i = 0; i < family->axes.size(); ++i) what.more[i] = family->axes[i].usual;
    const std::optional<Case> least = kernels::least_of(what);
    if (!least) continue;
    CAPTURE(family->name);
    CHECK(kernels::refusal_of(*least) == "");
    CHECK(least->repeat == 1);
    CHECK(kernels::work_of(*least).launches == 1);
    CHECK(kernels::footprint_of(*least) <= 16384);
    CHECK(least->elements % kernels::granule_of(family, least->dtype) == 0);
  }
}

TEST_CASE("the lab overhead and the roof find the same overhead") {
  Harness h({.seconds = seconds_of});
  SweepRequest request;
  request.spec.lab = "overhead";
  request.known_roofs = fake::roofs();
  h.finish(h.sweeper.start(request));
  const Session session = session_of(h);
  const Roof* roof = overhead_roof(session, {.elements = 512}, Launched::threads);
  REQUIRE(roof != nullptr);
  const LabVerdict verdict = find_lab("overhead")->verdict(results_of("overhead", session));
  REQUIRE_FALSE(verdict.rows.empty());
  CHECK(verdict.rows[0].what == "overhead of one op on all threads");
  CHECK(verdict.rows[0].here->median == doctest::Approx(1 / roof->rate).epsilon(0.01));
}

TEST_CASE("intensity: where overhead bounds the first points, their knee says nothing of memory") {
  Harness h({.seconds = seconds_of});
  h.finish(h.sweeper.start(request_of(512)));
  const Session session = session_of(h);
  const LabVerdict verdict = find_lab("intensity")->verdict(results_of("intensity", session));
  CHECK(verdict.says == engine::Says::cannot_say);
  CHECK(contains(verdict.headline, "Overhead, not memory, bounds so few elements"));
}
