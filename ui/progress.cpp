#include "ui/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ui/availability.hpp"
#include "ui/point_facts.hpp"

namespace ui {
namespace {

bool elsewhere(const AppState& state) {
  return state.running.any() && state.running.busy_device() != state.spec.device;
}

std::string words_of(const Running& running) {
  if (running.probe && !running.sweep) return "measuring the slider's point";
  if (running.total == 0) return running.now;
  return fmt::format("{} of {}: {}", std::min(running.done + 1, running.total), running.total,
                     running.now);
}

}  // namespace

std::string progress_text(const AppState& state) {
  const std::string words = words_of(state.running);
  return elsewhere(state) ? fmt::format("{}, {}", state.running.busy_device(), words) : words;
}

std::string stop_text(const AppState& state) {
  return elsewhere(state) ? "Stop " + state.running.busy_device() : "Stop";
}

std::string why_no_search(const AppState& state) {
  if (current_device(state) == nullptr) return still_looking;
  if (!state.running.sweep || !state.running.roofs) return "";
  return fmt::format("The roofs of {} are being measured.", state.running.device);
}

Unmeasured unmeasured_of(const engine::Session& session) {
  Unmeasured found;
  std::uint64_t newest = 0;
  for (const engine::Point& point : session.points) {
    if (in_sweep(point)) newest = std::max(newest, point.run);
  }
  constexpr std::size_t most_lines = 12;
  for (const engine::Point& point : session.points) {
    if (!in_sweep(point) || point.run != newest || point.status == engine::Status::ok) continue;
    if (++found.count > most_lines) continue;
    found.why +=
        fmt::format("{}, repeat {}: {}\n", series_name(point), point.what.repeat, point.why);
  }
  if (found.count > most_lines) found.why += "...\n";
  return found;
}

}  // namespace ui
