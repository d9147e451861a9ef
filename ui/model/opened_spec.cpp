#include "ui/model/opened_spec.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/labs/lab.hpp"
#include "ui/model/availability.hpp"

namespace ui {

using engine::Session;
using engine::Spec;

namespace {

/// What the points of a sweep do not tell: what was asked for in vain, and how precisely.
constexpr std::array<std::string_view, 4> not_in_points{"repeat", "noise", "max-time", "time"};

bool swept_here(const AppState& state) {
  const auto has_sweep = [](const auto& session) {
    return engine::newest_run(*session.second).has_value();
  };
  return state.worker.running.sweep || std::ranges::any_of(state.documents.sessions, has_sweep);
}

/// Those of the files that have more than roofs, and the shapes tried for them.
std::vector<const Session*> with_points(const std::vector<OpenedFile>& opened) {
  const auto is_tried = [](const engine::Point& point) {
    return engine::measures_roofs(point.lab);
  };
  std::vector<const Session*> sessions;
  for (const OpenedFile& file : opened)
    if (file.session->roofs.empty() || !std::ranges::all_of(file.session->points, is_tried))
      sessions.push_back(&*file.session);
  return sessions;
}

/// The lab of the first one's newest run of which all have points; empty where there is none.
std::string_view lab_in_common(const std::vector<const Session*>& opened) {
  const auto has = [](const Session* session, std::string_view lab) {
    return std::ranges::count(session->points, lab, &engine::Point::lab) > 0;
  };
  const std::vector<engine::Run>& runs = opened.front()->runs;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const std::string_view lab = run->spec.lab;
    if (!engine::measures_roofs(lab) &&
        std::ranges::all_of(opened, [&](const Session* session) { return has(session, lab); }))
      return lab;
  }
  return {};
}

std::string lab_of_roofs() {
  const auto lab = std::ranges::find_if(
      engine::labs(), [](const engine::Lab* each) { return engine::measures_roofs(each->name); });
  return std::string(lab != engine::labs().end() ? (*lab)->name : "");
}

}  // namespace

std::optional<Spec> opened_spec(const Session& session, const Spec& own,
                                const engine::Place& device, std::string_view of_lab) {
  const auto has_points = [&](const engine::Run& run) {
    return !engine::measures_roofs(run.spec.lab) && (of_lab.empty() || run.spec.lab == of_lab) &&
           !points_of(session, run.number).empty();
  };
  const auto newest = std::find_if(session.runs.rbegin(), session.runs.rend(), has_points);
  if (newest == session.runs.rend()) return std::nullopt;
  Spec wanted = own;
  const engine::Lab* lab = engine::find_lab(newest->spec.lab);
  if (lab != nullptr) wanted.lab = lab->name;
  for (const std::string_view name : (lab != nullptr ? *lab : *engine::labs().front()).reads) {
    if (newest->begin.empty() && std::ranges::find(not_in_points, name) != not_in_points.end())
      continue;
    const engine::Knob& knob = *engine::find_knob(name);
    if (name != "elements") knob.set(wanted, knob.get(newest->spec));
    if (name == "elements") wanted.elements = newest->spec.elements;  // beyond any knob, perhaps
  }
  for (const auto& [name, text] : newest->spec.more) wanted.more.insert_or_assign(name, text);
  wanted.types_chosen = true;
  std::vector<std::string> changes;
  Spec spec = adapted(wanted, device, changes);
  const bool has_its_dtypes = std::ranges::all_of(spec.dtypes, [&](kernels::Dtype dtype) {
    return std::ranges::find(wanted.dtypes, dtype) != wanted.dtypes.end();
  });
  if (spec.kernel != wanted.kernel || spec.op != wanted.op || !has_its_dtypes) return std::nullopt;
  if (static_cast<double>(spec.elements) > most_elements(device, spec)) spec.elements = 0;
  return spec;
}

void set_spec_from_opened(AppState& state) {
  if (state.set_up || swept_here(state)) return;
  const engine::Place* device = current_device(state);
  if (device == nullptr || state.worker.run_when_ready) return;
  if (state.own_spec) {
    const std::string on_screen = std::exchange(state.spec.lab, "");
    state.spec = *std::exchange(state.own_spec, std::nullopt);
    state.spec.lab = on_screen;
    adapt_to_device(state);
  }
  const std::vector<OpenedFile>& opened = state.documents.opened;
  if (opened.empty()) return;
  std::optional<Spec> spec;
  if (const auto sessions = with_points(opened); !sessions.empty()) {
    spec = opened_spec(*sessions.front(), state.spec, *device, lab_in_common(sessions));
  } else {
    spec = state.spec;
    spec->lab = lab_of_roofs();
  }
  if (!spec) return;
  state.own_spec = std::exchange(state.spec, std::move(*spec));
  state.chosen_dtypes.clear();
}

void keep_own_spec(AppState& state) {
  state.set_up = true;
  // What else an opened file asks for the user sees and keeps; its size is of its machine.
  if (state.own_spec) state.own_elements = state.own_spec->elements;
  state.own_spec.reset();
}

}  // namespace ui
