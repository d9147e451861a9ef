// What the pointer asks for: points under it, rows, splitters and dialogs that are closed.
#include <utility>

#include "ui/actions/hints.hpp"
#include "ui/actions/intents.hpp"
#include "ui/screen/inspection.hpp"

namespace ui {

void hover(AppState& state, std::optional<Hovered> under) { state.look.hovered = under; }

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
  followed(state, Hint::click);
}

void click_point(AppState& state, bool at_left) {
  const std::optional<Hovered> under = state.look.hovered;
  if (!under || state.look.pressed != under) return;
  inspect(state, *under);
  if (state.look.inspected) state.look.inspected->at_left = at_left;
}

void hold_cursor(AppState& state, std::optional<std::string> chart) {
  state.look.cursor_held = std::move(chart);
}

void point_at_row(AppState& state, std::optional<Hovered> row) { state.look.results.pointed = row; }

void filter_results(AppState& state, std::string filter) {
  state.look.results.filter = std::move(filter);
}

void show_below(AppState& state, Below below) { state.look.below = below; }

void close_inspector(AppState& state) { state.look.inspected.reset(); }

void show_kernel_source(AppState& state, bool source) {
  if (state.look.inspected) state.look.inspected->shows_source = source;
}

void close_help(AppState& state) { state.dialogs.help = false; }

void close_palette(AppState& state) { state.dialogs.palette.reset(); }

void cancel_dialog(AppState& state) { state.dialogs.file.reset(); }

void choose_close_answer(AppState& state, CloseAnswer answer) { state.dialogs.closing = answer; }

void drag_splitter(AppState& state, Splitter which, double scale, const Places& places,
                   plot::Vec pixel) {
  move_splitter(state.look.division, which, scale, places, pixel);
}

void put_back(AppState& state, Splitter which) { reset_splitter(state.look.division, which); }

void set_range(AppState& state, const engine::Chart& chart, std::optional<Range> x,
               std::optional<Range> y) {
  if (x) state.look.zoom.x.insert_or_assign(std::string(x_key(chart)), *x);
  if (y) state.look.zoom.y.insert_or_assign(std::string(chart.id), *y);
}

}  // namespace ui
