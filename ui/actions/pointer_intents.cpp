// What the pointer asks for: the point under it, and the range of an axis.

#include "ui/actions/intents.hpp"
#include "ui/screen/inspection.hpp"

namespace ui {

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
}

void click_point(AppState& state, bool at_left) {
  const std::optional<Hovered> under = state.look.hovered;
  if (!under || state.look.pressed != under) return;
  inspect(state, *under);
  if (state.look.inspected) state.look.inspected->at_left = at_left;
}

void set_range(AppState& state, const engine::Chart& chart, std::optional<Range> x,
               std::optional<Range> y) {
  if (x) state.look.zoom.x.insert_or_assign(std::string(x_key(chart)), *x);
  if (y) state.look.zoom.y.insert_or_assign(std::string(chart.id), *y);
}

}  // namespace ui
