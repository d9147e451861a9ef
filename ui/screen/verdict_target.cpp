#include "ui/screen/verdict_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "engine/verdict/advice.hpp"
#include "engine/verdict/overhead.hpp"
#include "kernels/units.hpp"
#include "ui/figures/point_facts.hpp"

namespace ui {

using engine::Point;
using engine::Session;
using kernels::Case;

namespace {

/// The newest point of which `wanted` holds, or nullptr.
template <class Wanted>
const Point* newest(const Session& session, const Wanted& wanted) {
  const auto found = std::find_if(session.points.rbegin(), session.points.rend(), wanted);
  return found == session.points.rend() ? nullptr : &*found;
}

/// Of a sweep.
const Point* newest_measured(const Session& session) {
  return newest(session, [](const Point& point) {
    return is_swept(point) && point.status == engine::Status::ok;
  });
}

kernels::Work work_of(const VerdictTarget& target) {
  return kernels::work_of(target.what, target.session->device.kind);
}

engine::Prediction predicted(const VerdictTarget& target) {
  return engine::predict(*target.session, target.what, work_of(target));
}

std::string caption_of(const VerdictTarget& target) {
  Point named;
  named.what = target.what;
  const std::string series = series_name(target.point != nullptr ? *target.point : named);
  std::string text = fmt::format("{}, {}", series, ops_text(target.what.repeat));
  if (target.point != nullptr) {
    if (const std::string flags = short_flags_of(*target.session, *target.point); !flags.empty())
      text += ", " + flags;
  }
  switch (target.kind) {
    case VerdictTarget::Kind::hovered:
      return text + " (under the pointer)";
    case VerdictTarget::Kind::newest:
      return text + " (newest point)";
    case VerdictTarget::Kind::probed:
      return text + " (at the slider)";
    case VerdictTarget::Kind::predicted:
      return text + (predicted(target).complete() ? " (predicted)" : " (at the slider)");
    case VerdictTarget::Kind::none:
      break;
  }
  return {};
}

/// Whose point or prediction it is, where devices are compared: "here, AMD EPYC".
std::string place_of(const AppState& state, const VerdictTarget& target) {
  const std::string& device = target.session->device.name;
  const engine::Place* own = current_device(state);
  const auto is_other = [&](const Session* other) { return other->device.name != device; };
  const bool compared = std::ranges::any_of(sessions_shown(state), is_other) ||
                        (own != nullptr && own->info.name != device);
  if (!compared) return {};
  const OpenedFile* file = file_of(state, *target.session);
  return fmt::format("{}, {}", file != nullptr ? file->name + " (view only)" : "here", device);
}

/// "At most 14.3 ms on H200 by its datasheet, 26x as fast as measured here, if this kernel reaches
/// 94 % of the roof there, as it does here."; `measured`: seconds, 0 = not known.
std::string said_of(const WhatIf& there, double measured) {
  std::string text =
      fmt::format("{} {} on {} by its datasheet", there.of_sheet ? "Predicted:" : "At most",
                  units::seconds(there.seconds), there.name);
  if (measured > 0)
    text += fmt::format(", {} as fast as measured here", engine::factor(measured / there.seconds));
  if (there.reach > 0) {
    text += fmt::format(", if this kernel reaches {} of the {} there, as it does here",
                        units::percent(there.reach), there.of_sheet ? "datasheet's rate" : "roof");
  }
  return text + ".";
}

/// What the other device would take: a sentence for each of its units.
std::string what_if_sentence(const View& view, const VerdictTarget& target) {
  if (what_if_fits_cache(view, target.what)) {
    return fmt::format("It fits the cache of {}, whose bandwidth its datasheet does not state.",
                       view.what_if->device.name);
  }
  const double measured = target.point != nullptr ? target.point->seconds.median : 0;
  std::vector<std::string> each;
  for (const WhatIf& there : what_ifs(view, *target.session, target.what))
    each.push_back(said_of(there, measured));
  return fmt::format("{}", fmt::join(each, " "));
}

/// The limit stands above in big words: "Bandwidth-bound: 94 % of ..." -> "94 % of ...".
std::string without_limit(const engine::Verdict& verdict) {
  const std::size_t length = verdict.limit.size();
  const bool said = length > 0 && verdict.headline.compare(length, 2, ": ") == 0;
  return said ? units::capitalised(verdict.headline.substr(length + 2)) : verdict.headline;
}

/// Ridge and free ops between the roofs that the prediction takes.
void add_ridge(const VerdictTarget& target, const engine::Prediction& prediction,
               engine::Verdict& verdict) {
  const kernels::Work work = work_of(target);
  if (prediction.compute_seconds <= 0 || prediction.bandwidth_seconds <= 0) return;
  const double ratio = prediction.bandwidth_seconds / prediction.compute_seconds;
  verdict.ridge = work.intensity() * ratio;
  const double repeat = static_cast<double>(target.what.repeat);
  const double free_ops = std::floor(repeat * (ratio - 1));
  const bool fused = target.what.fusion == kernels::Fusion::fused;
  if (!fused || verdict.regime != engine::Regime::bandwidth || free_ops < 1) return;
  verdict.sentences.push_back(
      fmt::format("About {} more ops per element would be free.", units::number(free_ops, 15)));
}

/// Why nothing is predicted, and what to do about it.
std::string without_prediction(const AppState& state, const VerdictTarget& target) {
  const Case& what = target.what;
  const std::string missing = fmt::format("no {}{} compute roof", name_of(what.dtype),
                                          what.units == kernels::Units::matrix ? " matrix" : "");
  if (const OpenedFile* file = file_of(state, *target.session))
    return fmt::format("{} holds {}.", file->name, missing);
  if (state.worker.running.any()) return "The roofs are being measured.";
  if (target.unmeasured != nullptr) return fmt::format("Not measured: {}", target.unmeasured->why);
  const bool any = std::ranges::count(target.session->roofs, engine::RoofSource::measured,
                                      &engine::Roof::source) > 0;
  return any ? fmt::format("There is {} yet: press Space.", missing)
             : "The roofs are not measured yet: press Space.";
}

engine::Verdict predicted_verdict(const AppState& state, const VerdictTarget& target) {
  const engine::Prediction prediction = predicted(target);
  engine::Verdict verdict;
  if (!prediction.complete()) {
    verdict.headline = without_prediction(state, target);
    return verdict;
  }
  const double whole = prediction.seconds();
  verdict.regime = prediction.regime();
  verdict.limit = engine::name_of(verdict.regime);
  verdict.share_of_bandwidth = prediction.bandwidth_seconds / whole;
  verdict.share_of_compute = prediction.compute_seconds / whole;
  verdict.share_of_overhead = prediction.overhead_seconds / whole;
  verdict.overhead_adds = prediction.overhead_adds;
  if (verdict.regime == engine::Regime::overhead) {
    verdict.sentences.push_back(
        engine::overhead_in_words(*target.session, target.what, work_of(target),
                                  overhead_of(*target.session, target.what, prediction.launched)));
  }
  const bool integer = kernels::info_of(target.what.dtype).integer;
  verdict.headline = fmt::format("The roofs allow at most {} in {}.",
                                 units::flops_per_second(prediction.attainable_flops(), integer),
                                 units::seconds(whole));
  const engine::Reach reach = engine::reach_of_kind(*target.session, target.what);
  const engine::Prediction usual = at_reach(prediction, reach);
  if (const double share = reach.of(usual.regime()); share > 0) {
    verdict.sentences.push_back(
        fmt::format("{} if this point reaches {} of the roof, as this kernel does at other points.",
                    units::seconds(usual.seconds()), units::percent(share)));
  }
  if (std::string missing = engine::missing_roof(*target.session, target.what); !missing.empty())
    verdict.sentences.push_back(std::move(missing));
  if (target.unmeasured != nullptr) {
    verdict.advice.push_back(fmt::format("Not measured: {}", target.unmeasured->why));
  }
  add_ridge(target, prediction, verdict);
  return verdict;
}

/// Beside an opened sweep of the same device that sweep's roofs are drawn, while a point measured
/// now is read against those measured now. Empty where both are the same.
std::string other_roofs_sentence(const AppState& state, const VerdictTarget& target) {
  if (file_of(state, *target.session) != nullptr || newest_measured(*target.session) != nullptr)
    return "";
  for (const Session* other : sessions_shown(state)) {
    const OpenedFile* file = file_of(state, *other);
    if (file == nullptr || other->device.name != target.session->device.name) continue;
    if (!other->roofs.empty() && newest_measured(*other) != nullptr)
      return fmt::format("This point was measured now; the roofs shown come from {}.", file->name);
  }
  return "";
}

/// Where the slider measured a case otherwise than the sweep did, whose points the curves show.
std::string swept_sentence(const VerdictTarget& target) {
  constexpr double alike = 1.05;
  const Point& point = *target.point;
  if (!point.probe) return "";
  const Point* swept = engine::find_measured(*target.session, point.what, point.run);
  if (swept == nullptr || swept->probe) return "";
  const auto [less, more] = std::minmax(swept->seconds.median, point.seconds.median);
  if (more <= alike * less) return "";
  return fmt::format("The sweep measured {} here.", units::seconds(swept->seconds.median));
}

/// Shares are of the prediction: a runtime above 100 % is slower, a rate above it faster.
std::vector<ScopeRow> scope_of(const VerdictTarget& target) {
  const kernels::Work work = work_of(target);
  const engine::Prediction roofs = predicted(target);
  const double predicted = roofs.complete() ? roofs.seconds() : 0;
  const double measured = target.point != nullptr ? target.point->seconds.median : 0;
  const bool integer = kernels::info_of(target.what.dtype).integer;
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

/// "probably bandwidth-bound" where other work disturbed the point: the caption says so.
std::string doubted(const VerdictTarget& target, const engine::Verdict& verdict) {
  const bool told = verdict.limit == name_of(verdict.regime);
  const bool doubtful = target.point != nullptr && target.point->disturbed;
  const bool one = told && verdict.regime != engine::Regime::unknown;
  return fmt::format("{}{}", doubtful && one ? "probably " : "", verdict.limit);
}

}  // namespace

const Point* newest_of_case(const Session& session, const Case& what) {
  return newest(session, [&](const Point& point) {
    // The repeat differs most often.
    return point.what.repeat == what.repeat && point.what == what && in_sweep(point);
  });
}

std::vector<TimePart> time_parts(const engine::Verdict& verdict) {
  std::vector<TimePart> parts{{engine::Regime::bandwidth, 0, verdict.share_of_bandwidth},
                              {engine::Regime::compute, 0, verdict.share_of_compute}};
  std::ranges::stable_sort(parts, std::greater(), &TimePart::to);
  TimePart overhead{engine::Regime::overhead, 0, verdict.share_of_overhead};
  if (verdict.overhead_adds) {
    for (TimePart& part : parts) {
      part.from = overhead.to;
      part.to += overhead.to;
    }
    parts.insert(parts.begin(), overhead);
    parts.back().hidden = true;
  } else {
    parts.push_back(overhead);
    std::ranges::stable_sort(parts, std::greater(), &TimePart::to);
    parts[1].hidden = parts[2].hidden = true;
  }
  std::erase_if(parts, [](const TimePart& part) { return !(part.to > part.from); });
  for (TimePart& part : parts) {
    part.from = std::min(part.from, 1.0);
    part.to = std::min(part.to, 1.0);
  }
  return parts;
}

VerdictTarget verdict_target(const AppState& state) {
  const auto shown = sessions_shown(state);
  if (shown.empty()) return {};
  if (const auto& at = state.look.hovered;
      at && at->session < shown.size() && at->point < shown[at->session]->points.size()) {
    const Point& point = shown[at->session]->points[at->point];
    return {VerdictTarget::Kind::hovered, shown[at->session], &point, point.what, nullptr};
  }
  const Session* first = shown.front();
  if (lab_on_screen(state).slider.empty()) {
    const Point* point = newest_measured(*first);
    if (point == nullptr) return {};
    return {VerdictTarget::Kind::newest, first, point, point->what, nullptr};
  }
  const auto at_slider = cursor_case(state);
  if (!at_slider) return {};
  const Point* here = newest_of_case(*first, *at_slider);
  if (here != nullptr && here->status == engine::Status::ok)
    return {VerdictTarget::Kind::probed, first, here, *at_slider, nullptr};
  return {VerdictTarget::Kind::predicted, first, nullptr, *at_slider, here};
}

VerdictText verdict_text(const AppState& state) {
  const VerdictTarget target = verdict_target(state);
  VerdictText text;
  if (target.kind == VerdictTarget::Kind::none) {
    text.headline = state.worker.looking ? "Looking for devices..." : "Nothing is measured yet.";
    return text;
  }
  text.caption = caption_of(target);
  text.place = place_of(state, target);
  text.measured = target.point != nullptr;
  text.integer = kernels::info_of(target.what.dtype).integer;
  text.verdict = text.measured ? engine::judge(*target.session, *target.point)
                               : predicted_verdict(state, target);
  const auto say_first = [&](std::string sentence) {
    auto& all = text.verdict.sentences;
    if (!sentence.empty()) all.insert(all.begin(), std::move(sentence));
  };
  say_first(what_if_sentence(state.look.view, target));
  if (text.measured) say_first(swept_sentence(target));
  say_first(other_roofs_sentence(state, target));
  text.headline = without_limit(text.verdict);
  const bool scoped =
      target.kind == VerdictTarget::Kind::probed || target.kind == VerdictTarget::Kind::predicted;
  text.regime = doubted(target, text.verdict);
  if (!scoped || text.regime.empty()) return text;
  text.scope = scope_of(target);
  // The scope takes the headline's place, and only the headline says why no limit is clear.
  if (text.verdict.regime == engine::Regime::unknown) say_first(text.headline);
  return text;
}

}  // namespace ui
