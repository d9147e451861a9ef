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

void add_families(ActionAdder& list, const AppState& state) {
  const engine::Place* device = current_device(state);
  for (const kernels::Family family : engine::workloads()) {
    const std::string name(kernels::name_of(family));
    list.add("family." + name, "Kernel: " + name,
             {.why_not = device != nullptr ? why_not_family(*device, family) : still_looking,
              .chosen = state.spec.family() == family},
             [family](AppState& s, double now) { set_family(s, family, now); });
  }
}

void add_ops(ActionAdder& list, const AppState& state) {
  const engine::Place* device = current_device(state);
  const bool chooses = state.spec.family()->chooses_op;
  for (const kernels::Op op : engine::ops_to_choose()) {
    const std::string name(kernels::name_of(op));
    list.add("op." + name, "Op: " + name,
             {.why_not = device != nullptr ? why_not_op(*device, state.spec, op) : still_looking,
              .chosen = chooses && state.spec.op == op},
             [op](AppState& s, double now) { set_op(s, op, now); });
  }
}

void add_dtypes(ActionAdder& list, const AppState& state) {
  const engine::Place* device = current_device(state);
  const engine::Spec shown = spec_on_screen(state);
  for (const kernels::DtypeInfo& info : kernels::dtypes) {
    const std::string name(info.name);
    const kernels::Dtype dtype = info.dtype;
    list.add("dtype." + name, "Element type: " + name,
             {.why_not = device != nullptr ? why_not_dtype(*device, shown, dtype) : still_looking,
              .chosen = std::ranges::count(shown.dtypes, dtype) > 0},
             [dtype](AppState& s, double now) { toggle_dtype(s, dtype, now); });
  }
}

void add_fusions(ActionAdder& list, const AppState& state) {
  constexpr std::array fusions{std::pair{"fused", FusionChoice::fused},
                               std::pair{"unfused", FusionChoice::unfused},
                               std::pair{"both", FusionChoice::both}};
  for (const auto& [name, fusion] : fusions) {
    list.add(fmt::format("fusion.{}", name), fmt::format("Fusion: {}", name),
             {.why_not = why_no_device(state), .chosen = state.spec.fusion == fusion},
             [fusion](AppState& s, double now) { set_fusion(s, fusion, now); });
  }
}

void add_units(ActionAdder& list, const AppState& state) {
  const engine::Place* device = current_device(state);
  const UnitsChoice shown = spec_on_screen(state).units;
  constexpr std::array units{std::pair{"off", UnitsChoice::vector},
                             std::pair{"on", UnitsChoice::matrix},
                             std::pair{"both", UnitsChoice::both}};
  for (const auto& [name, choice] : units) {
    list.add(fmt::format("units.{}", name), fmt::format("{}: {}", matrix_units_name(device), name),
             {.why_not = device != nullptr ? why_not_units(*device, choice) : still_looking,
              .chosen = shown == choice},
             [choice](AppState& s, double now) { set_units(s, choice, now); });
  }
}

void add_data(ActionAdder& list, const AppState& state) {
  constexpr std::array contents{std::pair{"random", kernels::Data::random},
                                std::pair{"zeros", kernels::Data::zeros}};
  for (const auto& [name, data] : contents) {
    list.add(fmt::format("data.{}", name), fmt::format("Data: {}", name),
             {.why_not = why_no_device(state), .chosen = state.spec.data == data},
             [data](AppState& s, double now) { set_data(s, data, now); });
  }
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
