// The runs of a session from an older file, which has none: what its points tell of them.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "engine/labs/bert_layer.hpp"
#include "engine/labs/lab.hpp"
#include "kernels/families/family.hpp"

namespace engine {

extern const Lab bert_lab;

namespace {

/// The values that a field has in these points, ascending.
template <class Value>
std::vector<Value> values_of(const std::vector<const Point*>& points, Value kernels::Case::*field) {
  std::set<Value> values;
  for (const Point* point : points) values.insert(point->what.*field);
  return {values.begin(), values.end()};
}

/// The choice of one of two values, or of both.
template <class Choice, class Value>
Choice choice_of(const std::vector<Value>& values) {
  return values.size() > 1 ? Choice::both : static_cast<Choice>(values.front());
}

/// A lab of products adds other types and units, and other operators: its first product tells.
void set_types_of_products(Spec& spec, const std::vector<const Point*>& points) {
  std::vector<const Point*> products = points;
  std::erase_if(products,
                [](const Point* point) { return point->what.family != kernels::Family::matmul; });
  if (products.empty()) return;
  const auto types = [](const Point* point) {
    return std::pair(point->what.dtype, point->what.units);
  };
  const auto [dtype, units] = types(products.front());
  spec.types_chosen =
      std::ranges::count(products, types(products.front()), types) == std::ssize(products);
  spec.dtypes = {dtype};
  spec.units = static_cast<UnitsChoice>(units);
}

/// As far as the points of a run tell.
Spec spec_told_by(const std::vector<const Point*>& points) {
  const kernels::Case& last = points.back()->what;
  Spec spec;
  spec.lab = points.back()->lab;
  if (can_be_asked_for(last.family)) {
    spec.kernel = last.family;
    spec.op = last.family->chooses_op ? last.op() : spec.op;
  }
  spec.data = last.data;
  spec.dtypes = values_of(points, &kernels::Case::dtype);
  spec.fusion = choice_of<FusionChoice>(values_of(points, &kernels::Case::fusion));
  spec.units = choice_of<UnitsChoice>(values_of(points, &kernels::Case::units));
  // Where each element type has its own number, each gets the default.
  const auto elements = values_of(points, &kernels::Case::elements);
  spec.elements = elements.size() == 1 ? elements.front() : 0;
  spec.types_chosen = true;
  const Lab* lab = find_lab(spec.lab);
  if (lab != nullptr && lab->on_matrix_units) set_types_of_products(spec, points);
  if (lab == nullptr) return spec;
  spec = read_by(*lab, spec);
  if (lab == &bert_lab) bert::set_knobs_told_by(points, spec);
  return spec;
}

}  // namespace

std::vector<Run> runs_told_by(const Session& session) {
  std::map<std::uint64_t, std::vector<const Point*>> points;
  for (const Point& point : session.points)
    if (!point.probe) points[point.run].push_back(&point);
  std::vector<Run> runs;
  for (const auto& [number, of_run] : points) {
    runs.push_back({number, spec_told_by(of_run)});
    runs.back().spec.device = session.device.id;
  }
  return runs;
}

}  // namespace engine
