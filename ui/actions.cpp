#include "ui/actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "ui/availability.hpp"
#include "ui/intents.hpp"
#include "ui/keeping.hpp"
#include "ui/limits.hpp"
#include "ui/progress.hpp"

namespace ui {

namespace {

using Actions = std::vector<Action>;
using engine::FusionChoice;
using engine::UnitsChoice;

constexpr KeyPress ctrl(Key key) { return {key, true}; }

std::string without_device(const AppState& state) {
  return current_device(state) == nullptr ? still_looking : std::string();
}

std::string run_title(const AppState& state) {
  if (state.running.sweep) return stop_text(state);
  return state.shown == Shown::roofs ? "Measure all roofs" : "Run the sweep";
}

void add_measuring(Actions& all, const AppState& state) {
  const std::string no_device = without_device(state);
  all.push_back({"run",
                 run_title(state),
                 Topic::measure,
                 {{Key::space}},
                 no_device,
                 false,
                 [](AppState& s, double) { toggle_run(s); }});
  all.push_back({"probe",
                 "Measure the point at the slider",
                 Topic::measure,
                 {},
                 no_device,
                 false,
                 [](AppState& s, double) { probe(s); }});
  all.push_back({"roofs",
                 "Measure all roofs, with the shapes found before",
                 Topic::measure,
                 {},
                 why_no_search(state),
                 false,
                 [](AppState& s, double) { measure_roofs(s, false); }});
  all.push_back({"remeasure",
                 "Measure all roofs, searching their kernel shapes anew",
                 Topic::measure,
                 {},
                 why_no_search(state),
                 false,
                 [](AppState& s, double) { measure_roofs(s, true); }});
}

void add_intensity(Actions& all, const AppState& state) {
  const std::string no_device = without_device(state);
  all.push_back({"intensity.less",
                 "Lower the intensity",
                 Topic::measure,
                 {{Key::left}},
                 no_device,
                 false,
                 [](AppState& s, double now) { step_cursor(s, -1, now); }});
  all.push_back({"intensity.more",
                 "Raise the intensity",
                 Topic::measure,
                 {{Key::right}},
                 no_device,
                 false,
                 [](AppState& s, double now) { step_cursor(s, 1, now); }});
  all.push_back({"intensity.least",
                 "One op per element",
                 Topic::measure,
                 {{Key::home}},
                 no_device,
                 false,
                 [](AppState& s, double now) { set_cursor(s, 1, now); }});
  all.push_back({"intensity.most",
                 "As many ops per element as there can be",
                 Topic::measure,
                 {{Key::end}},
                 no_device,
                 false,
                 [](AppState& s, double now) { set_cursor(s, kernels::max_repeat, now); }});
  all.push_back({"elements.auto",
                 "Elements: as many as fit the device",
                 Topic::measure,
                 {},
                 no_device,
                 state.spec.elements == 0,
                 [](AppState& s, double now) { set_elements(s, 0, now); }});
}

void add_devices(Actions& all, const AppState& state) {
  for (const engine::DeviceSummary& device : state.devices) {
    const std::string& id = device.info.id;
    all.push_back({"device." + id,
                   fmt::format("Device: {}, {}", id, device.info.name),
                   Topic::measure,
                   {},
                   {},
                   id == state.spec.device,
                   [id](AppState& s, double now) { set_device(s, id, now); }});
  }
  for (const kernels::Unavailable& missing : state.unavailable) {
    all.push_back({"device." + missing.id,
                   "Device: " + missing.id,
                   Topic::measure,
                   {},
                   missing.why,
                   false,
                   {}});
  }
}

void add_kernels(Actions& all, const AppState& state) {
  const engine::DeviceSummary* device = current_device(state);
  for (const kernels::Family family : {kernels::Family::chain, kernels::Family::tile}) {
    const std::string name(kernels::name_of(family));
    all.push_back({"family." + name,
                   "Kernel: " + name,
                   Topic::measure,
                   {},
                   device != nullptr ? why_not_family(*device, family) : still_looking,
                   state.spec.family() == family,
                   [family](AppState& s, double now) { set_family(s, family, now); }});
  }
  const bool chain = state.spec.family() == kernels::Family::chain;
  for (const kernels::Op op : {kernels::Op::mul, kernels::Op::add, kernels::Op::fma}) {
    const std::string name(kernels::name_of(op));
    all.push_back({"op." + name,
                   "Op: " + name,
                   Topic::measure,
                   {},
                   device != nullptr ? why_not_op(*device, state.spec, op) : still_looking,
                   chain && state.spec.op == op,
                   [op](AppState& s, double now) { set_op(s, op, now); }});
  }
  for (const kernels::DtypeInfo& info : kernels::dtypes) {
    const std::string name(info.name);
    const kernels::Dtype dtype = info.dtype;
    all.push_back({"dtype." + name,
                   "Element type: " + name,
                   Topic::measure,
                   {},
                   device != nullptr ? why_not_dtype(*device, state.spec, dtype) : still_looking,
                   std::ranges::count(state.spec.dtypes, dtype) > 0,
                   [dtype](AppState& s, double now) { toggle_dtype(s, dtype, now); }});
  }
}

void add_choices(Actions& all, const AppState& state) {
  const engine::DeviceSummary* device = current_device(state);
  const std::string no_device = without_device(state);
  constexpr std::array fusions{std::pair{"fused", FusionChoice::fused},
                               std::pair{"unfused", FusionChoice::unfused},
                               std::pair{"both", FusionChoice::both}};
  for (const auto& [name, fusion] : fusions) {
    all.push_back({fmt::format("fusion.{}", name),
                   fmt::format("Fusion: {}", name),
                   Topic::measure,
                   {},
                   no_device,
                   state.spec.fusion == fusion,
                   [fusion](AppState& s, double now) { set_fusion(s, fusion, now); }});
  }
  const std::string_view matrix = device != nullptr ? matrix_units_name(*device) : "Tensor cores";
  constexpr std::array units{std::pair{"off", UnitsChoice::vector},
                             std::pair{"on", UnitsChoice::matrix},
                             std::pair{"both", UnitsChoice::both}};
  for (const auto& [name, choice] : units) {
    all.push_back({fmt::format("units.{}", name),
                   fmt::format("{}: {}", matrix, name),
                   Topic::measure,
                   {},
                   device != nullptr ? why_not_units(*device, choice) : still_looking,
                   state.spec.units == choice,
                   [choice](AppState& s, double now) { set_units(s, choice, now); }});
  }
  constexpr std::array contents{std::pair{"random", kernels::Data::random},
                                std::pair{"zeros", kernels::Data::zeros}};
  for (const auto& [name, data] : contents) {
    all.push_back({fmt::format("data.{}", name),
                   fmt::format("Data: {}", name),
                   Topic::measure,
                   {},
                   no_device,
                   state.spec.data == data,
                   [data](AppState& s, double now) { set_data(s, data, now); }});
  }
}

void add_views(Actions& all, const AppState& state) {
  constexpr std::array views{std::pair{"Sweep", Shown::sweep},
                             std::pair{"Speed-up", Shown::speedup},
                             std::pair{"Roofs", Shown::roofs}};
  for (const auto& [name, shown] : views) {
    all.push_back({fmt::format("show.{}", name),
                   fmt::format("Show: {}", name),
                   Topic::look,
                   {},
                   {},
                   state.shown == shown,
                   [shown](AppState& s, double) { show(s, shown); }});
  }
  struct Axis {
    const char* name;
    const char* title;
    XAxis x;
  };
  constexpr std::array axes{Axis{"repeat", "repeat", XAxis::repeat},
                            Axis{"FLOP/byte", "FLOP/byte", XAxis::intensity},
                            Axis{"both", "repeat, with FLOP/byte above", XAxis::both}};
  for (const auto& [name, title, x] : axes) {
    all.push_back({fmt::format("x.{}", name),
                   fmt::format("Horizontal axis: {}", title),
                   Topic::look,
                   {},
                   {},
                   state.view.x == x,
                   [x](AppState& s, double) { set_x_axis(s, x); }});
  }
  all.push_back({"what_if.none",
                 "What if: none",
                 Topic::look,
                 {},
                 {},
                 !state.view.what_if,
                 [](AppState& s, double) { set_what_if(s, std::nullopt); }});
  for (std::size_t i = 0; i < state.sheets.size(); ++i) {
    const std::string& name = state.sheets[i].name;
    all.push_back({"what_if." + name,
                   "What if: " + name,
                   Topic::look,
                   {},
                   {},
                   state.view.what_if && state.view.what_if->device.name == name,
                   [i](AppState& s, double) { set_what_if(s, i); }});
  }
}

/// One plot alone, and what stands below the plots.
void add_panels(Actions& all, const AppState& state) {
  constexpr std::array digits{Key::one, Key::two, Key::three, Key::four};
  const std::vector<Panel> panels = panels_on_screen(state);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool there = i < panels.size() && state.shown != Shown::roofs;
    const Panel panel = there ? panels[i] : Panel::roofline;
    all.push_back(
        {fmt::format("alone.{}", i + 1),
         there ? fmt::format("{} alone", title_of(panel)) : fmt::format("Plot {} alone", i + 1),
         Topic::look,
         {{digits[i]}},
         there ? "" : "This view has no such plot.",
         there && state.maximised == panel,
         [panel](AppState& s, double) { maximise(s, panel); }});
  }
  constexpr std::array below{std::pair{"verdict", Below::verdict},
                             std::pair{"results", Below::results}};
  for (const auto& [name, what] : below) {
    all.push_back({fmt::format("below.{}", name),
                   fmt::format("Below the plots: {}", name),
                   Topic::look,
                   {},
                   {},
                   state.below == what,
                   [what](AppState& s, double) { s.below = what; }});
  }
}

void add_looks(Actions& all, const AppState& state) {
  all.push_back({"fit",
                 "Fit all axes to the data",
                 Topic::look,
                 {{Key::f}},
                 {},
                 !is_zoomed(state.zoom),
                 [](AppState& s, double) { fit_axes(s); }});
  all.push_back({"lock",
                 "Keep all axes as they are",
                 Topic::look,
                 {{Key::k}},
                 {},
                 false,
                 [](AppState& s, double) { lock_axes(s); }});
  add_panels(all, state);
  all.push_back(
      {"fold",
       state.division.controls_open ? "Fold the controls away" : "Bring the controls back",
       Topic::look,
       {ctrl(Key::b)},
       {},
       false,
       [](AppState& s, double) { fold_controls(s); }});
  all.push_back(
      {"larger", "Larger", Topic::look, {ctrl(Key::plus)}, {}, false, [](AppState& s, double) {
         magnify(s, 1);
       }});
  all.push_back(
      {"smaller", "Smaller", Topic::look, {ctrl(Key::minus)}, {}, false, [](AppState& s, double) {
         magnify(s, -1);
       }});
  all.push_back({"size",
                 "As large as the monitor says",
                 Topic::look,
                 {ctrl(Key::zero)},
                 {},
                 false,
                 [](AppState& s, double) { magnify(s, 0); }});
  all.push_back({"theme",
                 state.light ? "Dark window" : "Light window",
                 Topic::look,
                 {ctrl(Key::l)},
                 {},
                 false,
                 [](AppState& s, double) { s.light = !s.light; }});
  all.push_back({"log",
                 state.log ? "Close the log" : "Log of all messages",
                 Topic::look,
                 {ctrl(Key::j)},
                 {},
                 state.log,
                 [](AppState& s, double) { toggle_log(s); }});
  all.push_back({"palette",
                 "Every command by name",
                 Topic::look,
                 {ctrl(Key::p)},
                 {},
                 false,
                 [](AppState& s, double) { show_palette(s); }});
  all.push_back(
      {"help", "Keys and mouse", Topic::look, {{Key::f1}}, {}, false, [](AppState& s, double) {
         s.help = true;
       }});
}

void add_files(Actions& all, const AppState& state) {
  const bool empty = state.opened.empty() &&
                     (current_session(state) == nullptr || current_session(state)->points.empty());
  all.push_back(
      {"open", "Open a session", Topic::keep, {ctrl(Key::o)}, {}, false, [](AppState& s, double) {
         show_open(s);
       }});
  all.push_back({"save",
                 "Save this session",
                 Topic::keep,
                 {ctrl(Key::s)},
                 {},
                 false,
                 [](AppState& s, double) { show_save(s); }});
  all.push_back({"export",
                 "Export the plots as PNG, SVG or PDF",
                 Topic::keep,
                 {ctrl(Key::e)},
                 {},
                 false,
                 [](AppState& s, double) { show_export(s); }});
  all.push_back({"copy",
                 "Copy the picture to the clipboard",
                 Topic::keep,
                 {{Key::c, true, true}},
                 {},
                 false,
                 [](AppState& s, double) { copy_picture(s); }});
  all.push_back({"clear",
                 "Clear points, opened sessions and measured roofs",
                 Topic::keep,
                 {},
                 empty ? "There is nothing to clear." : "",
                 false,
                 [](AppState& s, double) { clear(s); }});
  all.push_back({"undo",
                 "Bring back what was cleared or closed",
                 Topic::keep,
                 {ctrl(Key::z)},
                 state.removed.empty() ? "Nothing was cleared or closed." : "",
                 false,
                 [](AppState& s, double) { undo(s); }});
  for (std::size_t i = 0; i < state.opened.size(); ++i) {
    all.push_back({fmt::format("close.{}", i),
                   "Close " + state.opened[i].name,
                   Topic::keep,
                   {},
                   {},
                   false,
                   [i](AppState& s, double) { close_opened(s, i); }});
  }
  for (const std::string& path : state.recent) {
    all.push_back(
        {"recent." + path, "Open " + path, Topic::keep, {}, {}, false, [path](AppState& s, double) {
           open_paths(s, {path});
         }});
  }
}

void add_window(Actions& all, const AppState& state) {
  all.push_back({"ask",
                 "Ask about unsaved sweeps before closing",
                 Topic::keep,
                 {},
                 {},
                 state.ask_before_closing,
                 [](AppState& s, double) { s.ask_before_closing = !s.ask_before_closing; }});
  all.push_back({"quit",
                 "Close the window",
                 Topic::keep,
                 {ctrl(Key::q), ctrl(Key::w)},
                 {},
                 false,
                 [](AppState& s, double) { close_window(s); }});
}

}  // namespace

std::string name_of(KeyPress press) {
  constexpr std::array names{"Space", "Enter", "Escape", "Tab", "Left", "Right", "Up", "Down",
                             "Home",  "End",   "1",      "2",   "3",    "4",     "B",  "C",
                             "E",     "F",     "J",      "K",   "L",    "O",     "P",  "Q",
                             "S",     "W",     "Z",      "F1",  "plus", "minus", "0"};
  const std::string name = names.at(static_cast<std::size_t>(press.key));
  return (press.ctrl ? "Ctrl+" : "") + ((press.shift ? "Shift+" : "") + name);
}

std::vector<Action> actions_of(const AppState& state) {
  Actions all;
  add_measuring(all, state);
  add_intensity(all, state);
  add_devices(all, state);
  add_kernels(all, state);
  add_choices(all, state);
  add_views(all, state);
  add_looks(all, state);
  add_files(all, state);
  add_window(all, state);
  return all;
}

std::string keys_of(const Action& action) {
  std::string names;
  for (const KeyPress& key : action.keys) names += (names.empty() ? "" : ", ") + name_of(key);
  return names;
}

void press(AppState& state, KeyPress key, double now) {
  // On many keyboards these need Shift.
  if (key.key == Key::plus || key.key == Key::minus || key.key == Key::zero) key.shift = false;
  for (const Action& action : actions_of(state)) {
    if (std::ranges::find(action.keys, key) == action.keys.end()) continue;
    if (action.why_not.empty()) {
      action.act(state, now);
    } else {
      notify(state, action.why_not, false);
    }
    return;
  }
}

}  // namespace ui
