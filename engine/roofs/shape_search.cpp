#include "engine/roofs/shape_search.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/measure/statistics.hpp"

namespace engine {
namespace {

using kernels::Shape;
using kernels::ShapeAxis;

// A short measurement is good to a few per cent: nearer than this, two shapes are alike.
constexpr double alike = 0.95;
// Between two shapes that were tried at different times, a host drifts by as much.
constexpr double far_slower = 0.85;
constexpr int most_rounds = 8;  // far more than a landscape without ridges needs

/// One combination, as the index of the value on each axis.
using Position = std::vector<std::size_t>;

Shape shape_at(const std::vector<ShapeAxis>& axes, const Position& position) {
  Shape shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    shape.push_back({axes[i].name, axes[i].values[position[i]]});
  }
  // By name, so that a shape compares equal however its device lists the axes.
  std::ranges::sort(shape, {}, &kernels::ShapeChoice::axis);
  return shape;
}

std::vector<ShapeAxis> with_choice(const std::vector<ShapeAxis>& axes) {
  std::vector<ShapeAxis> choices;
  std::ranges::copy_if(axes, std::back_inserter(choices),
                       [](const ShapeAxis& axis) { return !axis.values.empty(); });
  return choices;
}

class Search {
 public:
  Search(const std::vector<ShapeAxis>& axes, const ShapeProbe& probe)
      : axes_(axes), probe_(probe), best_(axes.size(), 0) {}

  std::vector<TriedShape> run() {
    best_rate_ = rate_at(best_).value_or(0);
    for (int round = 0; round < most_rounds; ++round) {
      const Position before = best_;
      for (std::size_t axis = 0; axis < axes_.size(); ++axis) walk(axis);
      if (best_ == before) break;
    }
    std::ranges::stable_sort(tried_, std::ranges::greater{}, &TriedShape::rate);
    return std::move(tried_);
  }

 private:
  /// Both ways along one axis from the best, and on from the best on it.
  void walk(std::size_t axis) {
    const Position from = best_;
    for (const bool up : {true, false}) {
      Position at = from;
      int slower = 0;  // in a row
      while (up ? at[axis] + 1 < axes_[axis].values.size() : at[axis] > 0) {
        at[axis] += up ? 1 : std::size_t(-1);
        const auto rate = rate_at(at);
        if (!rate) return;  // no time left
        if (*rate > best_rate_) {
          best_rate_ = *rate;
          best_ = at;
        }
        // A combination that does not exist says nothing of those behind it. One that is slower
        // says little: the default of an axis comes first, wherever it lies between the others.
        if (*rate <= 0) continue;
        slower = *rate < alike * best_rate_ ? slower + 1 : 0;
        if (slower == 2) break;
      }
    }
  }

  std::optional<double> rate_at(const Position& position) {
    Shape shape = shape_at(axes_, position);
    const auto known = std::ranges::find(tried_, shape, &TriedShape::shape);
    if (known != tried_.end()) return known->rate;
    if (!tried_.empty() && !probe_.go_on()) return std::nullopt;
    const double rate = probe_.quick(shape);
    tried_.push_back({std::move(shape), rate});
    return rate;
  }

  const std::vector<ShapeAxis>& axes_;
  const ShapeProbe& probe_;
  Position best_;
  double best_rate_ = 0;
  std::vector<TriedShape> tried_;
};

}  // namespace

std::vector<TriedShape> search_shapes(const std::vector<ShapeAxis>& axes, const ShapeProbe& probe) {
  const std::vector<ShapeAxis> choices = with_choice(axes);
  return Search(choices, probe).run();
}

std::vector<Shape> all_shapes(const std::vector<ShapeAxis>& axes) {
  const std::vector<ShapeAxis> choices = with_choice(axes);
  std::vector<Shape> shapes;
  if (choices.empty()) return shapes;
  for (Position position(choices.size(), 0);;) {
    shapes.push_back(shape_at(choices, position));
    std::size_t axis = choices.size();
    while (axis > 0 && ++position[axis - 1] == choices[axis - 1].values.size())
      position[--axis] = 0;
    if (axis == 0) return shapes;
  }
}

Shape default_shape(const std::vector<ShapeAxis>& axes) {
  const std::vector<ShapeAxis> choices = with_choice(axes);
  return shape_at(choices, Position(choices.size(), 0));
}

std::vector<Shape> finalists(const std::vector<TriedShape>& tried, std::size_t most) {
  std::vector<Shape> shapes;
  for (const TriedShape& one : tried) {
    if (shapes.size() == most || one.rate <= 0 || one.rate < far_slower * tried.front().rate) break;
    shapes.push_back(one.shape);
  }
  return shapes;
}

std::vector<Shape> halved(std::vector<Shape> shapes,
                          const std::function<double(const Shape&)>& rate) {
  for (std::size_t left = shapes.size(); left > 1; left = (left + 1) / 2) {
    std::vector<std::vector<double>> rates(left);
    // There and back, so that a steady drift cancels.
    for (std::size_t i = 0; i < left; ++i) rates[i].push_back(rate(shapes[i]));
    for (std::size_t i = left; i-- > 0;) rates[i].push_back(rate(shapes[i]));
    std::vector<TriedShape> ranked;
    for (std::size_t i = 0; i < left; ++i)
      ranked.push_back({std::move(shapes[i]), median_of(rates[i])});
    std::ranges::stable_sort(ranked, std::ranges::greater{}, &TriedShape::rate);
    std::ranges::transform(ranked, shapes.begin(), &TriedShape::shape);
  }
  return shapes;
}

}  // namespace engine
