// What is kept, and closing the window.
#include <fmt/format.h>

#include "ui/actions/actions_parts.hpp"
#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"

namespace ui {

namespace {

void add_files(ActionAdder& list) {
  list.add("open", "Open a session", {.keys = {ctrl(Key{'O'})}}, show_open);
  list.add("save", "Save this session", {.keys = {ctrl(Key{'S'})}}, show_save);
  list.add("export", "Export the plots as PNG, SVG, PDF or HTML", {.keys = {ctrl(Key{'E'})}},
           show_export);
  list.add("copy", "Copy the picture to the clipboard", {.keys = {{Key{'C'}, true, true}}},
           copy_picture);
}

void add_sessions(ActionAdder& list, const AppState& state) {
  const engine::Session* session = current_session(state);
  const bool empty =
      state.documents.opened.empty() && (session == nullptr || session->points.empty());
  list.add("clear", "Clear points, opened sessions and measured roofs",
           {.why_not = empty ? "There is nothing to clear." : ""}, clear);
  list.add("recovered", "Open recovered sessions",
           {.why_not = state.documents.recovered.empty() ? "No recovered session is waiting." : ""},
           open_recovered);
  list.add("undo", "Restore what was cleared or closed",
           {.keys = {ctrl(Key{'Z'})},
            .why_not = state.documents.removed.empty() ? "Nothing was cleared or closed." : ""},
           undo);
  if (state.documents.opened.empty()) {
    list.add("replay", "Replay a session", {.why_not = "Open the session first (Ctrl+O)."},
             ActionAdder::TimedAct());
  }
  for (std::size_t i = 0; i < state.documents.opened.size(); ++i) {
    list.add(fmt::format("close.{}", i), "Close " + state.documents.opened[i].name, {},
             [i](AppState& s) { close_opened(s, i); });
    list.add(fmt::format("replay.{}", i), "Replay " + state.documents.opened[i].name, {},
             [i](AppState& s) { replay_opened(s, i); });
  }
  for (const std::string& path : state.documents.recent) {
    list.add("recent." + path, "Open " + path, {}, [path](AppState& s) { open_paths(s, {path}); });
  }
}

}  // namespace

void add_files(std::vector<Action>& all, const AppState& state) {
  ActionAdder list(all, Topic::keep);
  add_files(list);
  add_sessions(list, state);
  list.add("ask", "Ask about unsaved sweeps before closing",
           {.chosen = state.dialogs.ask_before_closing},
           [](AppState& s) { s.dialogs.ask_before_closing = !s.dialogs.ask_before_closing; });
  list.add("quit", "Close the window", {.keys = {ctrl(Key{'Q'}), ctrl(Key{'W'})}}, close_window);
}

}  // namespace ui
