#include "ui/subject.hpp"

#include <fmt/format.h>

#include "engine/units.hpp"

namespace ui {

using engine::Point;
using engine::Session;
using kernels::Case;

namespace {

const Point* newest_ok(const Session& session) {
  for (auto at = session.points.rbegin(); at != session.points.rend(); ++at) {
    if (at->status == engine::Status::ok && !at->probe) return &*at;
  }
  return nullptr;
}

const Point* measured_at(const Session& session, const Case& what) {
  const Point* found = nullptr;
  for (const Point& point : session.points) {
    if (point.status == engine::Status::ok && point.what == what) found = &point;
  }
  return found;
}

std::optional<Subject> hovered_subject(const AppState& state,
                                       const std::vector<const Session*>& shown) {
  if (!state.hovered || state.hovered->session >= shown.size()) return std::nullopt;
  const Session& session = *shown[state.hovered->session];
  if (state.hovered->point >= session.points.size()) return std::nullopt;
  const Point& point = session.points[state.hovered->point];
  return Subject{Subject::Kind::hovered, &session, &point, point.what};
}

std::string caption_of(const Subject& subject) {
  Point named;
  named.what = subject.what;
  const std::string series = series_name(subject.point != nullptr ? *subject.point : named);
  const std::string text = fmt::format("{}, repeat {}", series, subject.what.repeat);
  switch (subject.kind) {
    case Subject::Kind::hovered:
      return text + " (under the pointer)";
    case Subject::Kind::probed:
      return text + " (measured at the slider)";
    case Subject::Kind::newest:
      return text + " (newest point)";
    case Subject::Kind::predicted:
      return text + " (at the slider)";
    case Subject::Kind::none:
      break;
  }
  return {};
}

/// The regime stands above in big words: "Bandwidth-bound: 94 % of ..." -> "94 % of ...".
std::string without_regime(const std::string& headline, engine::Regime regime) {
  const std::size_t length = engine::name_of(regime).size();
  return headline.substr(0, length + 2).ends_with("-bound: ") ? headline.substr(length + 2)
                                                              : headline;
}

engine::Verdict predicted_verdict(const Subject& subject) {
  const kernels::Work work = kernels::work_of(subject.what);
  const engine::Prediction prediction = engine::predict(*subject.session, subject.what, work);
  engine::Verdict verdict;
  verdict.regime = prediction.regime();
  const double whole = prediction.seconds();
  if (whole <= 0) {
    verdict.headline = "No roof is known yet: press Space to measure.";
    return verdict;
  }
  verdict.share_of_bandwidth = prediction.bandwidth_seconds / whole;
  verdict.share_of_compute = prediction.compute_seconds / whole;
  verdict.share_of_overhead = prediction.overhead_seconds / whole;
  const bool integer = kernels::info_of(subject.what.dtype).integer;
  verdict.headline = fmt::format("The roofs predict {}, {} in {}.", engine::name_of(verdict.regime),
                                 units::flops_per_second(prediction.attainable_flops(), integer),
                                 units::seconds(whole));
  return verdict;
}

}  // namespace

Subject subject_of(const AppState& state) {
  const auto shown = sessions_shown(state);
  if (shown.empty()) return {};
  if (const auto hovered = hovered_subject(state, shown)) return *hovered;
  const Session* first = shown.front();
  const auto at_slider = cursor_case(state);
  if (state.focus == Focus::cursor && at_slider) {
    const Point* point = measured_at(*first, *at_slider);
    return {point != nullptr ? Subject::Kind::probed : Subject::Kind::predicted, first, point,
            *at_slider};
  }
  if (const Point* newest = newest_ok(*first)) {
    return {Subject::Kind::newest, first, newest, newest->what};
  }
  if (at_slider) return {Subject::Kind::predicted, first, nullptr, *at_slider};
  return {};
}

VerdictText verdict_text(const AppState& state) {
  const Subject subject = subject_of(state);
  VerdictText text;
  if (subject.kind == Subject::Kind::none) {
    text.headline = state.looking ? "Looking for devices..." : "Nothing is measured yet.";
    return text;
  }
  text.caption = caption_of(subject);
  text.measured = subject.point != nullptr;
  text.verdict =
      text.measured ? engine::judge(*subject.session, *subject.point) : predicted_verdict(subject);
  text.headline = without_regime(text.verdict.headline, text.verdict.regime);
  if (text.verdict.regime != engine::Regime::unknown) {
    text.regime = engine::name_of(text.verdict.regime);
  }
  return text;
}

}  // namespace ui
