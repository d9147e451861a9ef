#include "ui/model/app_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "engine/labs/lab.hpp"
#include "engine/roofs/roofs.hpp"
#include "kernels/units.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/model/availability.hpp"

namespace ui {

using engine::Session;
using kernels::Case;

AppState new_state() {
  AppState state;
  state.spec.fusion = engine::FusionChoice::both;
  return state;
}

const engine::Place* current_device(const AppState& state) {
  for (const engine::Place& device : state.worker.devices) {
    if (device.info.id == state.spec.device) return &device;
  }
  return nullptr;
}

const Session* measured_on(const AppState& state, const std::string& device) {
  const auto found = state.documents.sessions.find(device);
  return found == state.documents.sessions.end() ? nullptr : &*found->second;
}

const Session* current_session(const AppState& state) {
  return measured_on(state, state.spec.device);
}

std::vector<const Session*> sessions_shown(const AppState& state) {
  std::vector<const Session*> shown;
  const Session* own = current_session(state);
  // A probe alone does not put an empty session, without roofs, before what is looked at.
  const bool measuring =
      state.worker.running.sweep && state.worker.running.device == state.spec.device;
  const bool alone = state.dialogs.exercise.has_value();  // it asks this machine
  if (own != nullptr &&
      (!own->points.empty() || measuring || alone || state.documents.opened.empty())) {
    shown.push_back(own);
  }
  if (alone) return shown;
  for (const OpenedFile& file : state.documents.opened) shown.push_back(&*file.session);
  return shown;
}

bool is_view_only(const AppState& state) {
  const auto shown = sessions_shown(state);
  return !shown.empty() && file_of(state, *shown.front()) != nullptr;
}

const engine::Lab& lab_on_screen(const AppState& state) {
  const engine::Lab* lab = engine::find_lab(state.spec.lab);
  return lab != nullptr ? *lab : *engine::labs().front();
}

std::string titles_of(const engine::Lab& lab, bool apart) {
  std::string titles;
  for (const engine::Chart& chart : engine::all_charts()) {
    if (chart.lab == lab.name && chart.apart == apart)
      titles += fmt::format("{}{}", titles.empty() ? "" : ", ", chart.title);
  }
  return titles;
}

bool has_apart(const engine::Lab& lab) { return !titles_of(lab, true).empty(); }

bool shows_apart(const AppState& state) {
  return state.look.apart && has_apart(lab_on_screen(state));
}

engine::Spec spec_on_screen(const AppState& state) {
  const engine::Spec spec = engine::read_by(lab_on_screen(state), state.spec);
  const engine::Place* device = current_device(state);
  return device != nullptr ? engine::suited(spec, *device) : spec;
}

bool runs_lab_on_screen(const AppState& state) {
  return state.worker.running.sweep && state.worker.running.lab == lab_on_screen(state).name;
}

const Session* lab_session(const AppState& state) {
  const auto shown = sessions_shown(state);
  const std::string_view lab = lab_on_screen(state).name;
  const auto found = std::ranges::find_if(shown, [&](const Session* session) {
    return std::ranges::find(session->points, lab, &engine::Point::lab) != session->points.end();
  });
  if (found != shown.end()) return *found;
  return shown.empty() ? nullptr : shown.front();
}

engine::LabVerdict lab_verdict(const AppState& state) {
  const engine::Lab& lab = lab_on_screen(state);
  const Session* session = lab_session(state);
  if (session == nullptr) return {};
  const engine::Results results =
      engine::results_of(lab.name, *session, !runs_lab_on_screen(state));
  engine::LabVerdict verdict = verdict_of(lab, results);
  // Nothing was measured: there is nothing to say yet.
  const bool nothing = results.points.empty() && verdict.rows.empty();
  return nothing ? engine::LabVerdict() : verdict;
}

std::vector<SessionChoice> roofs_choices(const AppState& state) {
  std::vector<SessionChoice> choices;
  if (const Session* own = current_session(state)) {
    choices.push_back({0, own, own->device.name});
  }
  for (std::size_t i = 0; i < state.documents.opened.size(); ++i) {
    const auto& [name, session, autosave] = state.documents.opened[i];
    if (session->roofs.empty()) continue;
    choices.push_back({i + 1, &*session, fmt::format("{}, {}", session->device.name, name)});
  }
  return choices;
}

std::optional<SessionChoice> roofs_choice(const AppState& state) {
  const std::vector<SessionChoice> choices = roofs_choices(state);
  if (choices.empty()) return std::nullopt;
  const auto chosen =
      std::ranges::find(choices, state.look.roofs_of,
                        [](const SessionChoice& choice) { return std::optional(choice.number); });
  if (chosen != choices.end()) return *chosen;
  const auto has_own = [&](const SessionChoice& choice) {
    return choice.number > 0 || state.worker.running.measures_roofs_of(state.spec.device) ||
           std::ranges::find(choice.session->roofs, engine::RoofSource::measured,
                             &engine::Roof::source) != choice.session->roofs.end();
  };
  const auto first = std::ranges::find_if(choices, has_own);
  if (first == choices.end()) return choices.front();
  // Of files the first in which all roofs were measured.
  const auto whole = std::find_if(first, choices.end(), [](const SessionChoice& choice) {
    return !std::ranges::all_of(choice.session->points, in_sweep);
  });
  return first->number > 0 && whole != choices.end() ? *whole : *first;
}

const Session* roofs_session(const AppState& state) {
  const auto choice = roofs_choice(state);
  return choice ? choice->session : nullptr;
}

std::uint64_t version_of(const AppState& state, const Session& session) {
  for (const auto& [id, own] : state.documents.sessions) {
    if (&*own == &session) return own.version();
  }
  const OpenedFile* file = file_of(state, session);
  return file != nullptr ? file->session.version() : new_version();
}

std::vector<const Session*> sessions_on_screen(const AppState& state) {
  if (!lab_on_screen(state).lists_roofs) return sessions_shown(state);
  const Session* session = roofs_session(state);
  return session != nullptr ? std::vector{session} : std::vector<const Session*>{};
}

const OpenedFile* file_of(const AppState& state, const Session& session) {
  // Every session of thousands is asked for, and addresses within a vector ascend.
  const std::vector<OpenedFile>& opened = state.documents.opened;
  const auto found =
      std::ranges::lower_bound(opened, &session, std::less<const Session*>(),
                               [](const OpenedFile& file) { return &*file.session; });
  return found != opened.end() && &*found->session == &session ? &*found : nullptr;
}

namespace {

/// As many elements as an opened session has of such a case; 0: it has none.
std::uint64_t opened_elements(const AppState& state, const Case& what) {
  if (!is_view_only(state)) return 0;
  const std::vector<engine::Point>& points = sessions_shown(state).front()->points;
  const auto newest = std::find_if(points.rbegin(), points.rend(), [&](const engine::Point& point) {
    const Case& own = point.what;
    return own.family == what.family && own.dtype == what.dtype && own.op() == what.op() &&
           point.lab == state.spec.lab && is_swept(point);
  });
  return newest == points.rend() ? 0 : newest->what.elements;
}

}  // namespace

std::optional<Case> cursor_case(const AppState& state) {
  const engine::Place* device = current_device(state);
  const engine::Spec& spec = state.spec;
  if (device == nullptr || spec.dtypes.empty()) return std::nullopt;
  Case what;
  what.family = spec.family();
  what.ops = spec.op_of(what.family);
  what.dtype = spec.dtypes.front();
  what.fusion = spec.fusion == engine::FusionChoice::unfused ? kernels::Fusion::unfused
                                                             : kernels::Fusion::fused;
  const bool matrix = includes(spec.units, kernels::Units::matrix) &&
                      runs(*device, what.family, what.op(), what.dtype, kernels::Units::matrix);
  what.units = matrix ? kernels::Units::matrix : kernels::Units::vector;
  what.repeat = state.cursor_repeat;
  what.data = spec.data;
  what.elements = spec.elements;
  if (what.elements == 0) what.elements = opened_elements(state, what);
  if (what.elements == 0)
    what.elements =
        engine::default_elements(device->info, device->free_bytes, what.family, what.dtype);
  return what;
}

std::string as_title(std::string_view text) {
  std::size_t end = std::min(text.size(), longest_title);
  // Not within a character.
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  return units::printable(text.substr(0, end));
}

void add_notice(AppState& state, Notice notice) {
  constexpr std::size_t most = 500;  // a log that nobody reads further back
  notice.time = state.clock;
  // Said twice in a row is said once, at the later time.
  if (!state.notices.empty() && state.notices.back().text == notice.text) state.notices.pop_back();
  state.notices.push_back(std::move(notice));
  if (state.notices.size() > most) state.notices.erase(state.notices.begin());
}

void notify(AppState& state, std::string text, bool warning) {
  add_notice(state, {std::move(text), warning});
}

const Notice* newest_notice(const AppState& state) {
  const std::string_view lab = lab_on_screen(state).name;
  for (auto at = state.notices.rbegin(); at != state.notices.rend(); ++at)
    if (at->lab.empty() || at->lab == lab) return at->seen ? nullptr : &*at;
  return nullptr;
}

void notify_briefly(AppState& state, std::string text, std::string brief) {
  add_notice(state, {.text = std::move(text), .warning = false, .brief = std::move(brief)});
}

}  // namespace ui
