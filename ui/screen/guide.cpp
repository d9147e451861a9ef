#include "ui/screen/guide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/labs/lab.hpp"
#include "engine/verdict/advice.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/model/availability.hpp"
#include "ui/screen/guide_points.hpp"

namespace ui {

using engine::Interval;
using engine::Point;
using engine::Says;
using engine::Session;
using kernels::Case;
using kernels::Fusion;

namespace {

using enum GuideOutcome;

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr double flat = 1.1;    // times as long: as long; the rise that makes a knee
constexpr double risen = 1.5;   // times as long: the ridge is behind
constexpr double faster = 1.1;  // times as fast: faster

/// "2.90x", "1.02x", "16.3x"
std::string times(const Interval& ratio) {
  constexpr double plain = 10;  // from here on a second decimal says nothing
  return ratio.median < plain ? fmt::format("{:.2f}x", ratio.median) : engine::factor(ratio.median);
}

std::string times_with_interval(const Interval& ratio) { return engine::text_of(ratio, "x"); }

// ---- steps 1 and 2: how the runtime grows with the ops

/// The slider's point beside the one of the same kind with the fewest ops.
struct Growth {
  const Point* fewest = nullptr;
  const Point* now = nullptr;  ///< null: `instead` says why
  Interval ratio{};
  GuideResult instead{};
};

Growth growth_of(const AppState& state, const Session& session) {
  const auto what = cursor_case(state);
  if (!what) return {.instead = {not_yet, still_looking}};
  if (what->fusion == Fusion::unfused)
    return {.instead = {not_yet, "Set Fusion to fused: unfused, every op is a trip to memory."}};
  if (state.cursor_repeat == state.dialogs.guide->repeat) return {};
  const AtSlider at = at_slider(state, session, *what);
  if (at.point == nullptr) return {.instead = at.instead};
  const Point* fewest = fewest_ops(session, *what);
  if (const std::string doubt = doubt_of(session, *fewest); !doubt.empty())
    return {.instead = doubtful(state, *fewest, doubt)};
  return {fewest, at.point, times_as_long(*at.point, *fewest), {}};
}

/// "8 ops take 1.01x as long as 1 op"
std::string grown_in_words(const Growth& growth) {
  return fmt::format("{} take {} as long as {} ({})", ops_text(growth.now->what.repeat),
                     times(growth.ratio), ops_text(growth.fewest->what.repeat),
                     units::seconds(growth.fewest->seconds.median));
}

GuideResult too_noisy(const Growth& growth) {
  return {cannot_tell,
          fmt::format("Cannot tell: {} take {} as long as {}; measure again when the machine is "
                      "idle.",
                      ops_text(growth.now->what.repeat), times_with_interval(growth.ratio),
                      ops_text(growth.fewest->what.repeat))};
}

GuideResult judge_add_ops(const AppState& state, const Session& session) {
  const Growth growth = growth_of(state, session);
  if (growth.now == nullptr) return growth.instead;
  constexpr std::uint64_t enough = 4;  // times the ops: a runtime that counts ops would show it
  if (growth.now->what.repeat < enough * growth.fewest->what.repeat)
    return {not_yet, fmt::format("{} took {}; now raise the ops per element to at least {}.",
                                 ops_text(growth.now->what.repeat),
                                 units::seconds(growth.now->seconds.median),
                                 enough * growth.fewest->what.repeat)};
  const Says says = engine::judge(growth.ratio, 0, flat);
  if (says == Says::differs)
    return {not_yet, grown_in_words(growth) + ": these are too many, lower them."};
  if (says != Says::holds) return too_noisy(growth);
  const engine::Regime regime = judge(session, *growth.now).regime;
  const std::string_view why =
      regime == engine::Regime::bandwidth  ? "memory is the limit, so these ops are free"
      : regime == engine::Regime::overhead ? "overhead is the limit, so these ops are free"
                                           : "these ops are free";
  return {done, fmt::format("{}: {}.", grown_in_words(growth), why)};
}

GuideResult judge_cross_ridge(const AppState& state, const Session& session) {
  const Growth growth = growth_of(state, session);
  if (growth.now == nullptr) return growth.instead;
  const Says says = engine::judge(growth.ratio, risen, endless);
  if (says == Says::differs)
    return state.cursor_repeat < kernels::max_repeat
               ? GuideResult{not_yet, grown_in_words(growth) + ": raise the ops further."}
               : GuideResult{cannot_tell,
                             grown_in_words(growth) + ": no ridge within reach of the slider."};
  if (says != Says::holds) return too_noisy(growth);
  const engine::Verdict verdict = judge(session, *growth.now);
  if (verdict.ridge <= 0 || verdict.regime == engine::Regime::unknown)
    return {cannot_tell, fmt::format("{}, but no roof explains why: measure all roofs.",
                                     grown_in_words(growth))};
  if (verdict.regime != engine::Regime::compute)
    return {not_yet, fmt::format("{}, but it is {} still: raise the ops further.",
                                 grown_in_words(growth), name_of(verdict.regime))};
  const bool integer = kernels::info_of(growth.now->what.dtype).integer;
  return {done, fmt::format("{}: past the ridge at {} every op costs time, and {} of the peak is "
                            "used.",
                            grown_in_words(growth), units::intensity(verdict.ridge, integer),
                            units::percent(verdict.share_of_compute))};
}

// ---- step 3: fused and unfused

struct FusionPair {
  const Point* fused = nullptr;
  const Point* unfused = nullptr;
};

/// Of the slider's kind, of several ops, the pair whose ops are nearest to the slider's.
FusionPair nearest_pair(const AppState& state, const Session& session, Case what) {
  FusionPair best;
  double distance = endless;
  for (const Point& point : session.points) {
    what.repeat = point.what.repeat;
    what.fusion = Fusion::unfused;
    if (point.what.repeat < 2 || !is_measured(point) || point.what != what) continue;
    what.fusion = Fusion::fused;
    const Point* fused = best_of(session, what);
    const double far = std::abs(std::log(static_cast<double>(point.what.repeat) /
                                         static_cast<double>(state.cursor_repeat)));
    if (fused == nullptr || far > distance) continue;
    best = {fused, &point};
    distance = far;
  }
  return best;
}

GuideResult judge_fuse(const AppState& state, const Session& session) {
  if (state.spec.fusion == state.dialogs.guide->spec.fusion) return {};
  const auto what = cursor_case(state);
  if (!what) return {not_yet, still_looking};
  const auto [fused, unfused] = nearest_pair(state, session, *what);
  if (fused == nullptr)
    return missing(state, nullptr, "set Fusion to both and press Space, so that both are.");
  for (const Point* point : {fused, unfused}) {
    const std::string doubt = doubt_of(session, *point);
    if (!doubt.empty()) return doubtful(state, *point, doubt);
  }
  const Interval ratio = times_as_long(*unfused, *fused);
  const std::string ops = ops_text(fused->what.repeat);
  const std::string both =
      fmt::format("{} take {} unfused and {} fused", ops, units::seconds(unfused->seconds.median),
                  units::seconds(fused->seconds.median));
  const Says says = engine::judge(ratio, faster, endless);
  if (says == Says::holds)
    return {done, fmt::format("{}: fusing makes it {} as fast, because each element makes one "
                              "trip to memory instead of {}.",
                              both, times(ratio), fused->what.repeat)};
  if (says == Says::differs)
    return {not_yet, both + ": fusing does not help here, try another number of ops."};
  return {cannot_tell, fmt::format("Cannot tell: fusing makes {} {} as fast; measure again "
                                   "when the machine is idle.",
                                   ops, times_with_interval(ratio))};
}

// ---- step 4: fewer elements

GuideResult judge_shrink(const AppState& state, const Session& session) {
  if (state.spec.elements == state.dialogs.guide->spec.elements) return {};
  const auto what = cursor_case(state);
  if (!what) return {not_yet, still_looking};
  const AtSlider at = at_slider(state, session, *what);
  if (at.point == nullptr) return at.instead;
  const engine::Verdict verdict = judge(session, *at.point);
  const std::string took =
      fmt::format("{} elements take {}", units::count(static_cast<double>(what->elements)),
                  units::seconds(at.point->seconds.median));
  const std::string share = units::percent(std::min(1.0, verdict.share_of_overhead));
  if (verdict.regime == engine::Regime::overhead)
    return {done, fmt::format("{}, and {} of that is overhead: less data would hardly be faster.",
                              took, share)};
  if (verdict.share_of_overhead <= 0)
    return {cannot_tell, took + ", but the overhead of this kernel was not measured: press Space."};
  if (verdict.regime == engine::Regime::compute)
    return {not_yet, took + ": compute-bound, so lower the ops or shrink the data further."};
  return {not_yet,
          fmt::format("{}, {} of that is overhead: shrink the data further.", took, share)};
}

// ---- step 5: smaller elements, matrix units

/// An element type on a kind of unit.
struct Kind {
  kernels::Dtype dtype = kernels::Dtype::fp32;
  kernels::Units units = kernels::Units::vector;
  bool operator==(const Kind&) const = default;
};

std::string name_of(const Kind& kind) {
  return fmt::format("{}{}", kernels::name_of(kind.dtype),
                     kind.units == kernels::Units::matrix ? " on matrix units" : "");
}

/// What a spec asks for that `other` did not; else what it asks for first.
Kind kind_of(const engine::Spec& spec, const engine::Spec* other = nullptr) {
  Kind kind{spec.dtypes.front(), kernels::Units::vector};
  if (other != nullptr)
    for (const kernels::Dtype dtype : spec.dtypes)
      if (std::ranges::count(other->dtypes, dtype) == 0) kind.dtype = dtype;
  const bool before = other != nullptr && includes(other->units, kernels::Units::matrix);
  const bool matrix = includes(spec.units, kernels::Units::matrix);
  if (matrix && (!before || spec.units == engine::UnitsChoice::matrix))
    kind.units = kernels::Units::matrix;
  return kind;
}

/// The fused point of a kind with the highest rate that can be relied on.
const Point* fastest_of(const Session& session, const Kind& kind) {
  const Point* best = nullptr;
  for (const Point& point : session.points) {
    const bool counts = is_measured(point) && engine::is_over_repeats(point.lab) &&
                        point.what.fusion == Fusion::fused &&
                        Kind{point.what.dtype, point.what.units} == kind &&
                        doubt_of(session, point).empty();
    if (counts && (best == nullptr || point.flops_per_second() > best->flops_per_second()))
      best = &point;
  }
  return best;
}

bool is_of_memory(const Session& session, const Point& point) {
  return doubt_of(session, point).empty() &&
         judge(session, point).regime == engine::Regime::bandwidth;
}

/// "; at 1 op, where memory is the limit, it is 2.00x as fast"; empty without such points.
std::string at_few_ops(const Session& session, const Point& before, const Kind& kind) {
  const Point* old = fewest_ops(session, before.what);
  if (old == nullptr || !is_of_memory(session, *old)) return {};
  for (const Point& point : session.points) {
    const Case &what = point.what, &then = old->what;
    const bool alike = is_measured(point) && what.family == then.family && what.ops == then.ops &&
                       what.fusion == then.fusion && what.repeat == then.repeat &&
                       Kind{what.dtype, what.units} == kind && is_of_memory(session, point);
    if (alike)
      return fmt::format("; at {}, where memory is the limit, it is {} as fast",
                         ops_text(then.repeat),
                         times({point.flops_per_second() / old->flops_per_second()}));
  }
  return {};
}

GuideResult judge_precision(const AppState& state, const Session& session) {
  const engine::Place* device = current_device(state);
  const engine::Spec before =
      engine::suited(engine::read_by(lab_on_screen(state), state.dialogs.guide->spec), *device);
  const engine::Spec now = spec_on_screen(state);
  const Kind old = kind_of(before), chosen = kind_of(now, &before);
  if (old == chosen) return {};
  if (state.worker.running.sweep || state.worker.restart_due) return {not_yet, "Measuring..."};
  const Point* slow = fastest_of(session, old);
  const Point* fast = fastest_of(session, chosen);
  if (slow == nullptr || fast == nullptr)
    return missing(
        state, nullptr,
        fmt::format("press Space to measure {}.", name_of(slow == nullptr ? old : chosen)));
  const auto rate = [](const Point& point) {
    return units::flops_per_second(point.flops_per_second(),
                                   kernels::info_of(point.what.dtype).integer);
  };
  const double ratio = fast->flops_per_second() / slow->flops_per_second();
  return {done, fmt::format("{} reaches {} at best, {} {}: {}{}.", name_of(chosen), rate(*fast),
                            name_of(old), rate(*slow), times({ratio}),
                            at_few_ops(session, *slow, chosen))};
}

/// What a step asks for, and how it is judged.
struct JudgedStep {
  std::string_view title;
  const char* task;
  GuideResult (*judge)(const AppState&, const Session&);
};

/// In the order of GuideStep.
constexpr std::array judged_steps{
    JudgedStep{
        "add ops",
        "Set the ops per element to 1 (Home), then raise them step by step (right arrow) and "
        "watch the runtime.",
        judge_add_ops},
    JudgedStep{"cross the ridge",
               "Raise the ops per element further, with the slider or the right arrow, until the "
               "runtime grows.",
               judge_cross_ridge},
    JudgedStep{
        "fuse",
        "Lower the ops per element to a few. Set Fusion to unfused, then to fused, and compare "
        "the runtimes.",
        judge_fuse},
    JudgedStep{
        "shrink the data",
        "Keep a few ops and drag Elements to the left until overhead takes most of the runtime.",
        judge_shrink},
    JudgedStep{
        "lower the precision",
        "Set Elements back to auto. Choose a smaller element type, or matrix units, and press "
        "Space.",
        judge_precision}};
static_assert(judged_steps.size() == guide_steps.size());

/// Why no step of the tour can be taken now, with what to do; empty: it can.
std::string why_no_guide(const AppState& state) {
  if (state.worker.looking) return still_looking;
  const engine::Place* device = current_device(state);
  if (device == nullptr || current_session(state) == nullptr)
    return "The tour measures, and this machine has no device that can be measured.";
  if (device->recorded) return "A recording measures nothing: choose another device for the tour.";
  if (lab_on_screen(state).slider.empty())
    return "This lab has no slider for ops per element: choose the first one in the list of labs.";
  if (is_view_only(state))
    return "The charts show an opened file: press Space to measure this machine, which the tour is "
           "about.";
  return {};
}

}  // namespace

std::string_view name_of(GuideOutcome outcome) {
  constexpr std::array<std::string_view, 3> names{"not yet", "done", "cannot tell"};
  return names.at(static_cast<std::size_t>(outcome));
}

GuideText guide_text(const AppState& state) {
  const auto number = static_cast<std::size_t>(state.dialogs.guide->step);
  const JudgedStep& step = judged_steps[number];
  std::string why_not = why_no_guide(state);
  return {fmt::format("Tour, step {} of {}: {}", number + 1, judged_steps.size(), step.title),
          step.task,
          why_not.empty() ? step.judge(state, *current_session(state))
                          : GuideResult{not_yet, std::move(why_not)}};
}

}  // namespace ui
