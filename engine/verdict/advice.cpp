#include "engine/verdict/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "engine/verdict/doubts.hpp"
#include "engine/verdict/overhead.hpp"
#include "engine/verdict/precision.hpp"
#include "engine/verdict/quotient.hpp"
#include "engine/verdict/reading.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Dtype;
using kernels::Fusion;
using kernels::Units;

constexpr double well_used = 0.8;     // of a roof: what is left is not worth a rewrite
constexpr double worth_saying = 1.1;  // a smaller speed-up is none

bool is_unfused(const Point& point) {
  return point.what.fusion == Fusion::unfused && point.what.repeat > 1;
}

bool has_other_units(const kernels::Case& what) { return what.family->units.size() > 1; }

kernels::Case with_fusion(kernels::Case what, Fusion fusion) {
  what.fusion = fusion;
  return what;
}

kernels::Case with_units(kernels::Case what, Units units) {
  what.units = units;
  return what;
}

std::string_view matrix_units_name(const Session& session) {
  return session.device.kind == "cuda" ? "tensor cores" : "matrix units (AMX)";
}

bool has_matrix_units(const Session& session) {
  const auto is_amx = [](const std::string& name) { return name.starts_with("AMX"); };
  return session.device.kind == "cuda" ||
         std::ranges::any_of(session.device.instruction_sets, is_amx) ||
         std::ranges::any_of(session.roofs,
                             [](const Roof& roof) { return roof.units == Units::matrix; });
}

std::string fuse_advice(const Session& session, const Point& point,
                        const char* effect = "each element then moves once instead of {} times") {
  std::string advice = fmt::format("Fuse the {} ops into one kernel: ", point.what.repeat) +
                       fmt::format(fmt::runtime(effect), point.what.repeat);
  const kernels::Case in_one = with_fusion(point.what, Fusion::fused);
  if (const Point* fused = find_measured(session, in_one, point.run)) {
    return advice + fmt::format(" ({} measured here{}).",
                                factor(times_as_long(point, *fused).median),
                                is_sure(*fused) && is_sure(point) ? "" : ", not sure");
  }
  const Prediction predicted = predict(session, in_one, work_of(in_one, session.device.kind));
  if (predicted.complete()) {
    advice +=
        fmt::format(" (the roofs predict {})", factor(point.seconds.median / predicted.seconds()));
  }
  return advice + ".";
}

/// Wrapping integers do other work than floats: they are no lower precision of them.
bool is_lower_precision(Dtype than, Dtype dtype) {
  const kernels::DtypeInfo& own = kernels::info_of(than);
  const kernels::DtypeInfo& other = kernels::info_of(dtype);
  return !own.integer && !other.integer && size_of(dtype) < size_of(than);
}

/// The fastest measured point of lower precision that did the same otherwise; elements may differ.
const Point* find_lower_precision(const Session& session, const Point& point) {
  const Point* best = nullptr;
  for (const Point& other : session.points) {
    // What differs most often first: the window asks in every frame in which the slider moves.
    if (other.what.repeat != point.what.repeat ||
        !is_lower_precision(point.what.dtype, other.what.dtype)) {
      continue;
    }
    kernels::Case same = other.what;
    same.dtype = point.what.dtype;
    same.elements = point.what.elements;
    if (other.status == Status::ok && same == point.what &&
        (best == nullptr || other.flops_per_second() > best->flops_per_second())) {
      best = &other;
    }
  }
  return best;
}

/// How many times the arithmetic of one case is as fast as another's by roofs of the same source;
/// nothing where none has both.
std::optional<double> compute_ratio(const Session& session, const kernels::Case& one,
                                    const kernels::Case& other) {
  for (const RoofSource source : roof_sources) {
    const double rate = compute_ceiling(session, one, source).rate;
    const double of = compute_ceiling(session, other, source).rate;
    if (rate > 0 && of > 0) return rate / of;
  }
  return std::nullopt;
}

/// How many times as fast the roofs let the same ops be in another dtype; 0 = they do not tell.
double promised_gain(const Session& session, const Point& point, Dtype dtype) {
  kernels::Case what = point.what;
  what.dtype = dtype;
  const auto ratio = compute_ratio(session, what, point.what);
  if (!ratio && what.units == Units::matrix) return 0;  // which dtypes those take differs
  Prediction own = predict(session, point.what, point.work);
  // DRAM does not bound what begins in a cache, whose roof may be missing.
  if (!point.cold && cache_ceiling(session, point.what).rate <= 0) own.bandwidth_seconds = 0;
  Prediction other = own;
  other.bandwidth_seconds *= point.work.bytes > 0 ? work_of(what).bytes / point.work.bytes : 1;
  // Without a roof of its own no dtype is promised to compute faster.
  other.compute_seconds /= ratio.value_or(1);
  return other.seconds() > 0 ? own.seconds() / other.seconds() : 0;
}

/// What the roofs promise at most, in one sentence; empty where that is nothing.
std::string promised_precision(const Session& session, const Point& point,
                               std::string_view effect) {
  // Others exist in some matrix units only, and not for every workload.
  constexpr std::array common{Dtype::fp32, Dtype::fp16, Dtype::bf16};
  Dtype best = point.what.dtype;
  double gain = worth_saying;
  for (const Dtype dtype : common) {
    if (!is_lower_precision(point.what.dtype, dtype)) continue;
    const double promised = promised_gain(session, point, dtype);
    if (promised <= gain) continue;
    gain = promised;
    best = dtype;
  }
  if (best == point.what.dtype) return "";
  return fmt::format("Lower precision {}: the roofs predict {} for {}.", effect, factor(gain),
                     name_of(best));
}

/// What lower precision brought where it was measured, else what the roofs promise.
std::string precision_advice(const Session& session, const Point& point, std::string_view effect) {
  const Point* lower = find_lower_precision(session, point);
  if (lower == nullptr) return promised_precision(session, point, effect);
  const double ratio = lower->flops_per_second() / point.flops_per_second();
  if (ratio > worth_saying) {
    return fmt::format("Lower precision {}: {} did the same ops {} as fast here.", effect,
                       name_of(lower->what.dtype), factor(ratio));
  }
  return fmt::format("Lower precision does not help here: {} did the same ops {} as fast.",
                     name_of(lower->what.dtype), factor(ratio));
}

/// To two digits.
double rounded_up(double count) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(count)) - 1));
  return std::ceil(count / unit) * unit;
}

/// What speaks against drawing conclusions from a point; mostly nothing.
std::string warning_of(const Session& session, const Point& point) {
  if (point.disturbed)
    return held_by_quota(point.conditions) ? "a processor quota held it back"
                                           : "other work disturbed it";
  if (throttling_of(session, point)) return "its clock was throttled";
  constexpr double too_wide = 0.15;
  if (point.seconds.samples.size() < 2 || point.seconds.median <= 0) return "";
  // The share of the roof holds still where all of the device is slower or faster for a while.
  const double reach = point.share ? reach_of(point.share->of) : reach_of(point.seconds);
  if (reach <= too_wide) return "";
  return fmt::format("its {} by ±{}", point.share ? "share of the roof varies" : "samples spread",
                     units::percent(reach));
}

std::vector<std::string> against_overhead(const Session& session, const Point& point) {
  std::vector<std::string> advice;
  if (is_unfused(point)) {
    advice.push_back(fuse_advice(session, point, "one launch then takes the place of {}"));
  }
  const Prediction predicted = predict(session, point);
  const double work_seconds = std::max(predicted.bandwidth_seconds, predicted.compute_seconds);
  if (work_seconds > 0 && point.what.elements > 0) {
    const double enough =
        static_cast<double>(point.what.elements) * predicted.overhead_seconds / work_seconds;
    advice.push_back(fmt::format(
        "Use larger tensors: above about {} elements, the work takes longer than the overhead.",
        units::count(rounded_up(enough))));
  }
  if (predicted.launched == kernels::Launched::stream) {
    const double graph = other_way_seconds(session, point.what, predicted.launched);
    advice.push_back(fmt::format("Capture the launches in a CUDA graph: {}.",
                                 graph > 0
                                     ? fmt::format("a launch costs {} there", units::seconds(graph))
                                     : "its launches cost less than separate ones"));
  }
  advice.push_back(fmt::format("Launch fewer and larger kernels: one launch costs about {} here.",
                               units::seconds(predicted.overhead_seconds / point.work.launches)));
  return advice;
}

std::vector<std::string> against_bandwidth(const Session& session, const Point& point,
                                           const Verdict& verdict) {
  std::vector<std::string> advice;
  if (is_unfused(point)) {
    advice.push_back(fuse_advice(session, point));
  } else if (verdict.free_ops >= 1) {
    advice.push_back(
        "Fuse the ops before and after into this kernel: they are free while memory is the limit.");
  }
  advice.push_back(precision_advice(session, point, "moves fewer bytes"));
  return advice;
}

std::string matrix_advice(const Session& session, const Point& point) {
  const std::string_view name = matrix_units_name(session);
  if (!has_matrix_units(session)) return "";
  if (!has_other_units(point.what)) {
    return fmt::format(
        "The {} would be faster, but they only multiply matrices; a chain cannot use them.", name);
  }
  const kernels::Case on_matrix = with_units(point.what, Units::matrix);
  if (const Point* matrix = find_measured(session, on_matrix, point.run)) {
    return fmt::format("Use the {}: {} as fast here.", name,
                       factor(times_as_long(point, *matrix).median));
  }
  const Prediction predicted = predict(session, on_matrix, point.work);
  if (!predicted.complete()) return "";
  return fmt::format("Use the {}: the roofs predict {}.", name,
                     factor(point.seconds.median / predicted.seconds()));
}

/// The highest measured roof of the same element type and units that lies clearly above the one of
/// this kernel: other instructions reach it. Of products alone; null: none.
const Roof* higher_roof(const Session& session, const Point& point) {
  if (!has_other_units(point.what)) return nullptr;
  const Roof* best = nullptr;
  double rate = worth_saying * compute_ceiling(session, point.what).rate;
  for (const Roof& roof : session.roofs) {
    const bool alike = roof.kind == RoofKind::compute && roof.source == RoofSource::measured &&
                       roof.dtype == point.what.dtype && roof.units == point.what.units;
    if (!alike || roof.rate <= rate) continue;
    best = &roof;
    rate = roof.rate;
  }
  return best;
}

/// What is left where a kernel reaches its roof.
std::string at_roof(const Session& session, const Point& point, double share) {
  const Ceiling own = compute_ceiling(session, point.what);
  const std::string reached =
      fmt::format("This kernel already reaches {} of {}", units::percent(share), own.name);
  if (const Roof* higher = higher_roof(session, point))
    return fmt::format(
        "{}, but {} is {} as high ({}): use the instructions of that roof's kernel, or a library.",
        reached, higher->name, factor(higher->rate / own.rate),
        units::flops_per_second(higher->rate, kernels::info_of(point.what.dtype).integer));
  return reached + ": only a faster device helps.";
}

/// What would be gained if memory and arithmetic ran at once, and how they do. Nothing of a point
/// that something else may have slowed down.
std::string overlap_advice(const Session& session, const Point& point, const Verdict& verdict) {
  const double share = std::max(verdict.share_of_bandwidth, verdict.share_of_compute);
  if (!warning_of(session, point).empty() || share <= 0) return "";
  return fmt::format(
      "Load the next elements before computing on these ({}): memory and arithmetic overlap only "
      "partly; full overlap would give {}.",
      session.device.kind == "cuda" ? "unroll, or pipeline with asynchronous copies"
                                    : "unroll, or prefetch",
      factor(1 / share));
}

std::vector<std::string> against_compute(const Session& session, const Point& point,
                                         const Verdict& verdict) {
  std::vector<std::string> advice;
  if (point.what.units == Units::vector) advice.push_back(matrix_advice(session, point));
  advice.push_back(precision_advice(session, point, "computes faster"));
  const bool shared = verdict.beside_ridge && verdict.share_of_compute < nearly_all &&
                      verdict.share_of_compute + verdict.share_of_bandwidth >= together;
  if (shared)
    advice.push_back(overlap_advice(session, point, verdict));
  else if (verdict.share_of_compute >= well_used && warning_of(session, point).empty())
    advice.push_back(at_roof(session, point, verdict.share_of_compute));
  return advice;
}

/// Less of either roof's work helps, and both at once.
std::vector<std::string> against_two_roofs(const Session& session, const Point& point,
                                           const Verdict& verdict) {
  std::vector<std::string> advice;
  if (is_unfused(point)) advice.push_back(fuse_advice(session, point));
  if (point.what.units == Units::vector && has_other_units(point.what))
    advice.push_back(matrix_advice(session, point));
  advice.push_back(overlap_advice(session, point, verdict));
  advice.push_back(precision_advice(session, point, "moves fewer bytes"));
  return advice;
}

/// What would help in one regime.
std::vector<std::string> against(Regime regime, const Session& session, const Point& point,
                                 const Verdict& verdict) {
  switch (regime) {
    case Regime::overhead:
      return against_overhead(session, point);
    case Regime::bandwidth:
      return against_bandwidth(session, point, verdict);
    case Regime::compute:
      return against_compute(session, point, verdict);
    case Regime::unknown:
      break;
  }
  std::vector<std::string> advice;
  if (is_unfused(point)) advice.push_back(fuse_advice(session, point));
  if (const std::string lacks = compute_ceiling(session, point.what).lacks;
      !lacks.empty() && point.work.flops > 0) {
    advice.push_back(
        fmt::format("Arithmetic may limit it: its roof, {}, was not measured.", lacks));
    return advice;
  }
  advice.emplace_back(
      "Something else limits it. Check for other programs, throttling, or too few elements to keep "
      "every unit busy.");
  return advice;
}

}  // namespace

std::string speed_up_in_words(const Point& slow, const Point& fast) {
  const std::string text = factor(times_as_long(slow, fast).median);
  const bool of_medians = text == factor(slow.seconds.median / fast.seconds.median);
  const bool sure = is_sure(fast) && is_sure(slow);
  return fmt::format("{}{}{}", text, of_medians ? "" : ", pass by pass",
                     sure ? "" : " (not sure: disturbed, or too few samples)");
}

std::string factor(double ratio) { return units::number(ratio, ratio < 10 ? 2 : 3) + "x"; }

const Point* find_measured(const Session& session, const kernels::Case& what,
                           std::uint64_t preferred_run) {
  const Point* found = nullptr;
  // What a sweep measured before a point at the slider, then what the same run did.
  const auto rank = [&](const Point& point) {
    return std::pair(!point.probe, point.run == preferred_run);
  };
  for (const Point& point : session.points) {
    // The repeat differs most often.
    if (point.what.repeat != what.repeat || point.status != Status::ok || point.what != what)
      continue;
    if (found == nullptr || rank(point) >= rank(*found)) found = &point;
  }
  return found;
}

std::vector<std::string> speed_ups(const Session& session, const Point& point) {
  std::vector<std::string> sentences;
  // "Fused takes 3.1 ms, unfused takes 96 ms: 31x."
  const auto compare = [&](const kernels::Case& other, bool is_fast, std::string_view with,
                           std::string_view without) {
    const Point* sibling = find_measured(session, other, point.run);
    if (sibling == nullptr) return;
    const Point &fast = is_fast ? point : *sibling, &slow = is_fast ? *sibling : point;
    sentences.push_back(
        fmt::format("{} takes {}, {} takes {}: {}.", with, units::seconds(fast.seconds.median),
                    without, units::seconds(slow.seconds.median), speed_up_in_words(slow, fast)));
  };
  const bool fused = point.what.fusion == Fusion::fused, matrix = point.what.units == Units::matrix;
  if (point.what.repeat > 1)
    compare(with_fusion(point.what, fused ? Fusion::unfused : Fusion::fused), fused, "Fused",
            "unfused");
  if (has_other_units(point.what))
    compare(with_units(point.what, matrix ? Units::vector : Units::matrix), matrix,
            session.device.kind == "cuda" ? "With tensor cores it" : "With matrix units it",
            "without it");
  return sentences;
}

std::vector<std::string> advice_for(const Session& session, const Point& point,
                                    const Verdict& verdict) {
  std::vector<std::string> advice = verdict.two_roofs
                                        ? against_two_roofs(session, point, verdict)
                                        : against(verdict.regime, session, point, verdict);
  if (const std::string why = warning_of(session, point); !why.empty())
    advice.insert(advice.begin(), fmt::format("Measure it again first: {}.", why));
  std::erase(advice, "");
  return advice;
}

}  // namespace engine
