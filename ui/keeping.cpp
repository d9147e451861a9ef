#include "ui/keeping.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ui/intents.hpp"
#include "ui/recovery.hpp"

namespace ui {

using engine::Session;

namespace {

// Of rest. 20 000 points were seen to take 0.7 s to write: that is then done every 43 s.
constexpr double points_per_second = 500;

const Session* measured_on(const AppState& state, const std::string& device) {
  const auto found = state.sessions.find(device);
  return found == state.sessions.end() ? nullptr : &*found->second;
}

/// Roofs alone are measured again within seconds: they are no session to lose.
bool holds_unsaved(const AppState& state, const std::string& device) {
  const auto found = state.keeping.find(device);
  const Session* session = measured_on(state, device);
  return found != state.keeping.end() && session != nullptr && !session->points.empty() &&
         found->second.changes > found->second.saved;
}

bool is_behind(const AppState& state, const std::string& device) {
  if (!holds_unsaved(state, device)) return false;
  const Keeping& keeping = state.keeping.at(device);
  return keeping.changes > keeping.kept;
}

void keep(AppState& state, const std::string& device) {
  Keeping& keeping = state.keeping.at(device);
  keeping.kept = keeping.changes;
  keeping.due.reset();
  keeping.ended = false;
  state.commands.emplace_back(KeepSession{recovery_name(device), *state.sessions.at(device)});
}

void retire(AppState& state, const std::string& device) {
  state.commands.emplace_back(RetireSession{recovery_name(device), *state.sessions.at(device),
                                            state.keeping.at(device).asked_for});
}

void drop_kept(AppState& state, const OpenedFile& file) {
  if (!file.recovery.empty()) state.commands.emplace_back(DropSession{file.recovery});
}

bool asks(const AppState& state) {
  if (!state.ask_before_closing) return false;
  const std::vector<Unsaved> all = unsaved(state);
  return std::ranges::any_of(all, &Unsaved::asked_for);
}

void save_first(AppState& state) {
  stop(state);  // points that still came in would make it ask again
  for (const Unsaved& one : unsaved(state)) {
    if (!one.asked_for) continue;
    show_save_of(state, one.key);
    state.dialog->then_close = true;
    return;
  }
}

void discard_all(AppState& state) {
  for (const Unsaved& one : unsaved(state)) {
    // What the question did not list becomes the last session.
    if (one.asked_for) note_saved(state, one.key);
  }
}

}  // namespace

std::vector<Unsaved> unsaved(const AppState& state) {
  std::vector<Unsaved> found;
  for (const auto& [device, keeping] : state.keeping) {
    if (!holds_unsaved(state, device)) continue;
    found.push_back({device, &*state.sessions.at(device), device, keeping.asked_for});
  }
  for (std::size_t i = 0; i < state.opened.size(); ++i) {
    const OpenedFile& file = state.opened[i];
    if (!file.recovery.empty()) found.push_back({i, &*file.session, file.name, true});
  }
  return found;
}

const Session* session_of(const AppState& state, const SessionKey& key) {
  if (const auto* device = std::get_if<std::string>(&key)) return measured_on(state, *device);
  const std::size_t index = std::get<std::size_t>(key);
  return index < state.opened.size() ? &*state.opened[index].session : nullptr;
}

void note_change(AppState& state, const std::string& device, bool asked_for) {
  Keeping& keeping = state.keeping[device];
  ++keeping.changes;
  keeping.asked_for = keeping.asked_for || asked_for;
  keeping.ended = false;
}

void note_end(AppState& state, const std::string& device) {
  const auto found = state.keeping.find(device);
  if (found != state.keeping.end()) found->second.ended = true;
}

void note_saved(AppState& state, const SessionKey& key) {
  if (const auto* index = std::get_if<std::size_t>(&key)) {
    OpenedFile& file = state.opened.at(*index);
    drop_kept(state, file);
    file.recovery.clear();
    return;
  }
  const std::string& device = std::get<std::string>(key);
  Keeping& keeping = state.keeping[device];
  keeping.saved = keeping.kept = keeping.changes;
  keeping.asked_for = keeping.ended = false;
  keeping.due.reset();
  state.commands.emplace_back(DropSession{recovery_name(device)});
}

void keep_changes(AppState& state, double now) {
  for (auto& [device, keeping] : state.keeping) {
    if (!is_behind(state, device)) continue;
    const auto points = static_cast<double>(state.sessions.at(device)->points.size());
    if (keeping.ended) {
      keeping.due = now;
    } else if (!keeping.due) {
      keeping.due = now + rest_before_keeping + points / points_per_second;
    }
    if (now >= *keeping.due) keep(state, device);
  }
}

std::optional<double> next_keeping(const AppState& state) {
  std::optional<double> first;
  for (const auto& [device, keeping] : state.keeping) {
    if (keeping.due && (!first || *keeping.due < *first)) first = keeping.due;
  }
  return first;
}

void keep_opened(AppState& state, OpenedFile& file) {
  file.recovery = opened_recovery_name(state.recoveries++);
  keep_again(state, file);
}

void retire_opened(AppState& state, const OpenedFile& file) {
  if (file.recovery.empty()) return;
  if (file.session->points.empty()) {
    drop_kept(state, file);
  } else {
    state.commands.emplace_back(RetireSession{file.recovery, *file.session, true});
  }
}

void keep_again(AppState& state, const OpenedFile& file) {
  if (!file.recovery.empty())
    state.commands.emplace_back(KeepSession{file.recovery, *file.session});
}

void close_window(AppState& state) {
  if (asks(state)) {
    state.closing = CloseAnswer::save;
    // One question at a time; a picture that is being made is not given up for it.
    state.drawing.reset();
    state.dialog.reset();
    state.palette.reset();
    state.help = false;
  } else {
    state.quit = true;
  }
}

void answer_closing(AppState& state, CloseAnswer answer) {
  state.closing.reset();
  switch (answer) {
    case CloseAnswer::save:
      save_first(state);
      break;
    case CloseAnswer::discard:
      discard_all(state);
      state.quit = true;
      break;
    case CloseAnswer::cancel:
      break;
  }
}

void end_in_order(AppState& state) {
  for (const Unsaved& one : unsaved(state)) {
    if (const auto* device = std::get_if<std::string>(&one.key)) retire(state, *device);
  }
}

void end_at_once(AppState& state) {
  for (const Unsaved& one : unsaved(state)) {
    if (const auto* index = std::get_if<std::size_t>(&one.key)) {
      keep_again(state, state.opened[*index]);
      continue;
    }
    const std::string& device = std::get<std::string>(one.key);
    if (one.asked_for) {
      keep(state, device);
    } else {
      retire(state, device);
    }
  }
}

}  // namespace ui
