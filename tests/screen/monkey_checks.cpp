// What must hold whatever the monkey did.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/session/session_file.hpp"
#include "tests/screen/monkey.hpp"
#include "ui/actions/events.hpp"
#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/autosave/autosave_folder.hpp"
#include "ui/model/settings.hpp"
#include "ui/screen/results.hpp"
#include "ui/widgets/ui_map.hpp"

namespace monkey {

namespace {

constexpr std::size_t most_points = 200;  // frames of more take long, and are no others

ui::Settings settings_of(const ui::AppState& state) {
  ui::Settings settings;
  settings.spec = state.spec;
  settings.x = state.look.view.x;
  settings.cursor_repeat = state.cursor_repeat;
  settings.folder = state.documents.last_folder;
  settings.magnification = state.look.magnification;
  settings.light = state.look.light;
  settings.follow_desktop = state.look.follow_desktop;
  settings.division = state.look.division;
  settings.recent = state.documents.recent;
  settings.ask_before_closing = state.dialogs.ask_before_closing;
  return settings;
}

bool is_finite(const plot::Rect& rect) {
  return std::isfinite(rect.x) && std::isfinite(rect.y) && std::isfinite(rect.w) &&
         std::isfinite(rect.h);
}

}  // namespace

std::string name_of(const engine::Point& point) {
  const kernels::Case& what = point.what;
  return fmt::format(
      "{} {} {} {} {} {} {} {} {} {}", point.run, point.lab, kernels::name_of(what.family),
      kernels::name_of(what.op()), kernels::info_of(what.dtype).name, kernels::name_of(what.fusion),
      kernels::name_of(what.units), what.elements, what.repeat, kernels::name_of(what.data));
}

std::size_t opened_and_closed(const ui::AppState& state) {
  std::size_t count = state.documents.opened.size();
  for (const ui::Removed& removed : state.documents.removed) count += removed.opened.size();
  return count;
}

void Monkey::bring_all_back() {
  while (!state_.documents.removed.empty()) ui::undo(state_);
  frame();
  check_points();
}

void Monkey::come_to_rest() {
  screen_.hold_button(false);
  for (int steps = 0; steps < 10'000; ++steps) {
    while (const auto event = worker_.next()) deliver(*event);
    make_pictures();
    frame();
    const auto due = ui::next_deadline(state_);
    if (!due && worker_.idle()) break;
    now_ = std::max(now_, due.value_or(now_));
  }
  CHECK(worker_.idle());
  CHECK_MESSAGE(!state_.worker.running.any(), "the window waits for work that has ended");
}

void Monkey::check() {
  come_to_rest();
  CHECK(state_.notices.size() <= 500);
  CHECK(state_.documents.removed.size() <= 10);
  CHECK(state_.documents.recent.size() <= 10);
  CHECK(state_.commands.empty());
  check_settings();
  check_sessions();
  check_points();
  check_autosaves();
  check_map();
  std::size_t points = 0;
  for (const engine::Session* session : ui::sessions_shown(state_))
    points += session->points.size();
  if (points > most_points || opened_and_closed(state_) > most_opened) start_over();
}

/// A large session makes each frame longer and no other.
void Monkey::start_over() {
  bring_all_back();
  for (const std::string device : {"cpu", "cuda:0"}) {
    ui::set_device(state_, device, now_);
    ui::clear(state_);
  }
  state_.documents.removed.clear();
  state_.look.results.filter.clear();
  measured_.clear();
  come_to_rest();
  CHECK_MESSAGE(kept_.empty(), "an autosave file outlives what was cleared");
}

void Monkey::check_settings() const {
  const std::string text = ui::settings_text(settings_of(state_));
  CHECK(ui::settings_text(ui::settings_of(text, "settings")) == text);
}

void Monkey::check_sessions() const {
  const auto reads_back = [](const engine::Session& session) {
    const engine::Session read = engine::from_json(engine::to_json(session), "session");
    CHECK(read.points == session.points);
    CHECK(read.roofs == session.roofs);
  };
  for (const auto& [device, session] : state_.documents.sessions) reads_back(*session);
  for (const ui::OpenedFile& file : state_.documents.opened) reads_back(*file.session);
}

void Monkey::check_points() const {
  for (const auto& [device, expected] : measured_) {
    Names there;
    for (const engine::Point& point : state_.documents.sessions.at(device)->points)
      there.insert(name_of(point));
    for (const ui::Removed& removed : state_.documents.removed) {
      if (removed.device != device) continue;
      for (const engine::Point& point : removed.session.points) there.insert(name_of(point));
    }
    CHECK_MESSAGE(there == expected, device, " has lost points");
  }
}

/// After a crash now, everything that is not saved would come back.
void Monkey::check_autosaves() const {
  for (const ui::Unsaved& one : ui::unsaved(state_)) {
    const auto* device = std::get_if<std::string>(&one.key);
    const std::string name =
        device != nullptr ? ui::autosave_name(*device)
                          : state_.documents.opened.at(std::get<std::size_t>(one.key)).autosave;
    REQUIRE_MESSAGE(kept_.contains(name), one.title, " is not kept against a crash");
    CHECK(kept_.at(name).points == one.session->points);
  }
}

void Monkey::check_map() const {
  CHECK(nlohmann::json::accept(ui::ui_map_text(screen_.map(), state_)));
  for (const auto& [name, control] : screen_.map().controls)
    CHECK_MESSAGE(is_finite(control.rect), name);
}

void Monkey::end() {
  check();
  bring_all_back();
  check();
  ui::end_in_order(state_);
  hand_over();
}

}  // namespace monkey
