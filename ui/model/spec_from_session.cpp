#include "ui/model/spec_from_session.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "engine/labs/lab.hpp"
#include "kernels/families/family.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/model/availability.hpp"

namespace ui {

using engine::Point;
using engine::Session;
using engine::Spec;

namespace {

/// The lab of the newest sweep; empty where this program does not know it.
std::string_view lab_of(const Session& session) {
  const Point* newest = nullptr;
  for (const Point& point : session.points) {
    if (in_sweep(point) && !point.probe && (newest == nullptr || point.run >= newest->run))
      newest = &point;
  }
  const engine::Lab* lab = newest != nullptr ? engine::find_lab(newest->lab) : nullptr;
  return lab != nullptr ? lab->name : "";
}

/// The points of the newest sweep, measured or not.
std::vector<const Point*> newest_sweep(const Session& session) {
  std::vector<const Point*> newest;
  for (const Point& point : session.points) {
    const bool workload = point.what.family->role == kernels::Role::workload;
    if (!workload || !in_sweep(point) || point.probe) continue;
    if (!newest.empty() && point.run < newest.front()->run) continue;
    if (!newest.empty() && point.run > newest.front()->run) newest.clear();
    newest.push_back(&point);
  }
  return newest;
}

/// The values that a field has in these points, ascending.
template <class Field>
auto values_of(const std::vector<const Point*>& points, Field kernels::Case::*field) {
  std::set<Field> values;
  for (const Point* point : points) values.insert(point->what.*field);
  return values;
}

Spec spec_of(const std::vector<const Point*>& points, Spec spec) {
  const kernels::Case& last = points.back()->what;
  if (engine::can_be_asked_for(last.family)) {
    spec.kernel = last.family;
    spec.op = last.family->chooses_op ? last.op() : Spec().op;
  }
  spec.data = last.data;
  const auto dtypes = values_of(points, &kernels::Case::dtype);
  spec.dtypes = {dtypes.begin(), dtypes.end()};
  const auto fusion = values_of(points, &kernels::Case::fusion);
  spec.fusion = fusion.size() > 1                         ? engine::FusionChoice::both
                : fusion.contains(kernels::Fusion::fused) ? engine::FusionChoice::fused
                                                          : engine::FusionChoice::unfused;
  const auto units = values_of(points, &kernels::Case::units);
  spec.units = units.size() > 1                         ? engine::UnitsChoice::both
               : units.contains(kernels::Units::vector) ? engine::UnitsChoice::vector
                                                        : engine::UnitsChoice::matrix;
  spec.types_chosen = true;
  // Where each dtype has its own number, each gets the default.
  const auto elements = values_of(points, &kernels::Case::elements);
  spec.elements = elements.size() == 1 ? *elements.begin() : 0;
  return spec;
}

/// A point at the slider is no sweep.
bool swept_here(const AppState& state) {
  const auto has_sweep = [](const auto& session) {
    return std::ranges::any_of(session.second->points, std::not_fn(&Point::probe));
  };
  return state.worker.running.sweep || std::ranges::any_of(state.documents.sessions, has_sweep);
}

}  // namespace

std::optional<Spec> spec_from_session(const Session& session, const Spec& own,
                                      const engine::Place& device) {
  const std::vector<const Point*> points = newest_sweep(session);
  Spec wanted = own;
  if (const std::string_view lab = lab_of(session); !lab.empty()) wanted.lab = lab;
  if (points.empty()) return wanted != own ? std::optional(wanted) : std::nullopt;
  wanted = spec_of(points, wanted);
  std::vector<std::string> changes;
  Spec spec = adapted(wanted, device, changes);
  const bool has_its_dtypes = std::ranges::all_of(spec.dtypes, [&](kernels::Dtype dtype) {
    return std::ranges::find(wanted.dtypes, dtype) != wanted.dtypes.end();
  });
  if (spec.kernel != wanted.kernel || spec.op != wanted.op || !has_its_dtypes) return std::nullopt;
  if (static_cast<double>(spec.elements) > most_elements(device, spec)) spec.elements = 0;
  return spec;
}

void set_spec_from_opened(AppState& state) {
  if (state.set_up || swept_here(state)) return;
  const engine::Place* device = current_device(state);
  if (device == nullptr || state.worker.run_when_ready) return;
  if (state.own_spec) {
    const std::string on_screen = std::exchange(state.spec.lab, "");
    state.spec = *std::exchange(state.own_spec, std::nullopt);
    state.spec.lab = on_screen;
    adapt_to_device(state);
  }
  if (state.documents.opened.size() != 1) return;
  auto spec = spec_from_session(*state.documents.opened.front().session, state.spec, *device);
  if (spec) state.own_spec = std::exchange(state.spec, std::move(*spec));
}

void keep_own_spec(AppState& state) {
  state.set_up = true;
  state.own_spec.reset();
}

}  // namespace ui
