#include "engine/roofs/shape_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace engine;
using kernels::Shape;
using kernels::ShapeAxis;

namespace {

const std::vector<ShapeAxis> two_axes{{"unroll", {"1", "2", "4", "8"}},
                                      {"chains", {"2", "4", "8", "16"}}};

double value_of(const Shape& shape, const std::string& axis) {
  for (const auto& choice : shape) {
    if (choice.axis == axis) return std::stod(choice.value);
  }
  return 0;
}

bool always() { return true; }

}  // namespace

TEST_CASE("the best of a smooth landscape is found without trying every shape") {
  const std::vector<ShapeAxis> axes{{"a", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}},
                                    {"b", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}}};
  const auto rate = [](const Shape& shape) {
    const double a = value_of(shape, "a") - 6, b = value_of(shape, "b") - 2;
    return 100 - a * a - 2 * b * b;
  };
  const auto tried = search_shapes(axes, {rate, always});
  CHECK(tried.front().shape == Shape{{"a", "6"}, {"b", "2"}});
  CHECK(tried.front().rate == 100);
  CHECK(tried.size() < 40);
}

TEST_CASE("axes that depend on each other are walked again") {
  // More chains only pay with more unrolling, and the other way round.
  const auto rate = [](const Shape& shape) {
    return std::min(value_of(shape, "chains"), 3 * value_of(shape, "unroll"));
  };
  const auto tried = search_shapes(two_axes, {rate, always});
  CHECK(tried.front().rate == 16);
}

TEST_CASE("a shape is tried once, names every axis, and the tries come fastest first") {
  std::multiset<std::string> asked;
  const auto rate = [&](const Shape& shape) {
    asked.insert(kernels::text_of(shape));
    return 1 + value_of(shape, "chains");
  };
  const auto tried = search_shapes(two_axes, {rate, always});
  CHECK(asked.size() == tried.size());
  CHECK(std::set<std::string>(asked.begin(), asked.end()).size() == asked.size());
  for (const TriedShape& one : tried) {
    REQUIRE(one.shape.size() == 2);
    CHECK(one.shape[0].axis == "chains");
    CHECK(one.shape[1].axis == "unroll");
  }
  CHECK(std::ranges::is_sorted(tried, std::ranges::greater{}, &TriedShape::rate));
}

TEST_CASE("combinations that do not exist are passed over") {
  const auto rate = [](const Shape& shape) {
    const double chains = value_of(shape, "chains");
    return chains == 4 || chains == 8 ? 0 : chains;
  };
  const auto tried = search_shapes(two_axes, {rate, always});
  CHECK(tried.front().shape[0].value == "16");
  CHECK(tried.back().rate == 0);
  // Even where the defaults are one of them.
  const auto other = search_shapes(
      two_axes,
      {[](const Shape& shape) { return value_of(shape, "unroll") == 2 ? 5.0 : 0.0; }, always});
  CHECK(other.front().rate == 5);
}

TEST_CASE("the walk along an axis ends where it gets clearly slower") {
  std::set<std::string> asked;
  const auto rate = [&](const Shape& shape) {
    asked.insert(kernels::text_of(shape));
    return 10 / value_of(shape, "chains");
  };
  search_shapes(two_axes, {rate, always});
  CHECK(asked.count("chains 4, unroll 1") == 1);
  CHECK(asked.count("chains 16, unroll 1") == 0);
}

TEST_CASE("a slower neighbour of the default hides no faster shape behind it") {
  const std::vector<ShapeAxis> axes{{"chains", {"12", "8", "16", "24"}}};
  const auto rate = [](const Shape& shape) { return value_of(shape, "chains"); };
  CHECK(search_shapes(axes, {rate, always}).front().rate == 24);
}

TEST_CASE("when the time is over, the best so far counts") {
  int left = 3;
  const auto tried = search_shapes(
      two_axes,
      {[](const Shape& shape) { return value_of(shape, "unroll"); }, [&] { return left-- > 0; }});
  CHECK(tried.size() == 4);
  CHECK(tried.front().rate == 8);
  const auto first =
      search_shapes(two_axes, {[](const Shape&) { return 1.0; }, [] { return false; }});
  CHECK(first.size() == 1);  // the defaults are always tried
}

TEST_CASE("without axes there is one shape, the empty one") {
  const auto tried = search_shapes({}, {[](const Shape&) { return 7.0; }, always});
  REQUIRE(tried.size() == 1);
  CHECK(tried[0].shape.empty());
  CHECK(tried[0].rate == 7);
}

TEST_CASE("finalists are those that may be the best on a machine that drifts, and run") {
  const auto shape = [](const char* value) { return Shape{{"x", value}}; };
  const std::vector<TriedShape> tried{{shape("a"), 100}, {shape("b"), 99}, {shape("c"), 86},
                                      {shape("d"), 84},  {shape("e"), 50}, {shape("f"), 0}};
  CHECK(finalists(tried, 2).size() == 2);
  CHECK(finalists(tried) == std::vector<Shape>{shape("a"), shape("b"), shape("c")});
  CHECK(finalists({tried[0], tried[4]}) == std::vector<Shape>{shape("a")});
  CHECK(finalists({tried[5]}).empty());
}

TEST_CASE("halving finds the fastest shape while the machine drifts") {
  std::vector<Shape> shapes;
  for (int i = 0; i < 8; ++i) shapes.push_back({{"x", std::to_string(i)}});
  // The machine gets 2 % slower with each measurement: one after the other, the first would win.
  double speed = 1;
  int asked = 0;
  const auto rate = [&](const Shape& shape) {
    ++asked;
    speed *= 0.98;
    return speed * (value_of(shape, "x") == 7 ? 103 : 100);
  };
  const auto ranked = halved(shapes, rate);
  CHECK(asked == 2 * (8 + 4 + 2));
  CHECK(ranked.size() == 8);
  CHECK(value_of(ranked.front(), "x") == 7);
}

TEST_CASE("a shape that does not run is no winner") {
  const auto ranked =
      halved({{{"x", "0"}}, {{"x", "1"}}}, [](const Shape& shape) { return value_of(shape, "x"); });
  CHECK(ranked == std::vector<Shape>{{{"x", "1"}}, {{"x", "0"}}});
}
