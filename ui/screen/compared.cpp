#include "ui/screen/compared.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "engine/compare/told.hpp"
#include "engine/session/session_file.hpp"

namespace ui {

using engine::Session;

namespace {

/// The session of a side, or null once it is closed.
const Session* session_of_side(const std::vector<SessionChoice>& sessions,
                               const ComparedSide& side) {
  const auto found = std::ranges::find(sessions, side.session, &SessionChoice::number);
  return found == sessions.end() ? nullptr : found->session;
}

/// The sides as they are chosen, or a sentence that says why there is none.
struct ChosenSides {
  const Session *a = nullptr, *b = nullptr;
  engine::Comparison comparison{};
  std::string problem{};
};

ChosenSides chosen_sides(const AppState& state) {
  ChosenSides chosen;
  const std::vector<SessionChoice> sessions = compared_sessions(state);
  const Comparing comparing = state.look.comparing.value_or(Comparing{});
  chosen.a = session_of_side(sessions, comparing.a);
  chosen.b = session_of_side(sessions, comparing.b);
  if (chosen.a == nullptr || chosen.b == nullptr) {
    chosen.problem = why_no_comparison(state);
    if (chosen.problem.empty()) chosen.problem = "Choose two sessions that have points.";
    return chosen;
  }
  try {
    chosen.comparison =
        engine::compare(engine::side_of(*chosen.a, comparing.a.words, "this session"),
                        engine::side_of(*chosen.b, comparing.b.words, "this session"));
  } catch (const engine::BadInput& problem) {
    chosen.problem = problem.what();
    if (!chosen.problem.empty() && !chosen.problem.ends_with('.')) chosen.problem += '.';
  }
  return chosen;
}

}  // namespace

std::vector<SessionChoice> compared_sessions(const AppState& state) {
  std::vector<SessionChoice> sessions;
  const std::vector<OpenedFile>& opened = state.documents.opened;
  for (std::size_t i = 0; i < opened.size(); ++i) {
    const Session& session = *opened[i].session;
    if (engine::has_compared_points(session))
      sessions.push_back(
          {i + 1, &session, fmt::format("{} ({})", opened[i].name, session.device.name)});
  }
  const Session* own = current_session(state);
  if (own != nullptr && engine::has_compared_points(*own))
    sessions.push_back({0, own, fmt::format("measured here ({})", own->device.name)});
  return sessions;
}

Comparing usual_comparison(const AppState& state) {
  const std::vector<SessionChoice> sessions = compared_sessions(state);
  if (sessions.empty()) return {};
  Comparing comparing{{sessions.front().number, {}}, {sessions.back().number, {}}};
  if (sessions.size() > 1) return comparing;
  const std::vector<std::string> words = engine::choices_of(*sessions.front().session);
  if (words.size() > 1) {
    comparing.a.words = words[0];
    comparing.b.words = words[1];
  }
  return comparing;
}

std::string why_no_comparison(const AppState& state) {
  return compared_sessions(state).empty()
             ? "There is nothing to compare yet: measure a lab, or open a session with points."
             : "";
}

ComparedKey compared_key(const AppState& state) {
  ComparedKey key{{}, state.look.comparing.value_or(Comparing{})};
  for (const SessionChoice& one : compared_sessions(state))
    key.sessions.push_back({one.session, version_of(state, *one.session)});
  return key;
}

ComparedView compared_view(const AppState& state) {
  ChosenSides chosen = chosen_sides(state);
  ComparedView view;
  if (chosen.a != nullptr) view.words_a = engine::choices_of(*chosen.a);
  if (chosen.b != nullptr) view.words_b = engine::choices_of(*chosen.b);
  if (!chosen.problem.empty()) {
    view.summary = std::move(chosen.problem);
    return view;
  }
  view.comparison = std::move(chosen.comparison);
  view.summary = engine::summary_of(view.comparison);
  if (view.comparison.pairs.empty()) return view;
  view.notes = fmt::format("{}", fmt::join(engine::notes_of(view.comparison), "  "));
  for (const ComparedPanel panel : compared_panels)
    view.figures.push_back(figure_of(view.comparison, panel));
  view.table = engine::table_of(view.comparison);
  return view;
}

plot::Page compared_page(const AppState& state) {
  const ChosenSides chosen = chosen_sides(state);
  if (!chosen.problem.empty()) throw std::runtime_error(chosen.problem);
  if (chosen.comparison.pairs.empty())
    throw std::runtime_error(engine::summary_of(chosen.comparison));
  return page_of({chosen.a, chosen.b}, chosen.comparison);
}

}  // namespace ui
