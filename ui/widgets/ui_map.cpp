#include "ui/widgets/ui_map.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/actions/actions.hpp"
#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/screen/exercise.hpp"
#include "ui/screen/guide.hpp"
#include "ui/screen/verdict_target.hpp"

namespace ui {

using nlohmann::json;

namespace {

json json_of(const plot::Rect& rect) { return {rect.x, rect.y, rect.w, rect.h}; }

template <class T>
json json_of(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json dialog_json(const AppState& state) {
  if (!state.dialogs.file) return nullptr;
  return {{"path", state.dialogs.file->path}, {"error", state.dialogs.file->error}};
}

json palette_json(const AppState& state) {
  if (!state.dialogs.palette) return nullptr;
  json rows = json::array();
  for (const Action& action : palette_rows(state)) rows.push_back(action.name);
  return {{"typed", state.dialogs.palette->typed},
          {"selected", state.dialogs.palette->selected},
          {"rows", std::move(rows)}};
}

json guide_json(const AppState& state) {
  if (!state.dialogs.guide) return nullptr;
  const GuideText text = guide_text(state);
  return {{"step", static_cast<std::size_t>(state.dialogs.guide->step) + 1},
          {"outcome", name_of(text.result.outcome)},
          {"sentence", text.result.sentence}};
}

json exercise_json(const AppState& state) {
  if (current_exercise(state) == nullptr) return nullptr;
  const ExerciseText text = exercise_text(state);
  return {{"name", current_exercise(state)->name},
          {"asked", state.dialogs.exercise->asked},
          {"said", state.dialogs.exercise->guess ? json(text.said) : json(nullptr)},
          {"result", text.result}};
}

json knobs_json(const engine::Spec& spec) {
  json file = json::object();
  for (const engine::Knob& knob : engine::knobs()) file[std::string(knob.name)] = knob.get(spec);
  return file;
}

json state_json(const AppState& state) {
  std::size_t points = 0;
  std::size_t probes = 0;
  std::size_t tried = 0;
  std::ptrdiff_t measured_roofs = 0;
  if (const engine::Session* session = current_session(state)) {
    for (const engine::Point& point : session->points) {
      ++(!in_sweep(point) ? tried : point.probe ? probes : points);
    }
    measured_roofs =
        std::ranges::count(session->roofs, engine::RoofSource::measured, &engine::Roof::source);
  }
  json notices = json::array();
  for (const Notice& notice : state.notices) notices.push_back(notice.text);
  const VerdictText verdict = verdict_text(state);
  return {
      {"looking", state.worker.looking},
      {"device", state.spec.device},
      {"sweep", state.worker.running.sweep},
      {"probe", state.worker.running.probe},
      {"done", state.worker.running.progress.done},
      {"total", state.worker.running.progress.total},
      {"cursor_repeat", state.cursor_repeat},
      {"points", points},
      {"probes", probes},
      {"lab", lab_on_screen(state).name},
      {"apart", shows_apart(state)},
      {"running_lab", state.worker.running.sweep ? state.worker.running.lab : ""},
      {"tried", tried},
      {"measured_roofs", measured_roofs},
      {"selected_roof", state.look.selected_roof},
      {"opened", state.documents.opened.size()},
      {"hidden", state.look.view.hidden},
      {"maximised", json_of(state.look.maximised)},
      {"presenting", state.look.presenting ? json(state.look.presenting->step) : json(nullptr)},
      {"controls_open", state.look.division.controls_open},
      {"focus", state.look.keys.control},
      {"rows_chosen", state.look.results.selected.size()},
      {"spec", knobs_json(state.spec)},
      {"light", state.look.light},
      {"tour", guide_json(state)},
      {"exercise", exercise_json(state)},
      {"inspected", state.look.inspected ? json(state.look.inspected->title) : json(nullptr)},
      {"dialog", dialog_json(state)},
      {"palette", palette_json(state)},
      {"closing", state.dialogs.closing.has_value()},
      {"log", state.dialogs.log},
      {"unsaved", unsaved(state).size()},
      {"recent", state.documents.recent},
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
  for (const auto& [name, plot] : map.plots) plots[name] = plot_json(plot);
  for (const UiMap::Legend& entry : map.legend)
    legend.push_back(
        {{"series", entry.series}, {"text", entry.text}, {"rect", json_of(entry.rect)}});
  const json file = {{"frame", map.frame},
                     {"window", {map.width, map.height}},
                     {"controls", std::move(controls)},
                     {"plots", std::move(plots)},
                     {"legend", std::move(legend)},
                     {"state", state_json(state)}};
  return file.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace ui
