#include "ui/screen/guide_points.hpp"

#include <fmt/format.h>

#include "engine/verdict/doubts.hpp"
#include "kernels/units.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/screen/verdict_target.hpp"

namespace ui {

using engine::Point;
using engine::Session;
using kernels::Case;

namespace {

/// A sweep or the slider's point runs, or is about to.
bool is_measuring(const AppState& state) {
  const WorkerState& worker = state.worker;
  return worker.probe_due || worker.restart_due || worker.running.any();
}

}  // namespace

bool is_measured(const Point& point) {
  return in_sweep(point) && point.status == engine::Status::ok && point.seconds.median > 0;
}

const Point* best_of(const Session& session, const Case& what) {
  const Point* best = nullptr;
  for (const Point& point : session.points) {
    if (point.what.repeat != what.repeat || !is_measured(point) || point.what != what) continue;
    if (best == nullptr || doubt_of(session, point).empty() || !doubt_of(session, *best).empty())
      best = &point;
  }
  return best;
}

const Point* fewest_ops(const Session& session, Case what) {
  const Point* least = nullptr;
  for (const Point& point : session.points) {
    what.repeat = point.what.repeat;
    const bool fewer = least == nullptr || point.what.repeat <= least->what.repeat;
    if (fewer && is_measured(point) && point.what == what) least = &point;
  }
  return least == nullptr ? nullptr : best_of(session, least->what);
}

std::string doubt_of(const Session& session, const Point& point) {
  for (const engine::Doubt& doubt : doubts_of(session, point))
    if (doubt.word != "above its roof")  // the runtime is right
      return fmt::format("{}: {}.", doubt.reason, doubt.remedy);
  if (!is_sure(point)) return "it has too few samples: press Space to measure again.";
  return {};
}

GuideResult doubtful(const AppState& state, const Point& point, const std::string& doubt) {
  if (is_measuring(state)) return {GuideOutcome::not_yet, "Measuring..."};
  return {GuideOutcome::cannot_tell,
          fmt::format("Cannot tell: {} {} took {}, but {}", ops_text(point.what.repeat),
                      name_of(point.what.fusion), units::seconds(point.seconds.median), doubt)};
}

GuideResult missing(const AppState& state, const Point* tried, std::string_view remedy) {
  if (is_measuring(state)) return {GuideOutcome::not_yet, "Measuring..."};
  if (tried != nullptr && tried->status != engine::Status::ok)
    return {GuideOutcome::cannot_tell,
            fmt::format("Cannot tell: this point was not measured: {}", tried->why)};
  return {GuideOutcome::not_yet, fmt::format("Not measured yet: {}", remedy)};
}

AtSlider at_slider(const AppState& state, const Session& session, const Case& what) {
  const Point* newest = newest_of_case(session, what);
  const Point* point = best_of(session, what);
  if (point == nullptr)
    return {nullptr, missing(state, newest, "move the slider away and back, or press Space.")};
  if (const std::string doubt = doubt_of(session, *point); !doubt.empty()) {
    return {nullptr, doubtful(state, *point, doubt)};
  }
  return {point, {}};
}

}  // namespace ui
