// What is kept, and closing the window.
#include <fmt/format.h>

#include "ui/actions_parts.hpp"
#include "ui/intents.hpp"
#include "ui/keeping.hpp"

namespace ui {

namespace {

void add_files(ActionAdder& list) {
  list.add("open", "Open a session", {.keys = {ctrl(Key::o)}}, show_open);
  list.add("save", "Save this session", {.keys = {ctrl(Key::s)}}, show_save);
  list.add("export", "Export the plots as PNG, SVG or PDF", {.keys = {ctrl(Key::e)}}, show_export);
  list.add("copy", "Copy the picture to the clipboard", {.keys = {{Key::c, true, true}}},
           copy_picture);
}

void add_sessions(ActionAdder& list, const AppState& state) {
  const engine::Session* session = current_session(state);
  const bool empty = state.opened.empty() && (session == nullptr || session->points.empty());
  list.add("clear", "Clear points, opened sessions and measured roofs",
           {.why_not = empty ? "There is nothing to clear." : ""}, clear);
  list.add("undo", "Bring back what was cleared or closed",
           {.keys = {ctrl(Key::z)},
            .why_not = state.removed.empty() ? "Nothing was cleared or closed." : ""},
           undo);
  for (std::size_t i = 0; i < state.opened.size(); ++i) {
    list.add(fmt::format("close.{}", i), "Close " + state.opened[i].name, {},
             [i](AppState& s) { close_opened(s, i); });
  }
  for (const std::string& path : state.recent) {
    list.add("recent." + path, "Open " + path, {}, [path](AppState& s) { open_paths(s, {path}); });
  }
}

}  // namespace

void add_keeping(std::vector<Action>& all, const AppState& state) {
  ActionAdder list(all, Topic::keep);
  add_files(list);
  add_sessions(list, state);
  list.add("ask", "Ask about unsaved sweeps before closing", {.chosen = state.ask_before_closing},
           [](AppState& s) { s.ask_before_closing = !s.ask_before_closing; });
  list.add("quit", "Close the window", {.keys = {ctrl(Key::q), ctrl(Key::w)}}, close_window);
}

}  // namespace ui
