// What the pointer asks of the charts: the point under it, the range of an axis, which series the
// legend hides; and what hidden ones mean for a sweep.
#include <algorithm>
#include <map>
#include <tuple>

#include "engine/labs/lab.hpp"
#include "ui/actions/intents.hpp"
#include "ui/screen/inspection.hpp"

namespace ui {

void press_point(AppState& state, bool twice) {
  state.look.pressed = twice ? std::nullopt : state.look.hovered;
}

void inspect(AppState& state, const Hovered& at) {
  state.look.inspected.reset();
  const auto shown = sessions_shown(state);
  if (at.session >= shown.size()) return;
  const engine::Session& session = *shown[at.session];
  if (at.point >= session.points.size()) return;
  state.look.inspected = inspection_of(state.program, session, session.points[at.point]);
  if (const std::string& file = state.look.inspected->kernel_file; !file.empty())
    state.look.inspected->kernel_source = kernels::read_source(file);
}

void click_point(AppState& state, bool at_left) {
  const std::optional<Hovered> under = state.look.hovered;
  if (!under || state.look.pressed != under) return;
  inspect(state, *under);
  if (state.look.inspected) state.look.inspected->at_left = at_left;
}

void set_range(AppState& state, const engine::Chart& chart, std::optional<Range> x,
               std::optional<Range> y) {
  if (x) state.look.zoom.x.insert_or_assign(std::string(x_key(chart)), *x);
  if (y) state.look.zoom.y.insert_or_assign(std::string(chart.id), *y);
}

void toggle_series(AppState& state, const std::set<std::string>& ids) {
  std::set<std::string>& hidden = state.look.view.hidden;
  const bool any = std::ranges::any_of(ids, [&](const auto& id) { return hidden.contains(id); });
  for (const std::string& id : ids) {
    if (any)
      hidden.erase(id);
    else
      hidden.insert(id);
  }
}

void isolate_series(AppState& state, const std::set<std::string>& ids,
                    const std::set<std::string>& all) {
  std::set<std::string>& hidden = state.look.view.hidden;
  // The first of two clicks has toggled the series itself.
  const bool alone = std::ranges::all_of(
      all, [&](const auto& id) { return ids.contains(id) || hidden.contains(id); });
  for (const std::string& id : all) {
    if (alone || ids.contains(id))
      hidden.erase(id);
    else
      hidden.insert(id);
  }
}

namespace {

/// What a sweep can leave out of its series.
using SeriesKind = std::tuple<kernels::Dtype, kernels::Fusion, kernels::Units>;

/// Whether any chart of the lab shows a kind, for those that were measured.
std::map<SeriesKind, bool> kinds_in_sight(const AppState& state) {
  std::map<SeriesKind, bool> in_sight;
  const engine::Session* session = current_session(state);
  if (session == nullptr) return in_sight;
  for (const engine::Chart& chart : charts_of(lab_on_screen(state), {session})) {
    for (const Group& group : points_of(*session, chart).groups) {
      const bool shown = !state.look.view.hidden.contains(group.id);
      for (const engine::Point* point : group.points) {
        bool& known = in_sight[{point->what.dtype, point->what.fusion, point->what.units}];
        known = known || shown;
      }
    }
  }
  return in_sight;
}

/// `both`, or the one that is left.
template <class Choice>
Choice left_of(bool one, Choice as_one, bool other, Choice as_other, Choice both) {
  return one && other ? both : one ? as_one : other ? as_other : both;
}

}  // namespace

engine::Spec without_hidden(const AppState& state, engine::Spec spec) {
  if (state.look.view.hidden.empty()) return spec;
  const engine::Lab& lab = lab_on_screen(state);
  const engine::Spec asked = spec_on_screen(state);
  const std::map<SeriesKind, bool> in_sight = kinds_in_sight(state);
  const auto is_hidden = [&](const SeriesKind& kind) {
    const auto known = in_sight.find(kind);
    return known != in_sight.end() && !known->second;
  };
  using engine::FusionChoice, engine::UnitsChoice, kernels::Fusion, kernels::Units;
  std::set<kernels::Dtype> dtypes;
  std::set<Fusion> fusions;
  std::set<Units> units;
  bool any_hidden = false;
  for (const kernels::Dtype dtype : asked.dtypes) {
    for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
      const bool fused = fusion == Fusion::fused;
      if (asked.fusion == (fused ? FusionChoice::unfused : FusionChoice::fused)) continue;
      for (const Units unit : {Units::vector, Units::matrix}) {
        const bool vector = unit == Units::vector;
        if (asked.units == (vector ? UnitsChoice::matrix : UnitsChoice::vector)) continue;
        const bool hidden = is_hidden({dtype, fusion, unit});
        any_hidden = any_hidden || hidden;
        if (hidden) continue;
        dtypes.insert(dtype);
        fusions.insert(fusion);
        units.insert(unit);
      }
    }
  }
  if (!any_hidden || dtypes.empty()) return spec;
  if (engine::reads_knob(lab, "dtype")) {
    spec.dtypes.assign(dtypes.begin(), dtypes.end());
    spec.types_chosen = true;
  }
  if (engine::reads_knob(lab, "fusion"))
    spec.fusion =
        left_of(fusions.contains(Fusion::fused), FusionChoice::fused,
                fusions.contains(Fusion::unfused), FusionChoice::unfused, FusionChoice::both);
  if (engine::reads_knob(lab, "units"))
    spec.units = left_of(units.contains(Units::vector), UnitsChoice::vector,
                         units.contains(Units::matrix), UnitsChoice::matrix, UnitsChoice::both);
  return spec;
}

}  // namespace ui
