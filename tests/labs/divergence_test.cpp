// The verdict of the lab of branches, of results that are made up.
#include "kernels/families/divergence/divergence.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using engine::Says;
using test::Made;

namespace {

double paths(const Point& point) { return kernels::paths_of(point.what); }

bool is_masked(const Point& point) { return point.what.op() == kernels::Op::masked; }

/// Masks compute all paths; scalar branches their own, at 10 times the time.
double on_a_cpu(const Point& point) { return is_masked(point) ? 1e-3 * paths(point) : 1e-2; }

LabVerdict verdict(const test::Seconds& seconds) { return Made("divergence", seconds).verdict(); }

}  // namespace

TEST_CASE("divergence: all paths are run, or not all, or it cannot be told") {
  const LabVerdict holds = verdict(on_a_cpu);
  CHECK(holds.says == Says::holds);
  REQUIRE(holds.rows.size() == 5);
  CHECK(holds.rows.back().what == "32 paths against 1, at most");
  CHECK(holds.rows.back().claimed->median == 32);
  CHECK(holds.rows.back().here->median == doctest::Approx(32));
  CHECK(verdict([](const Point&) { return 1e-3; }).says == Says::differs);
  CHECK(verdict([](const Point& p) { return paths(p) > 1 ? 0 : 1e-3; }).says == Says::cannot_say);
  const auto near_border = [](const Point& p) {
    return 1e-3 * paths(p) * (paths(p) > 1 ? 1.14 : 1);
  };
  CHECK(verdict(near_border).says == Says::cannot_say);
}

TEST_CASE("divergence: says from how many paths on branches are faster than masks") {
  REQUIRE(verdict(on_a_cpu).advice.size() == 1);
  CHECK(verdict(on_a_cpu).advice.front() == "Branches are faster than masks from 16 paths on.");
  const auto slow = [](const Point& p) { return is_masked(p) ? 1e-3 * paths(p) : 1; };
  CHECK(verdict(slow).advice.front() ==
        "Masks are faster than branches at every number of paths here.");
}

TEST_CASE("divergence: on a GPU the branches of a warp are judged, and masks are not asked for") {
  const std::vector<kernels::Kernel> kernels{
      {.family = kernels::Family::divergence, .op = kernels::Op::branches},
      {.family = kernels::Family::divergence, .op = kernels::Op::masked, .runs = false}};
  const Made gpu(
      "divergence", [](const Point& p) { return 1e-4 * paths(p); }, kernels);
  CHECK(gpu.session.points.size() == 6);
  CHECK(gpu.verdict().says == Says::holds);
  CHECK(gpu.verdict().advice.empty());
}

TEST_CASE("divergence: a device whose kernels do not run says why") {
  Place place;
  place.kernels = {
      {.family = kernels::Family::divergence, .runs = false, .why_not = "no branches"}};
  CHECK(find_lab("divergence")->why_not(place) == "no branches");
}

TEST_CASE("divergence: every number of paths is judged, not the last one alone") {
  const auto two_paths_at_once = [](const Point& p) { return paths(p) == 2 ? 1e-3 : on_a_cpu(p); };
  CHECK(verdict(two_paths_at_once).says == Says::differs);
  CHECK(verdict(two_paths_at_once).headline.find("2 paths take 1x") == 0);
  const auto two_near_border = [](const Point& p) {
    return on_a_cpu(p) * (paths(p) == 2 ? 1.14 : 1);
  };
  CHECK(verdict(two_near_border).says == Says::cannot_say);
}

TEST_CASE("divergence: what memory and launches explain is named, and the claim holds") {
  // Of an H200: 4.05 TB/s, 4.3 us for a launch; 16 paths take 13.5x as long as 1.
  const auto measured = [](const Point& p) {
    const std::array times{195.9e-6, 353.5e-6, 678e-6, 1332e-6, 2645e-6, 5260e-6};
    return times[static_cast<std::size_t>(std::log2(paths(p)))];
  };
  const std::vector<kernels::Kernel> kernels{
      {.family = kernels::Family::divergence, .op = kernels::Op::branches}};
  Spec spec;
  spec.elements = 132 << 17;
  Made gpu("divergence", measured, kernels, spec);
  CHECK(gpu.verdict().says != Says::holds);  // nobody knows what memory takes
  Roof copy, launch;
  copy.name = "DRAM copy";
  copy.kind = RoofKind::bandwidth;
  copy.rate = 4.05e12;
  launch.name = "launch";
  launch.kind = RoofKind::overhead;
  launch.rate = 233e3;
  gpu.session.roofs = {copy, launch};
  const LabVerdict verdict = gpu.verdict();
  CHECK(verdict.says == Says::holds);
  CHECK_MESSAGE(
      tests::contains(verdict.headline,
                      "the paths run one after the other. 32.5 µs of every run, 17 % of the "
                      "shortest, do not depend on the paths: by the roofs, memory and the "
                      "launch take up to 55.6 µs."),
      verdict.headline);
  // Paths that run side by side are no fixed part.
  Made aside(
      "divergence", [](const Point& p) { return 2e-4 + 1e-5 * paths(p); }, kernels, spec);
  aside.session.roofs = {copy, launch};
  CHECK(aside.verdict().says == Says::differs);
}
