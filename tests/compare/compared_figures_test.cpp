// What the figures of a comparison show.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/compare/compared.hpp"
#include "tests/text.hpp"
#include "ui/figures/comparison.hpp"

using namespace engine;
using examples::chain;
using kernels::Dtype;
using tests::compared;
using tests::holding;
using tests::taking;
using ui::ComparedPanel;

namespace {

Session over_repeats(double first, double second) {
  return holding({taking(chain(1), first), taking(chain(8), second)});
}

bool has_roof(const plot::Figure& figure, std::string_view label) {
  return std::ranges::find(figure.roofs, label, &plot::Roof::label) != figure.roofs.end();
}

}  // namespace

TEST_CASE("ratios stand over the axis that varies, with their intervals") {
  const Comparison both = compared(over_repeats(1, 1), over_repeats(0.5, 0.9));
  const plot::Figure figure = ui::figure_of(both, ComparedPanel::time);
  REQUIRE(figure.series.size() == 1);
  const plot::Points& points = *figure.series[0].points;
  CHECK(figure.series[0].name == "fp32 fused");
  CHECK(figure.x.title == "Ops per element");
  CHECK(points.x == std::vector<double>{1, 8});
  CHECK(points.y[0] == doctest::Approx(0.5));
  CHECK(points.low[0] < 0.5);
  CHECK(points.high[0] > 0.5);
  CHECK(has_roof(figure, "equal"));
  CHECK(has_roof(figure, "+3 %"));
  CHECK(figure.y.low < 0.5);
  CHECK(figure.y.high > 1.03);
}

TEST_CASE("both sides have the same axes, whatever the durations of each") {
  const Comparison both = compared(over_repeats(1e-6, 2e-6), over_repeats(1, 4));
  const plot::Figure a = ui::figure_of(both, ComparedPanel::side_a),
                     b = ui::figure_of(both, ComparedPanel::side_b);
  CHECK(a.x == b.x);
  CHECK(a.y == b.y);
  CHECK(a.y.low < 1e-6);
  CHECK(a.y.high > 4);
}

TEST_CASE("points of which none has a neighbour stand over their names") {
  kernels::Case wide = chain(1, kernels::Fusion::fused, Dtype::fp64);
  const Session a = holding({taking(chain(1), 1), taking(wide, 1)});
  Session b = a;
  b.points[1].seconds.samples.resize(1);
  const plot::Figure figure = ui::figure_of(compared(a, b), ComparedPanel::time);
  CHECK(figure.x.words == std::vector<std::string>{"fp32 fused", "fp64 fused"});
  REQUIRE(figure.series.size() == 1);
  CHECK(figure.series[0].points->flagged == std::vector<char>{0, 1});
  CHECK(std::isnan(figure.series[0].points->low[1]));
}

TEST_CASE("a comparison without pairs or without shares says so in the figure") {
  const Comparison none = compared(holding({taking(chain(1), 1)}), holding({taking(chain(2), 1)}));
  CHECK(tests::contains(ui::figure_of(none, ComparedPanel::time).empty_text, "no point in common"));
  Session a = over_repeats(1, 1), b = over_repeats(1, 1);
  a.roofs.clear();
  b.roofs.clear();
  CHECK_FALSE(ui::figure_of(compared(a, b), ComparedPanel::share).empty_text.empty());
}

TEST_CASE("the page begins its caption with the summary and names both sides") {
  Session a = over_repeats(1, 1), b = over_repeats(0.5, 0.5);
  b.device.name = "Another CPU";
  const plot::Page page = ui::page_of({&a, &b}, compared(a, b));
  CHECK(page.title == "A: Example CPU, B: Another CPU");
  CHECK(page.figures.size() == 4);
  CHECK(page.caption.front() == "B is faster at all 2 points: 2x.");
}
