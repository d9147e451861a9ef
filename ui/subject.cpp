#include "ui/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/advice.hpp"
#include "engine/units.hpp"
#include "ui/point_facts.hpp"

namespace ui {

using engine::Point;
using engine::Session;
using kernels::Case;

namespace {

/// Where the newest point stands of which `wanted` holds.
template <class Wanted>
std::optional<std::size_t> newest(const Session& session, const Wanted& wanted) {
  const std::vector<Point>& points = session.points;
  const auto found = std::find_if(points.rbegin(), points.rend(), wanted);
  if (found == points.rend()) return std::nullopt;
  return static_cast<std::size_t>(points.rend() - found) - 1;
}

const Point* point_at(const Session& session, std::optional<std::size_t> place) {
  return place ? &session.points[*place] : nullptr;
}

std::optional<Subject> hovered_subject(const AppState& state,
                                       const std::vector<const Session*>& shown) {
  if (!state.hovered || state.hovered->session >= shown.size()) return std::nullopt;
  const Session& session = *shown[state.hovered->session];
  if (state.hovered->point >= session.points.size()) return std::nullopt;
  const Point& point = session.points[state.hovered->point];
  return Subject{Subject::Kind::hovered, &session, &point, point.what, nullptr};
}

std::string caption_of(const Subject& subject) {
  Point named;
  named.what = subject.what;
  const std::string series = series_name(subject.point != nullptr ? *subject.point : named);
  std::string text = fmt::format("{}, repeat {}", series, subject.what.repeat);
  if (subject.point != nullptr) {
    if (const std::string flags = short_flags_of(*subject.point); !flags.empty())
      text += ", " + flags;
  }
  switch (subject.kind) {
    case Subject::Kind::hovered:
      return text + " (under the pointer)";
    case Subject::Kind::newest:
      return text + " (newest point)";
    case Subject::Kind::probed:
      return text + " (at the slider)";
    case Subject::Kind::predicted:
      return text + " (predicted at the slider)";
    case Subject::Kind::none:
      break;
  }
  return {};
}

/// Whose point or prediction it is, where devices are compared: "here, AMD EPYC".
std::string place_of(const AppState& state, const Subject& subject) {
  const std::string& device = subject.session->device.name;
  const engine::DeviceSummary* own = current_device(state);
  const auto is_other = [&](const Session* other) { return other->device.name != device; };
  const bool compared = std::ranges::any_of(sessions_shown(state), is_other) ||
                        (own != nullptr && own->info.name != device);
  if (!compared) return {};
  const OpenedFile* file = file_of(state, *subject.session);
  return fmt::format("{}, {}", file != nullptr ? file->name : "here", device);
}

/// "14.3 ms, 26x as fast as measured here"; `here`: seconds, 0 = not known.
std::string compared(double there, double here) {
  const std::string seconds = units::seconds(there);
  return here > 0
             ? fmt::format("{}, {} as fast as measured here", seconds, engine::factor(here / there))
             : seconds;
}

/// What the other device would take, compared with `here` seconds.
std::string what_if_sentence(const View& view, const Case& what, double here) {
  const std::vector<WhatIf> there = what_ifs(view, what);
  if (there.empty()) return {};
  if (what.family != kernels::Family::tile) {
    return fmt::format("The data sheet of {} predicts {}.", there.front().name,
                       compared(there.front().seconds, here));
  }
  std::vector<std::string> each;
  for (const WhatIf& one : there) {
    const char* comma = here > 0 ? "," : "";
    each.push_back(fmt::format("{}{} on {}", compared(one.seconds, here), comma, one.name));
  }
  return fmt::format("The data sheet predicts {}.", fmt::join(each, " and "));
}

/// The limit stands above in big words: "Bandwidth-bound: 94 % of ..." -> "94 % of ...".
std::string without_limit(const engine::Verdict& verdict) {
  const std::string& headline = verdict.headline;
  const std::size_t length = verdict.limit.size();
  const bool said = length > 0 && headline.size() > length &&
                    headline.compare(length, 2, ": ") == 0 &&
                    headline.compare(1, length - 1, verdict.limit.substr(1)) == 0;
  return said ? headline.substr(length + 2) : headline;
}

/// Ridge and free ops as judge() finds them for a point that reaches the roofs.
void add_ridge(const Subject& subject, const engine::Prediction& prediction,
               engine::Verdict& verdict) {
  Point ideal;
  ideal.what = subject.what;
  ideal.work = kernels::work_of(subject.what);
  ideal.seconds.median = prediction.seconds();
  const engine::Verdict judged = engine::judge(*subject.session, ideal);
  verdict.ridge = judged.ridge;
  if (judged.free_ops < 1) return;
  verdict.sentences.push_back(
      fmt::format("By the roofs {} more ops per element would cost nothing before the ridge.",
                  units::number(judged.free_ops, 15)));
}

/// Why nothing is predicted, and what to do about it.
std::string without_prediction(const AppState& state, const Subject& subject) {
  const Case& what = subject.what;
  const std::string missing = fmt::format("no roof of {}{} arithmetic", name_of(what.dtype),
                                          what.units == kernels::Units::matrix ? " matrix" : "");
  if (const OpenedFile* file = file_of(state, *subject.session))
    return fmt::format("{} holds {}.", file->name, missing);
  if (state.running.any()) return "The roofs are being measured.";
  if (subject.unmeasured != nullptr)
    return fmt::format("Not measured: {}", subject.unmeasured->why);
  const bool any = std::ranges::any_of(subject.session->roofs, [](const engine::Roof& roof) {
    return roof.source == engine::RoofSource::measured;
  });
  return any ? fmt::format("There is {} yet: press Space.", missing)
             : "The roofs are not measured yet: press Space.";
}

engine::Verdict predicted_verdict(const AppState& state, const Subject& subject) {
  const kernels::Work work = kernels::work_of(subject.what);
  const engine::Prediction prediction = engine::predict(*subject.session, subject.what, work);
  engine::Verdict verdict;
  if (!prediction.complete()) {
    verdict.headline = without_prediction(state, subject);
    return verdict;
  }
  const double whole = prediction.seconds();
  verdict.regime = prediction.regime();
  verdict.limit = engine::name_of(verdict.regime);
  verdict.share_of_bandwidth = prediction.bandwidth_seconds / whole;
  verdict.share_of_compute = prediction.compute_seconds / whole;
  verdict.share_of_overhead = prediction.overhead_seconds / whole;
  const bool integer = kernels::info_of(subject.what.dtype).integer;
  verdict.headline = fmt::format("The roofs predict {} in {}.",
                                 units::flops_per_second(prediction.attainable_flops(), integer),
                                 units::seconds(whole));
  if (std::string missing = engine::missing_roof(*subject.session, subject.what); !missing.empty())
    verdict.sentences.push_back(std::move(missing));
  if (subject.unmeasured != nullptr) {
    verdict.advice.push_back(fmt::format("Not measured: {}", subject.unmeasured->why));
  }
  add_ridge(subject, prediction, verdict);
  return verdict;
}

bool has_sweep(const Session& session) {
  return std::ranges::any_of(session.points, [](const Point& point) {
    return in_sweep(point) && !point.probe && point.status == engine::Status::ok;
  });
}

/// Beside an opened sweep of the same device that sweep's roofs are drawn, while a point measured
/// now is read against those measured now. Empty where both are the same.
std::string other_roofs_sentence(const AppState& state, const Subject& subject) {
  if (file_of(state, *subject.session) != nullptr || has_sweep(*subject.session)) return "";
  for (const Session* other : sessions_shown(state)) {
    const OpenedFile* file = file_of(state, *other);
    if (file == nullptr || other->device.name != subject.session->device.name) continue;
    if (!other->roofs.empty() && has_sweep(*other))
      return fmt::format("It is read against roofs measured now; those drawn are of {}.",
                         file->name);
  }
  return "";
}

/// Where the slider measured a case otherwise than the sweep did, whose points the curves show.
std::string swept_sentence(const Subject& subject) {
  constexpr double alike = 1.05;
  const Point& point = *subject.point;
  if (!point.probe) return "";
  const Point* swept = engine::find_measured(*subject.session, point.what, point.run);
  if (swept == nullptr || swept->probe) return "";
  const auto [less, more] = std::minmax(swept->seconds.median, point.seconds.median);
  if (more <= alike * less) return "";
  return fmt::format("The sweep measured {} here.", units::seconds(swept->seconds.median));
}

/// Runtime, arithmetic and bandwidth at the slider. Shares are of what is predicted: a runtime
/// above 100 % is slower, a rate above it faster than the roofs allow.
std::vector<ScopeRow> scope_of(const Subject& subject) {
  const kernels::Work work = kernels::work_of(subject.what);
  const engine::Prediction roofs = engine::predict(*subject.session, subject.what, work);
  const double predicted = roofs.complete() ? roofs.seconds() : 0;
  const double measured = subject.point != nullptr ? subject.point->seconds.median : 0;
  const bool integer = kernels::info_of(subject.what.dtype).integer;
  const bool both = predicted > 0 && measured > 0;
  const auto row = [&](const char* name, const auto& words) {
    return ScopeRow{name, predicted > 0 ? words(predicted) : "",
                    measured > 0 ? words(measured) : "",
                    both ? units::percent(predicted / measured) : ""};
  };
  ScopeRow runtime = row("Runtime", [](double seconds) { return units::seconds(seconds); });
  if (both) runtime.share = units::percent(measured / predicted);
  return {
      std::move(runtime),
      row(integer ? "OP/s" : "FLOP/s",
          [&](double seconds) { return units::flops_per_second(work.flops / seconds, integer); }),
      row("Bandwidth",
          [&](double seconds) { return units::bytes_per_second(work.bytes / seconds); })};
}

}  // namespace

const Point* NewestPoints::measured(const AppState& state, const Session& session) {
  return point_at(session, measured_.get(version_of(state, session), [&] {
    return newest(session, [](const Point& point) {
      return in_sweep(point) && point.status == engine::Status::ok && !point.probe;
    });
  }));
}

const Point* NewestPoints::of_case(const AppState& state, const Session& session,
                                   const Case& what) {
  return point_at(session, of_case_.get({version_of(state, session), what}, [&] {
    return newest(session, [&](const Point& point) {
      // The repeat differs most often, and every point is asked whenever the slider moves.
      return point.what.repeat == what.repeat && point.what == what && in_sweep(point);
    });
  }));
}

const Point* NewestPoints::of_kind(const AppState& state, const Session& session,
                                   const Case& what) {
  const Case kind{.family = what.family, .dtype = what.dtype, .units = what.units};
  return point_at(session, of_kind_.get({version_of(state, session), kind}, [&] {
    return newest(session, [&](const Point& point) {
      return in_sweep(point) && point.what.family == what.family &&
             point.what.dtype == what.dtype && point.what.units == what.units;
    });
  }));
}

Subject subject_of(const AppState& state, NewestPoints& newest) {
  const auto shown = sessions_shown(state);
  if (shown.empty()) return {};
  if (const auto hovered = hovered_subject(state, shown)) return *hovered;
  const Session* first = shown.front();
  const auto at_slider = cursor_case(state);
  if (state.focus == Focus::cursor && at_slider) {
    const Point* point = newest.of_case(state, *first, *at_slider);
    if (point != nullptr && point->status == engine::Status::ok) {
      return {Subject::Kind::probed, first, point, *at_slider, nullptr};
    }
    return {Subject::Kind::predicted, first, nullptr, *at_slider, point};
  }
  // What comes in is followed while it does; then, and in a recording, the slider's line shows the
  // point to look at.
  if (at_slider && (!state.running.sweep || file_of(state, *first) != nullptr)) {
    const Point* point = newest.of_case(state, *first, *at_slider);
    if (point != nullptr && point->status == engine::Status::ok)
      return {Subject::Kind::probed, first, point, *at_slider, nullptr};
    if (newest.of_kind(state, *first, *at_slider) == nullptr)
      return {Subject::Kind::predicted, first, nullptr, *at_slider, point};
  }
  if (const Point* point = newest.measured(state, *first)) {
    return {Subject::Kind::newest, first, point, point->what, nullptr};
  }
  if (at_slider) return {Subject::Kind::predicted, first, nullptr, *at_slider, nullptr};
  return {};
}

VerdictText verdict_text(const AppState& state) {
  NewestPoints newest;
  return verdict_text(state, newest);
}

VerdictText verdict_text(const AppState& state, NewestPoints& newest) {
  const Subject subject = subject_of(state, newest);
  VerdictText text;
  if (subject.kind == Subject::Kind::none) {
    text.headline = state.looking ? "Looking for devices..." : "Nothing is measured yet.";
    return text;
  }
  text.caption = caption_of(subject);
  text.place = place_of(state, subject);
  text.measured = subject.point != nullptr;
  text.verdict = text.measured ? engine::judge(*subject.session, *subject.point)
                               : predicted_verdict(state, subject);
  if (std::string there = what_if_sentence(state.view, subject.what,
                                           text.measured ? subject.point->seconds.median : 0);
      !there.empty()) {
    text.verdict.sentences.insert(text.verdict.sentences.begin(), std::move(there));
  }
  if (text.measured) {
    if (std::string swept = swept_sentence(subject); !swept.empty())
      text.verdict.sentences.insert(text.verdict.sentences.begin(), std::move(swept));
  }
  if (std::string roofs = other_roofs_sentence(state, subject); !roofs.empty())
    text.verdict.sentences.insert(text.verdict.sentences.begin(), std::move(roofs));
  text.headline = without_limit(text.verdict);
  const bool at_slider = state.focus == Focus::cursor || subject.kind == Subject::Kind::probed;
  const bool scoped = at_slider && !state.hovered;
  text.regime = text.verdict.limit;
  if (!scoped || text.regime.empty()) return text;
  text.scope = scope_of(subject);
  // The scope takes the headline's place, and only the headline says why no limit is clear.
  if (text.verdict.regime == engine::Regime::unknown)
    text.verdict.sentences.insert(text.verdict.sentences.begin(), text.headline);
  return text;
}

}  // namespace ui
