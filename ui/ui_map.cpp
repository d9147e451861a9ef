#include "ui/ui_map.hpp"

#include <nlohmann/json.hpp>

#include "ui/actions.hpp"
#include "ui/hints.hpp"
#include "ui/keeping.hpp"
#include "ui/point_facts.hpp"
#include "ui/subject.hpp"

namespace ui {

using nlohmann::json;

namespace {

json json_of(const plot::Rect& rect) { return {rect.x, rect.y, rect.w, rect.h}; }

template <class T>
json json_of(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

std::string_view name_of(Focus focus) { return focus == Focus::cursor ? "cursor" : "newest"; }

std::string_view name_of(Shown shown) {
  switch (shown) {
    case Shown::sweep:
      return "sweep";
    case Shown::speedup:
      return "speedup";
    case Shown::roofs:
      break;
  }
  return "roofs";
}

json dialog_json(const AppState& state) {
  if (!state.dialog) return nullptr;
  return {{"path", state.dialog->path}, {"error", state.dialog->error}};
}

json palette_json(const AppState& state) {
  if (!state.palette) return nullptr;
  json rows = json::array();
  for (const Action& action : palette_rows(state)) rows.push_back(action.name);
  return {{"typed", state.palette->typed},
          {"selected", state.palette->selected},
          {"rows", std::move(rows)}};
}

json hints_json(const AppState& state) {
  json hints = json::array();
  for (const Hint hint : state.hints) hints.push_back(name_of(hint));
  return hints;
}

json spec_json(const engine::Spec& spec) {
  json file = json::object();
  for (const engine::Knob& knob : engine::knobs()) file[std::string(knob.name)] = knob.get(spec);
  return file;
}

json state_json(const AppState& state) {
  std::size_t points = 0;
  std::size_t probes = 0;
  std::size_t tried = 0;
  std::size_t measured_roofs = 0;
  if (const engine::Session* session = current_session(state)) {
    for (const engine::Point& point : session->points) {
      ++(!in_sweep(point) ? tried : point.probe ? probes : points);
    }
  }
  if (const engine::Session* session = current_session(state)) {
    for (const engine::Roof& roof : session->roofs) {
      measured_roofs += roof.source == engine::RoofSource::measured ? 1 : 0;
    }
  }
  json notices = json::array();
  for (const Notice& notice : state.notices) notices.push_back(notice.text);
  const VerdictText verdict = verdict_text(state);
  return {
      {"looking", state.looking},
      {"device", state.spec.device},
      {"sweep", state.running.sweep},
      {"probe", state.running.probe},
      {"done", state.running.done},
      {"total", state.running.total},
      {"focus", name_of(state.focus)},
      {"cursor_repeat", state.cursor_repeat},
      {"points", points},
      {"probes", probes},
      {"shown", name_of(state.shown)},
      {"roofs", state.running.roofs},
      {"tried", tried},
      {"measured_roofs", measured_roofs},
      {"selected_roof", state.selected_roof},
      {"opened", state.opened.size()},
      {"hidden", state.view.hidden},
      {"maximised", state.maximised ? json(name_of(*state.maximised)) : json(nullptr)},
      {"controls_open", state.division.controls_open},
      {"rows_chosen", state.results.selected.size()},
      {"spec", spec_json(state.spec)},
      {"light", state.light},
      {"hints", hints_json(state)},
      {"inspected", state.inspected ? json(state.inspected->title) : json(nullptr)},
      {"dialog", dialog_json(state)},
      {"palette", palette_json(state)},
      {"closing", state.closing.has_value()},
      {"log", state.log},
      {"unsaved", unsaved(state).size()},
      {"recent", state.recent},
      {"notices", std::move(notices)},
      {"verdict",
       {{"caption", verdict.caption}, {"regime", verdict.regime}, {"headline", verdict.headline}}}};
}

json plot_json(const UiMap::Plot& plot) {
  return {{"frame", json_of(plot.layout.frame)}, {"plot", json_of(plot.layout.plot)},
          {"x", {plot.x.low, plot.x.high}},      {"y", {plot.y.low, plot.y.high}},
          {"cursor", json_of(plot.cursor)},      {"cross_hair", json_of(plot.cross_hair)}};
}

}  // namespace

std::string ui_map_text(const UiMap& map, const AppState& state) {
  json controls = json::object();
  for (const auto& [name, control] : map.controls) {
    controls[name] = {{"rect", json_of(control.rect)},
                      {"enabled", control.enabled},
                      {"active", control.active},
                      {"value", control.value}};
  }
  json plots = json::object();
  json legend = json::array();
  for (const auto& [panel, plot] : map.plots) {
    const std::string name{ui::name_of(panel)};
    plots[name] = plot_json(plot);
    for (const auto& entry : plot.layout.legend) {
      legend.push_back({{"panel", name},
                        {"series", plot.series.at(entry.series)},
                        {"rect", json_of(entry.box)}});
    }
  }
  const json file = {{"frame", map.frame},
                     {"window", {map.width, map.height}},
                     {"controls", std::move(controls)},
                     {"plots", std::move(plots)},
                     {"legend", std::move(legend)},
                     {"state", state_json(state)}};
  return file.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace ui
