#include "ui/autosave/autosave.hpp"

#include <utility>

#include "engine/worker/replay.hpp"
#include "ui/autosave/autosave_folder.hpp"
#include "ui/model/opened_spec.hpp"

namespace ui {

using engine::Session;

namespace {

// Of rest. 20 000 points were seen to take 0.7 s to write: that is then done every 43 s.
constexpr double points_per_second = 500;

/// Roofs alone are measured again in seconds, and what is replayed is in a file already.
bool holds_unsaved(const AppState& state, const std::string& device) {
  if (device == engine::recording_id) return false;
  const auto found = state.documents.autosave.find(device);
  const Session* session = measured_on(state, device);
  return found != state.documents.autosave.end() && session != nullptr &&
         !session->points.empty() && found->second.changes > found->second.saved;
}

void keep(AppState& state, const std::string& device) {
  Autosave& autosave = state.documents.autosave.at(device);
  autosave.kept = autosave.changes;
  autosave.due.reset();
  autosave.ended = false;
  state.commands.emplace_back(
      WriteAutosave{autosave_name(device), *state.documents.sessions.at(device)});
}

void drop(AppState& state, const std::string& device) {
  state.commands.emplace_back(RemoveAutosave{autosave_name(device)});
}

}  // namespace

std::vector<Unsaved> unsaved(const AppState& state) {
  std::vector<Unsaved> found;
  for (const auto& [device, autosave] : state.documents.autosave) {
    if (!holds_unsaved(state, device)) continue;
    found.push_back({device, &*state.documents.sessions.at(device), device, autosave.asked_for});
  }
  for (std::size_t i = 0; i < state.documents.opened.size(); ++i) {
    const OpenedFile& file = state.documents.opened[i];
    if (!file.autosave.empty()) found.push_back({i, &*file.session, file.name, true});
  }
  return found;
}

const Session* session_of(const AppState& state, const SessionKey& key) {
  if (const auto* device = std::get_if<std::string>(&key)) return measured_on(state, *device);
  const std::size_t index = std::get<std::size_t>(key);
  return index < state.documents.opened.size() ? &*state.documents.opened[index].session : nullptr;
}

void note_change(AppState& state, const std::string& device, bool asked_for) {
  Autosave& autosave = state.documents.autosave[device];
  ++autosave.changes;
  autosave.asked_for = autosave.asked_for || asked_for;
  autosave.ended = false;
}

void note_end(AppState& state, const std::string& device) {
  const auto found = state.documents.autosave.find(device);
  if (found != state.documents.autosave.end()) found->second.ended = true;
}

void note_saved(AppState& state, const SessionKey& key) {
  if (const auto* index = std::get_if<std::size_t>(&key)) {
    OpenedFile& file = state.documents.opened.at(*index);
    remove_autosave(state, file);
    file.autosave.clear();
    return;
  }
  const std::string& device = std::get<std::string>(key);
  Autosave& autosave = state.documents.autosave[device];
  autosave.saved = autosave.kept = autosave.changes;
  autosave.asked_for = autosave.ended = false;
  autosave.due.reset();
  drop(state, device);
}

void write_due_autosaves(AppState& state, double now) {
  for (auto& [device, autosave] : state.documents.autosave) {
    if (!holds_unsaved(state, device) || autosave.changes <= autosave.kept) continue;
    const auto points = static_cast<double>(state.documents.sessions.at(device)->points.size());
    autosave.due =
        autosave.ended
            ? now
            : autosave.due.value_or(now + rest_before_autosave + points / points_per_second);
    if (now >= *autosave.due) keep(state, device);
  }
}

std::optional<double> next_autosave(const AppState& state) {
  std::optional<double> first;
  for (const auto& [device, autosave] : state.documents.autosave) {
    if (autosave.due && (!first || *autosave.due < *first)) first = autosave.due;
  }
  return first;
}

void remove_autosave(AppState& state, const OpenedFile& file) {
  if (!file.autosave.empty()) state.commands.emplace_back(RemoveAutosave{file.autosave});
}

void write_autosave(AppState& state, const OpenedFile& file) {
  if (!file.autosave.empty())
    state.commands.emplace_back(WriteAutosave{file.autosave, *file.session});
}

void open_recovered(AppState& state) {
  for (OpenedFile& file : std::exchange(state.documents.recovered, {}))
    state.documents.opened.push_back(std::move(file));
  set_spec_from_opened(state);
}

void end_in_order(AppState& state) {
  for (const Unsaved& one : unsaved(state)) {
    if (const auto* device = std::get_if<std::string>(&one.key)) drop(state, *device);
  }
}

void end_at_once(AppState& state) {
  for (const Unsaved& one : unsaved(state)) {
    if (const auto* index = std::get_if<std::size_t>(&one.key))
      write_autosave(state, state.documents.opened[*index]);
    else
      (one.asked_for ? keep : drop)(state, std::get<std::string>(one.key));
  }
}

}  // namespace ui
