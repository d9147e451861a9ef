#include "ui/screen/progress.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "engine/spec.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/model/availability.hpp"

namespace ui {
namespace {

bool elsewhere(const AppState& state) {
  return state.worker.running.any() && state.worker.running.busy_device() != state.spec.device;
}

std::string words_of(const Running& running) {
  if (running.probe && !running.sweep) return "measuring the slider's point";
  const engine::Progress& at = running.progress;
  if (at.total == 0) return at.now;
  if (at.pass == 0)
    return fmt::format("{} of {}: {}", std::min(at.done + 1, at.total), at.total, at.now);
  return fmt::format("pass {}, {} of {} done: {}", at.pass + 1, at.done, at.total, at.now);
}

/// Whether two cases differ in repeat, size and shape at most.
bool is_same_series(const kernels::Case& a, const kernels::Case& b) {
  return a.family == b.family && a.op() == b.op() && a.dtype == b.dtype && a.fusion == b.fusion &&
         a.units == b.units && a.data == b.data;
}

/// One case of each series that a sweep would measure now; none while it cannot be said.
std::vector<kernels::Case> series_of(const AppState& state) {
  std::vector<kernels::Case> series;
  const engine::Place* device = current_device(state);
  if (device == nullptr) return series;
  try {
    for (kernels::Case& what :
         engine::expand(spec_on_screen(state), device->info, device->free_bytes)) {
      const auto same = [&](const kernels::Case& other) { return is_same_series(other, what); };
      if (std::ranges::none_of(series, same)) series.push_back(std::move(what));
    }
  } catch (const std::exception&) {
    series.clear();  // Run says what contradicts itself
  }
  return series;
}

}  // namespace

std::string progress_text(const AppState& state) {
  std::string words = words_of(state.worker.running);
  const Tour& tour = state.worker.tour;
  if (tour.labs > 0)
    words = fmt::format("lab {} of {}: {}", tour.labs - tour.waiting.size(), tour.labs, words);
  return elsewhere(state) ? fmt::format("{}, {}", state.worker.running.busy_device(), words)
                          : words;
}

double seconds_left(const AppState& state) {
  double left = state.worker.running.progress.seconds_left;
  for (const engine::Lab* lab : state.worker.tour.waiting) left += engine::tour_spec(*lab, "").time;
  return left;
}

std::string unswept_text(const AppState& state) {
  const auto shown = sessions_shown(state);
  if (current_device(state) == nullptr || lab_on_screen(state).slider.empty()) return "";
  // A recording that is looked at is whole as it is.
  if (!shown.empty() && file_of(state, *shown.front()) != nullptr) return "";
  const std::string& device = current_device(state)->info.name;
  std::vector<std::string> names;
  for (const kernels::Case& what : series_of(state)) {
    const auto swept = [&](const engine::Point& point) {
      return point.lab == state.spec.lab && !point.probe && is_same_series(point.what, what) &&
             (state.spec.elements == 0 || point.what.elements == what.elements);
    };
    const bool found = std::ranges::any_of(shown, [&](const engine::Session* session) {
      return session->device.name == device && std::ranges::any_of(session->points, swept);
    });
    engine::Point named;
    named.what = what;
    if (!found) names.push_back(series_name(named));
  }
  return names.empty() ? "" : fmt::format("Press Space to measure {}", fmt::join(names, ", "));
}

std::string no_points_text(const AppState& state) {
  const engine::Place* device = current_device(state);
  if (is_view_only(state))
    return "The opened session has no points of this lab. Press Space to measure it on this "
           "machine.";
  if (device != nullptr && device->recorded) return "The recording has no points of this lab.";
  return "Not measured yet: press Space.";
}

std::string stop_text(const AppState& state) {
  return elsewhere(state) ? "Stop " + state.worker.running.busy_device() : "Stop";
}

std::string why_no_search(const AppState& state) {
  if (current_device(state) == nullptr) return still_looking;
  const auto shown = roofs_choice(state);
  if (shown && shown->number > 0)
    return "These roofs are of an opened session. Press Space to measure those of this machine.";
  if (!state.worker.running.measures_roofs_of(state.worker.running.device)) return "";
  return fmt::format("Measuring the roofs of {}.", state.worker.running.device);
}

Unmeasured unmeasured_of(const engine::Session& session, std::string_view lab) {
  Unmeasured found;
  constexpr std::size_t most_lines = 12;
  for (const engine::Point* point : points_of(session, newest_run(session, lab).value_or(0), lab)) {
    if (!in_sweep(*point) || point->status == engine::Status::ok) continue;
    if (++found.count > most_lines) continue;
    found.why +=
        fmt::format("{}, {}: {}\n", point_name(*point), ops_text(point->what.repeat), point->why);
  }
  if (found.count > most_lines) found.why += "...\n";
  return found;
}

}  // namespace ui
