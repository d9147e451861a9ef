#include "ui/limits.hpp"

#include <algorithm>

#include "engine/predict.hpp"
#include "ui/hover.hpp"

namespace ui {

namespace {

constexpr double margin = 1.15;  // as much as keeps a marker off the frame

void widen(plot::Axis& axis, double value) {
  if (!(value > 0)) return;
  axis.low = std::min(axis.low, value / margin);
  axis.high = std::max(axis.high, value * margin);
}

}  // namespace

void widen_to_sweep(plot::Figure& figure, Panel panel, const AppState& state) {
  const auto cursor = cursor_case(state);
  const auto shown = sessions_shown(state);
  if (!cursor || shown.empty() || state.spec.repeats.empty()) return;
  for (const std::uint64_t repeat : {state.spec.repeats.front(), state.spec.repeats.back()}) {
    engine::Point predicted;
    predicted.what = *cursor;
    predicted.what.repeat = repeat;
    predicted.work = kernels::work_of(predicted.what);
    predicted.seconds.median =
        engine::predict(*shown.front(), predicted.what, predicted.work).seconds();
    const plot::Vec at = place_of(predicted, panel, state.view.x);
    widen(figure.x, at.x);
    widen(figure.y, at.y);
  }
}

}  // namespace ui
