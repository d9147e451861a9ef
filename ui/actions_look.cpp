// What is shown, and how.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "ui/actions_parts.hpp"
#include "ui/intents.hpp"
#include "ui/limits.hpp"

namespace ui {

namespace {

void add_views(ActionAdder& list, const AppState& state) {
  constexpr std::array views{std::pair{"Sweep", Shown::sweep},
                             std::pair{"Speed-up", Shown::speedup},
                             std::pair{"Roofs", Shown::roofs}};
  for (const auto& [name, shown] : views) {
    list.add(fmt::format("show.{}", name), fmt::format("Show: {}", name),
             {.chosen = state.shown == shown}, [shown](AppState& s) { show(s, shown); });
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
    list.add(fmt::format("x.{}", name), fmt::format("Horizontal axis: {}", title),
             {.chosen = state.view.x == x}, [x](AppState& s) { set_x_axis(s, x); });
  }
  list.add("what_if.none", "What if: none", {.chosen = !state.view.what_if},
           [](AppState& s) { set_what_if(s, std::nullopt); });
  for (std::size_t i = 0; i < state.sheets.size(); ++i) {
    const std::string& name = state.sheets[i].name;
    list.add("what_if." + name, "What if: " + name,
             {.chosen = state.view.what_if && state.view.what_if->device.name == name},
             [i](AppState& s) { set_what_if(s, i); });
  }
}

/// One plot alone, and what stands below the plots.
void add_panels(ActionAdder& list, const AppState& state) {
  constexpr std::array digits{Key::one, Key::two, Key::three, Key::four};
  const std::vector<Panel> panels = panels_on_screen(state);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool there = i < panels.size() && state.shown != Shown::roofs;
    const Panel panel = there ? panels[i] : Panel::roofline;
    list.add(fmt::format("alone.{}", i + 1),
             there ? fmt::format("{} alone", title_of(panel)) : fmt::format("Plot {} alone", i + 1),
             {.keys = {{digits[i]}},
              .why_not = there ? "" : "This view has no such plot.",
              .chosen = there && state.maximised == panel},
             [panel](AppState& s) { maximise(s, panel); });
  }
  constexpr std::array below{std::pair{"verdict", Below::verdict},
                             std::pair{"results", Below::results}};
  for (const auto& [name, what] : below) {
    list.add(fmt::format("below.{}", name), fmt::format("Below the plots: {}", name),
             {.chosen = state.below == what}, [what](AppState& s) { s.below = what; });
  }
}

/// How large everything is, in which colours, and what lies over it.
void add_window_looks(ActionAdder& list, const AppState& state) {
  list.add("fold",
           state.division.controls_open ? "Fold the controls away" : "Bring the controls back",
           {.keys = {ctrl(Key::b)}}, fold_controls);
  list.add("larger", "Larger", {.keys = {ctrl(Key::plus)}}, [](AppState& s) { magnify(s, 1); });
  list.add("smaller", "Smaller", {.keys = {ctrl(Key::minus)}}, [](AppState& s) { magnify(s, -1); });
  list.add("size", "As large as the monitor says", {.keys = {ctrl(Key::zero)}},
           [](AppState& s) { magnify(s, 0); });
  list.add("theme", state.light ? "Dark window" : "Light window", {.keys = {ctrl(Key::l)}},
           [](AppState& s) {
             s.light = !s.light;
             s.follow_desktop = false;
           });
  list.add("theme.desktop", "Light or dark as the desktop", {.chosen = state.follow_desktop},
           [](AppState& s) { s.follow_desktop = true; });
  list.add("log", state.log ? "Close the log" : "Log of all messages",
           {.keys = {ctrl(Key::j)}, .chosen = state.log}, toggle_log);
  list.add("palette", "Every command by name", {.keys = {ctrl(Key::p)}}, show_palette);
  list.add("help", "Keys and mouse", {.keys = {{Key::f1}}}, [](AppState& s) { s.help = true; });
}

}  // namespace

void add_looks(std::vector<Action>& all, const AppState& state) {
  ActionAdder list(all, Topic::look);
  add_views(list, state);
  list.add("fit", "Fit all axes to the data",
           {.keys = {{Key::f}}, .chosen = !is_zoomed(state.zoom)}, fit_axes);
  list.add("lock", "Keep all axes as they are", {.keys = {{Key::k}}}, lock_axes);
  add_panels(list, state);
  add_window_looks(list, state);
}

}  // namespace ui
