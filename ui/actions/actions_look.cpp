// What is shown, and how.
#include <fmt/format.h>

#include <array>
#include <tuple>
#include <utility>

#include "ui/actions/actions_parts.hpp"
#include "ui/actions/intents.hpp"
#include "ui/screen/compared.hpp"
#include "ui/screen/exercise.hpp"
#include "ui/screen/limits.hpp"

namespace ui {

namespace {

void add_views(ActionAdder& list, const AppState& state) {
  for (const engine::Lab* lab : engine::labs()) {
    list.add(fmt::format("lab.{}", lab->name), fmt::format("Show the lab: {}", lab->title),
             {.chosen = lab == &lab_on_screen(state)}, [lab](AppState& s) { show_lab(s, *lab); });
  }
  const std::string apart = titles_of(lab_on_screen(state), true);
  list.add("apart", fmt::format("Show: {}", apart.empty() ? "the other charts" : apart),
           {.why_not = apart.empty() ? "This lab has one page of charts." : "",
            .chosen = shows_apart(state)},
           [](AppState& s) { show_apart(s, !s.look.apart); });
  list.add("compare", state.look.comparing ? "Back from the comparison" : "Compare A and B",
           {.why_not = state.look.comparing ? "" : why_no_comparison(state),
            .chosen = state.look.comparing.has_value()},
           [](AppState& s) { s.look.comparing ? hide_comparison(s) : show_comparison(s); });
  constexpr std::array axes{
      std::tuple{"repeat", "ops per element", XAxis::repeat},
      std::tuple{"FLOP/byte", "FLOP/byte", XAxis::intensity},
      std::tuple{"both", "ops per element, with FLOP/byte above", XAxis::both}};
  for (const auto& [name, title, axis] : axes)
    list.add(fmt::format("x.{}", name), fmt::format("Horizontal axis: {}", title),
             {.chosen = state.look.view.x == axis}, [x = axis](AppState& s) { set_x_axis(s, x); });
  list.add("what_if.none", "What if: none", {.chosen = !state.look.view.what_if},
           [](AppState& s) { set_what_if(s, std::nullopt); });
  for (std::size_t i = 0; i < state.documents.sheets.size(); ++i) {
    const std::string& name = state.documents.sheets[i].name;
    list.add("what_if." + name, "What if: " + name,
             {.chosen = state.look.view.what_if && state.look.view.what_if->device.name == name},
             [i](AppState& s) { set_what_if(s, i); });
  }
}

/// One plot alone.
void add_alone(ActionAdder& list, const AppState& state) {
  constexpr std::array digits{Key{'1'}, Key{'2'}, Key{'3'}, Key{'4'}};
  const std::vector<engine::Chart> charts = charts_on_screen(state);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool there = i < charts.size() && !lab_on_screen(state).lists_roofs;
    const std::string id(there ? charts[i].id : "");
    list.add(fmt::format("alone.{}", i + 1),
             there ? fmt::format("{} alone", charts[i].title) : fmt::format("Plot {} alone", i + 1),
             {.keys = {{digits[i]}},
              .why_not = there ? "" : "This lab has no such plot.",
              .chosen = there && state.look.maximised == id},
             [id](AppState& s) { maximise(s, id); });
  }
}

/// What stands below the plots.
void add_below(ActionAdder& list, const AppState& state) {
  constexpr std::array below{std::pair{"verdict", Below::verdict}, std::pair{"claim", Below::claim},
                             std::pair{"results", Below::results}};
  for (const auto& [name, what] : below) {
    list.add(fmt::format("below.{}", name), fmt::format("Below the plots: {}", name),
             {.chosen = state.look.below == what}, [what](AppState& s) { s.look.below = what; });
  }
}

void add_guide(ActionAdder& list, const AppState& state) {
  const std::string off = state.dialogs.guide ? "" : "The tour is not on.";
  const Exercising* exercise = state.dialogs.exercise ? &*state.dialogs.exercise : nullptr;
  list.add("tour.start", "Start the tour", {}, start_guide);
  if (exercise != nullptr) {
    const std::size_t next = (exercise->number + 1) % state.documents.exercises.size();
    list.add("exercise-next", "Next exercise", {.keys = {{Key{'N'}}}},
             [next](AppState& s) { start_exercise(s, next); });
  } else {
    list.add("tour.next", "Next step of the tour", {.keys = {{Key{'N'}}}, .why_not = off},
             next_guide_step);
  }
  list.add("tour.leave", "Leave the tour", {.why_not = off}, leave_guide);
}

void add_exercises(ActionAdder& list, const AppState& state) {
  const std::vector<engine::Exercise>& all = state.documents.exercises;
  list.add("exercises", "Exercises", {.why_not = all.empty() ? "No exercises are installed." : ""},
           show_exercises);
  for (std::size_t i = 0; i < all.size(); ++i) {
    list.add("exercise." + all[i].name, "Exercise: " + all[i].title,
             {.why_not = why_not_exercise(state, all[i]),
              .chosen = state.dialogs.exercise && state.dialogs.exercise->number == i},
             [i](AppState& s) { start_exercise(s, i); });
  }
  if (current_exercise(state) == nullptr) return;
  list.add("exercise-measure", "Measure the exercise",
           {.keys = {{Key::enter}}, .why_not = exercise_text(state).why_not}, measure_exercise);
  list.add("exercise-leave", "Leave the exercise", {}, leave_exercise);
}

/// How large everything is, and in which colours.
void add_sizes(ActionAdder& list, const AppState& state) {
  list.add("larger", "Larger", {.keys = {ctrl(Key{'='})}}, [](AppState& s) { magnify(s, 1); });
  list.add("smaller", "Smaller", {.keys = {ctrl(Key{'-'})}}, [](AppState& s) { magnify(s, -1); });
  list.add("size", "Default size", {.keys = {ctrl(Key{'0'})}}, [](AppState& s) { magnify(s, 0); });
  list.add("theme", state.look.light ? "Dark window" : "Light window", {.keys = {ctrl(Key{'L'})}},
           [](AppState& s) {
             s.look.light = !s.look.light;
             s.look.follow_desktop = false;
           });
}

/// What lies over the plots, and what is folded away.
void add_window_looks(ActionAdder& list, const AppState& state) {
  list.add("fold", state.look.division.controls_open ? "Hide the controls" : "Show the controls",
           {.keys = {ctrl(Key{'B'})}}, fold_controls);
  list.add("present", "Present the charts, step by step", {.keys = {{Key::f11}}}, present);
  list.add("theme.desktop", "Follow the desktop theme", {.chosen = state.look.follow_desktop},
           [](AppState& s) { s.look.follow_desktop = true; });
  list.add("log", state.dialogs.log ? "Close the log" : "Show the log",
           {.keys = {ctrl(Key{'J'})}, .chosen = state.dialogs.log}, toggle_log);
  list.add("palette", "Find a command", {.keys = {ctrl(Key{'P'})}}, show_palette);
  list.add("help", "Keys and mouse", {.keys = {{Key::f1}}},
           [](AppState& s) { s.dialogs.help = true; });
}

}  // namespace

void add_looks(std::vector<Action>& all, const AppState& state) {
  ActionAdder list(all, Topic::look);
  add_views(list, state);
  list.add("fit", "Fit all axes to the data",
           {.keys = {{Key{'F'}}}, .chosen = !is_zoomed(state.look.zoom)},
           [](AppState& s) { s.look.zoom = {}; });
  list.add("lock", "Lock all axes", {.keys = {{Key{'K'}}}}, lock_axes);
  add_alone(list, state);
  add_below(list, state);
  add_sizes(list, state);
  add_guide(list, state);
  add_exercises(list, state);
  add_window_looks(list, state);
}

void add_presenting(std::vector<Action>& all, const AppState& state) {
  ActionAdder list(all, Topic::look);
  const auto steps = [](int count) {
    return [count](AppState& s) { step_presentation(s, count); };
  };
  // Those of remote controls, too.
  list.add("present.next", "Next step",
           {.keys = {{Key::right}, {Key::down}, {Key::page_down}, {Key{' '}}}}, steps(1));
  list.add("present.back", "One step back", {.keys = {{Key::left}, {Key::up}, {Key::page_up}}},
           steps(-1));
  list.add("present.first", "First step", {.keys = {{Key::home}}}, steps(-all_steps));
  list.add("present.last", "Last step", {.keys = {{Key::end}}}, steps(all_steps));
  list.add("present.title", "Type another title", {.keys = {{Key{'T'}}}},
           [](AppState& s) { s.look.presenting->types_title = true; });
  list.add("present", "Stop presenting", {.keys = {{Key::f11}}}, present);
  add_alone(list, state);
  add_sizes(list, state);
  list.add("quit", "Close the window", {.keys = {ctrl(Key{'Q'}), ctrl(Key{'W'})}}, close_window);
}

}  // namespace ui
