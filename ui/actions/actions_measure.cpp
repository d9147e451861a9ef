// What is measured, and how.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "engine/labs/lab.hpp"
#include "kernels/families/family.hpp"
#include "ui/actions/actions_parts.hpp"
#include "ui/actions/intents.hpp"
#include "ui/model/availability.hpp"
#include "ui/screen/exercise.hpp"
#include "ui/screen/progress.hpp"

namespace ui {

namespace {

using engine::FusionChoice;
using engine::Place;
using engine::UnitsChoice;

void add_runs(ActionAdder& list, const AppState& state) {
  const std::string no_device = why_no_device(state);
  const std::string no_search = why_no_search(state);
  const std::string title = state.worker.running.sweep
                                ? stop_text(state)
                                : fmt::format("Run: {}", lab_on_screen(state).title);
  list.add("run", title, {.keys = {{Key{' '}}}, .why_not = no_device}, toggle_run);
  list.add("run.all", "Run all labs", {.why_not = no_device}, run_all_labs);
  for (const engine::Lab* lab : engine::labs()) {
    if (lab == &lab_on_screen(state)) continue;
    list.add(fmt::format("run.{}", lab->name), fmt::format("Run: {}", lab->title),
             {.why_not = why_no_lab(current_device(state), *lab)},
             [lab](AppState& s) { show_lab(s, *lab, true); });
  }
  list.add("probe", "Measure the point at the slider", {.why_not = no_device}, probe);
  list.add("remeasure", "Measure all roofs and search kernel shapes again", {.why_not = no_search},
           [](AppState& s) { measure_roofs(s, true); });
}

/// While an exercise waits for what the user expects, the arrows say it.
void add_guesses(ActionAdder& list) {
  list.add("guess.less", "Expect less", {.keys = {{Key::left}}},
           [](AppState& s) { step_guess(s, -1); });
  list.add("guess.more", "Expect more", {.keys = {{Key::right}}},
           [](AppState& s) { step_guess(s, 1); });
}

void add_intensity(ActionAdder& list, const AppState& state) {
  if (hides_points(state)) return add_guesses(list);
  const std::string no_device = why_no_device(state);
  list.add("intensity.less", "Fewer ops per element", {.keys = {{Key::left}}, .why_not = no_device},
           [](AppState& s, double now) { step_cursor(s, -1, now); });
  list.add("intensity.more", "More ops per element", {.keys = {{Key::right}}, .why_not = no_device},
           [](AppState& s, double now) { step_cursor(s, 1, now); });
  list.add("intensity.least", "One op per element", {.keys = {{Key::home}}, .why_not = no_device},
           [](AppState& s, double now) { set_cursor(s, 1, now); });
  list.add("intensity.most", "Maximum ops per element",
           {.keys = {{Key::end}}, .why_not = no_device},
           [](AppState& s, double now) { set_cursor(s, kernels::max_repeat, now); });
  list.add("elements.auto", "Elements: default for the device",
           {.why_not = no_device, .chosen = state.spec.elements == 0},
           [](AppState& s, double now) { set_elements(s, 0, now); });
}

void add_devices(ActionAdder& list, const AppState& state) {
  for (const engine::Place& device : state.worker.devices) {
    const std::string& id = device.info.id;
    list.add("device." + id, fmt::format("Device: {}, {}", id, device.info.name),
             {.chosen = id == state.spec.device},
             [id](AppState& s, double now) { set_device(s, id, now); });
  }
  for (const kernels::Unavailable& missing : state.worker.unavailable) {
    list.add("device." + missing.id, "Device: " + missing.id, {.why_not = missing.why},
             ActionAdder::TimedAct());
  }
}

/// "Op: fma", which `set` sets to that value; `why_not` says why a device cannot have it.
template <class Value, class WhyNot>
void add_value(ActionAdder& list, const AppState& state, std::array<std::string_view, 3> names,
               bool chosen, Value value, void (*set)(AppState&, Value, double now),
               const WhyNot& why_not) {
  const auto& [kind, title, name] = names;
  const Place* device = current_device(state);
  list.add(fmt::format("{}.{}", kind, name), fmt::format("{}{}", title, name),
           {.why_not = device != nullptr ? why_not(*device) : still_looking, .chosen = chosen},
           [set, value](AppState& s, double now) { set(s, value, now); });
}

std::string no_reason(const Place&) { return {}; }

void add_families(ActionAdder& list, const AppState& state) {
  for (const kernels::Family family : engine::workloads())
    add_value(list, state, {"family", "Kernel: ", name_of(family)}, state.spec.family() == family,
              family, set_family,
              [&](const Place& device) { return why_not_family(device, family); });
}

void add_ops(ActionAdder& list, const AppState& state) {
  const bool chooses = state.spec.family()->chooses_op;
  for (const kernels::Op op : engine::ops_to_choose())
    add_value(list, state, {"op", "Op: ", name_of(op)}, chooses && state.spec.op == op, op, set_op,
              [&](const Place& device) { return why_not_op(device, state.spec, op); });
}

void add_dtypes(ActionAdder& list, const AppState& state) {
  const engine::Spec shown = spec_on_screen(state);
  for (const kernels::DtypeInfo& info : kernels::dtypes)
    add_value(list, state, {"dtype", "Element type: ", info.name},
              std::ranges::count(shown.dtypes, info.dtype) > 0, info.dtype, toggle_dtype,
              [&](const Place& device) { return why_not_dtype(device, shown, info.dtype); });
}

void add_fusions(ActionAdder& list, const AppState& state) {
  constexpr std::array fusions{std::pair{"fused", FusionChoice::fused},
                               std::pair{"unfused", FusionChoice::unfused},
                               std::pair{"both", FusionChoice::both}};
  for (const auto& [name, fusion] : fusions)
    add_value(list, state, {"fusion", "Fusion: ", name}, state.spec.fusion == fusion, fusion,
              set_fusion, no_reason);
}

void add_units(ActionAdder& list, const AppState& state) {
  const UnitsChoice shown = spec_on_screen(state).units;
  const std::string title = fmt::format("{}: ", matrix_units_name(current_device(state)));
  constexpr std::array units{std::pair{"off", UnitsChoice::vector},
                             std::pair{"on", UnitsChoice::matrix},
                             std::pair{"both", UnitsChoice::both}};
  for (const auto& [name, choice] : units)
    add_value(list, state, {"units", title, name}, shown == choice, choice, set_units,
              [which = choice](const Place& device) { return why_not_units(device, which); });
}

void add_data(ActionAdder& list, const AppState& state) {
  for (const kernels::Data data : {kernels::Data::random, kernels::Data::zeros})
    add_value(list, state, {"data", "Data: ", name_of(data)}, state.spec.data == data, data,
              set_data, no_reason);
}

/// The knobs of the spec that are chosen among a few values.
struct Choices {
  std::string_view kind;
  void (*add)(ActionAdder&, const AppState&);
};
constexpr std::array choices{Choices{"family", add_families}, Choices{"op", add_ops},
                             Choices{"dtype", add_dtypes},    Choices{"fusion", add_fusions},
                             Choices{"units", add_units},     Choices{"data", add_data}};

}  // namespace

std::vector<Action> choices_of(const AppState& state, std::string_view kind) {
  std::vector<Action> all;
  ActionAdder list(all, Topic::measure);
  std::ranges::find(choices, kind, &Choices::kind)->add(list, state);
  return all;
}

void add_measuring(std::vector<Action>& all, const AppState& state) {
  ActionAdder list(all, Topic::measure);
  add_runs(list, state);
  add_intensity(list, state);
  add_devices(list, state);
  for (const Choices& each : choices) each.add(list, state);
}

}  // namespace ui
