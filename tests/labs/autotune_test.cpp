// The lab `autotune`: its search on devices whose fastest shape a test decides, and its verdict.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "engine/roofs/shape_search.hpp"
#include "engine/session/session_file.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using test::Made;
using test::row;
using tests::contains;

namespace {

constexpr double work = 1e9;  // FLOP

/// FLOP/s of each number of chains.
using Rates = std::map<std::string, double>;

Made made(const Rates& rates) {
  return Made("autotune", [&](Point& point) {
    point.work.flops = work;
    // What opened the devices comes with the first trial, and is no search.
    if (point.label.starts_with("round "))
      point.phases = {{"open", "devices", 0, 100}, {"run", "peak fma", 0, 0.5}};
    const double rate = rates.at(point.what.shape.front().value);
    if (rate > 0) return work / rate;
    point.status = Status::skipped;
    return 1.0;
  });
}

std::size_t trials(const Made& made, std::string_view round) {
  return static_cast<std::size_t>(std::ranges::count_if(
      made.session.points, [&](const Point& point) { return point.label.starts_with(round); }));
}

const Rates rising{{"8", 1e9}, {"6", 2e9}, {"4", 3e9}, {"2", 4e9}, {"1", 2.5e9}};

}  // namespace

TEST_CASE("autotune: each round tries the faster half, and the last shape is the fastest") {
  const Made one = made(rising);
  CHECK(trials(one, "round 1") == 5);
  CHECK(trials(one, "round 2") == 3);
  CHECK(trials(one, "round 3") == 2);
  CHECK(trials(one, "round 4") == 0);
  CHECK(trials(one, "default: chains 8") == 1);
  CHECK(trials(one, "found: chains 2") == 1);
}

TEST_CASE("autotune: the claim holds where another shape than the default is faster") {
  const LabVerdict verdict = made(rising).verdict();
  CHECK(verdict.says == Says::holds);
  CHECK(row(verdict, "found is faster by").here->median == doctest::Approx(4));
  CHECK(row(verdict, "trials").here->median == 10);
  CHECK(row(verdict, "time of the search").here->median == doctest::Approx(5));
  // A run of the default takes 1 s, of which 0.75 s are saved: 7 runs save 5 s.
  CHECK(row(verdict, "after which it pays").here->median == 7);
  CHECK(contains(verdict.headline, "chains 2 is 4x as fast as the default"));
}

TEST_CASE("autotune: the claim does not hold where the default is the fastest") {
  const LabVerdict verdict =
      made({{"8", 4e9}, {"6", 2e9}, {"4", 3e9}, {"2", 1e9}, {"1", 2.5e9}}).verdict();
  CHECK(verdict.says == Says::differs);
  CHECK(std::ranges::none_of(verdict.rows,
                             [](const VerdictRow& one) { return contains(one.what, "pays"); }));
}

TEST_CASE(
    "autotune: shapes that do not run leave the search, and where none does nothing is said") {
  const Made some = made({{"8", 1e9}, {"6", 0}, {"4", 0}, {"2", 0}, {"1", 2e9}});
  CHECK(trials(some, "round 2") == 2);
  CHECK(some.verdict().says == Says::holds);
  const Made none = made({{"8", 0}, {"6", 0}, {"4", 0}, {"2", 0}, {"1", 0}});
  CHECK(trials(none, "round 2") == 0);
  CHECK(none.verdict().says == Says::cannot_say);
}

TEST_CASE("autotune: a device without the kernel, or without shapes, is refused in a sentence") {
  Place place;
  place.info.id = "cpu";
  CHECK(find_lab("autotune")->why_not(place) == "This device has no kernel with several shapes.");
  place.shapes.resize(1);
  CHECK(find_lab("autotune")->why_not(place) == "");
  Spec spec;
  spec.lab = "autotune";
  set_knob(spec, "tuned", "matrix");
  const Session empty;
  CHECK_THROWS_WITH_AS(
      static_cast<void>(find_lab("autotune")->plan(spec, place, {spec, empty, {}})),
      "--tuned matrix: cpu has no such kernel with several shapes; choose vector", BadInput);
}

TEST_CASE("all shapes are every combination once, the default first") {
  const auto shapes = all_shapes({{"b", {"1", "2", "3"}}, {"a", {"x", "y"}}, {"none", {}}});
  REQUIRE(shapes.size() == 6);
  CHECK(shapes.front() == default_shape({{"b", {"1", "2", "3"}}, {"a", {"x", "y"}}}));
  for (const kernels::Shape& shape : shapes) {
    CHECK(shape.size() == 2);
    CHECK(std::ranges::count(shapes, shape) == 1);
  }
  CHECK(all_shapes({}).empty());
}
