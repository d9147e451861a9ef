#include "engine/verdict/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "engine/measure/statistics.hpp"
#include "engine/roofs/levels.hpp"
#include "engine/session/session_names.hpp"
#include "engine/verdict/overhead.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

Ceiling ceiling_of(const Roof& roof) {
  return {roof.rate, fmt::format("the {} {} roof", source_word(roof), roof.name), roof.conditions,
          flag_of(roof)};
}

/// The best fitting peak of a case, where the device has instructions of its own for it and it was
/// not measured. Nothing for most.
const char* missing_peak(const Session& session, const kernels::Case& what) {
  const auto bounds = kernels::bounds_of(what).compute;
  if (bounds.size() < 2) return nullptr;
  const kernels::ComputeBound& own = bounds.front();
  const bool dots = own.op == kernels::Op::mma && own.units == kernels::Units::vector;
  const auto& sets = session.device.instruction_sets;
  if (!dots || std::ranges::find(sets, "AVX512-BF16") == sets.end()) return nullptr;
  const Roof* roof = compute_roof(session, own.dtype, own.units, RoofSource::measured, own.op);
  return roof == nullptr ? "dot products" : nullptr;
}

/// The roof of DRAM with the mix of a case, where `name` has another one; else empty. "DRAM" alone
/// is what other programs write.
std::string other_mix(std::string_view name, const kernels::Case& what) {
  const std::string_view own = kernels::bounds_of(what).memory;
  return own == name || own.empty() || name == "DRAM" ? std::string() : std::string(own);
}

/// They differ in elements and repeat alone.
bool is_same_kind(const kernels::Case& one, const kernels::Case& other) {
  const auto kind = [](const kernels::Case& what) {
    return std::tie(what.family, what.ops, what.dtype, what.fusion, what.units, what.data, what.by,
                    what.more);
  };
  return kind(one) == kind(other);
}

/// Seconds of work alone, without a launch.
double work_seconds(const Prediction& prediction) {
  return std::max(prediction.compute_seconds, prediction.bandwidth_seconds);
}

/// At the roofs of memory and arithmetic alone.
Prediction predict_work(const Session& session, const kernels::Case& what,
                        const kernels::Work& work) {
  const auto time_at = [](double amount, double rate) { return rate > 0 ? amount / rate : 0; };
  Prediction prediction;
  prediction.flops = work.flops;
  prediction.compute_seconds = time_at(work.flops, compute_ceiling(session, what).rate);
  const Ceiling cache = cache_ceiling(session, what);
  const Ceiling memory = cache.rate > 0 ? cache : bandwidth_ceiling(session, what);
  prediction.bandwidth_seconds = time_at(work.bytes, memory.rate);
  return prediction;
}

void add_overhead(const Overhead& overhead, const kernels::Work& work, Prediction& prediction) {
  prediction.overhead_seconds = work.launches * overhead.seconds;
  prediction.overhead_adds = overhead.adds;
  prediction.launched = overhead.launched;
}

/// Unknown where another roof takes half as long or longer: near the ridge a kernel reaches
/// neither.
Regime clear_regime(const Prediction& predicted) {
  std::array seconds{predicted.compute_seconds, predicted.bandwidth_seconds,
                     predicted.overhead_seconds};
  std::ranges::sort(seconds);
  return seconds[1] <= seconds[2] / 2 ? predicted.regime() : Regime::unknown;
}

}  // namespace

std::string_view name_of(Regime regime) {
  constexpr std::array<std::string_view, 4> names{"overhead-bound", "bandwidth-bound",
                                                  "compute-bound", "unknown"};
  return names.at(static_cast<std::size_t>(regime));
}

const Roof* memory_roof(const Session& session, RoofSource source, const kernels::Case& what) {
  const Roof* own =
      roof_named(session.roofs, kernels::bounds_of(what).memory, source, RoofKind::bandwidth);
  return own != nullptr ? own : bandwidth_roof(session, source);
}

Ceiling bandwidth_ceiling(const Session& session, const kernels::Case& what) {
  for (const RoofSource source : roof_sources) {
    const Roof* roof = memory_roof(session, source, what);
    if (roof == nullptr) continue;
    Ceiling ceiling = ceiling_of(*roof);
    if (source == RoofSource::measured) ceiling.lacks = other_mix(roof->name, what);
    return ceiling;
  }
  return {};
}

Ceiling ceiling_named(const Session& session, std::string_view name, const kernels::Case& what) {
  const Roof* roof = measured_roof(session.roofs, name);
  if (roof == nullptr) return {.rate = 0, .name = fmt::format("the {} roof", name)};
  Ceiling ceiling = ceiling_of(*roof);
  if (is_of_dram(*roof)) ceiling.lacks = other_mix(name, what);
  return ceiling;
}

Ceiling cache_ceiling(const Session& session, const kernels::Case& what) {
  const auto level = level_of(session.device, what);
  if (!level) return {};
  const auto measured = [&](const std::string& name) {
    return roof_named(session.roofs, name, RoofSource::measured, RoofKind::bandwidth);
  };
  const Roof* roof = measured(roof_name_of(session.device, *level, what));
  if (roof == nullptr) roof = measured(level->name);
  if (roof == nullptr) return {};
  // A core reads more from a cache than it writes: a kernel that does both stays below.
  Ceiling ceiling = ceiling_of(*roof);
  ceiling.name += " for reads";
  return ceiling;
}

Ceiling compute_ceiling(const Session& session, const kernels::Case& what, RoofSource source) {
  for (const kernels::ComputeBound& bound : kernels::bounds_of(what).compute) {
    const Roof* roof = compute_roof(session, bound.dtype, bound.units, source, bound.op);
    if (roof == nullptr) continue;
    Ceiling ceiling = ceiling_of(*roof);
    if (bound.share == 1) return ceiling;
    const std::string share = bound.share == 0.5 ? "half" : units::percent(bound.share) + " of";
    ceiling.rate *= bound.share;
    ceiling.name = fmt::format("{} {}", share, ceiling.name);
    return ceiling;
  }
  return {};
}

Ceiling compute_ceiling(const Session& session, const kernels::Case& what) {
  for (const RoofSource source : roof_sources) {
    Ceiling ceiling = compute_ceiling(session, what, source);
    if (ceiling.rate > 0) return ceiling;
  }
  const std::vector<std::string> names = compute_roof_names(what);
  Ceiling none;
  if (!names.empty()) none.lacks = names.front();
  return none;
}

double Prediction::seconds() const {
  const double work = work_seconds(*this);
  return overhead_adds ? work + overhead_seconds : std::max(work, overhead_seconds);
}

Regime Prediction::regime() const {
  const double longest = std::max({compute_seconds, bandwidth_seconds, overhead_seconds});
  if (longest <= 0) return Regime::unknown;
  if (longest == compute_seconds) return Regime::compute;
  return longest == bandwidth_seconds ? Regime::bandwidth : Regime::overhead;
}

double Prediction::attainable_flops() const { return complete() ? flops / seconds() : 0; }

Prediction predict(const Session& session, const kernels::Case& what, const kernels::Work& work) {
  if (what.family->limit != kernels::Limit::roofs) return {};
  Prediction prediction = predict_work(session, what, work);
  const double each = work_seconds(prediction) / std::max(work.launches, 1.0);
  const kernels::Launched launched = usual_launch(session.device, what, each);
  add_overhead(overhead_of(session, what, launched), work, prediction);
  return prediction;
}

std::optional<RoofKind> kind_beside(const Point& point) {
  if (!point.share) return std::nullopt;
  const std::string& roof = point.share->roof;
  if (roof.starts_with(overhead_word)) return RoofKind::overhead;
  const std::vector<std::string> names = compute_roof_names(point.what);
  const bool compute = std::ranges::find(names, roof) != names.end();
  return compute ? RoofKind::compute : RoofKind::bandwidth;
}

Prediction predict(const Session& session, const Point& point) {
  if (point.what.family->limit != kernels::Limit::roofs) return {};
  Prediction prediction = predict_work(session, point.what, point.work);
  add_overhead(overhead_of(session, point), point.work, prediction);
  // What other programs time may be the kernel alone, without the launch.
  if (prediction.launched == kernels::Launched::unknown) {
    const double left = point.seconds.median - work_seconds(prediction);
    prediction.overhead_seconds = std::clamp(left, 0.0, prediction.overhead_seconds);
  }
  const std::optional<RoofKind> kind = kind_beside(point);
  if (!kind) return prediction;
  double& at_roof = *kind == RoofKind::compute     ? prediction.compute_seconds
                    : *kind == RoofKind::bandwidth ? prediction.bandwidth_seconds
                                                   : prediction.overhead_seconds;
  at_roof = point.share->of.median * point.seconds.median;
  return prediction;
}

double Reach::of(Regime regime) const {
  if (regime == Regime::bandwidth) return bandwidth;
  return regime == Regime::compute ? compute : 0;
}

namespace {

/// Medians of `share_of(point, regime)` over the points of a kind.
template <typename ShareOf>
Reach median_reach(const Session& session, const kernels::Case& what, ShareOf share_of) {
  std::vector<double> bandwidth, compute;
  for (const Point& point : session.points) {
    if (!point.share || point.disturbed || !is_same_kind(point.what, what)) continue;
    const Regime regime = clear_regime(predict(session, point));
    if (regime == Regime::bandwidth && point.cold) bandwidth.push_back(share_of(point, regime));
    if (regime == Regime::compute) compute.push_back(share_of(point, regime));
  }
  const auto median = [](std::vector<double>& values) {
    return values.empty() ? 0 : median_of(values);
  };
  return {.bandwidth = median(bandwidth), .compute = median(compute)};
}

}  // namespace

Reach reach_of_kind(const Session& session, const kernels::Case& what) {
  return median_reach(session, what,
                      [](const Point& point, Regime) { return point.share->of.median; });
}

Reach reach_of_sheet(const Session& session, const kernels::Case& what) {
  const Roof* memory = bandwidth_roof(session, RoofSource::datasheet);
  const double peak = compute_ceiling(session, what, RoofSource::datasheet).rate;
  if (memory == nullptr || !(memory->rate > 0) || !(peak > 0)) return reach_of_kind(session, what);
  Reach reach = median_reach(session, what, [&](const Point& point, Regime regime) {
    const double stated =
        regime == Regime::bandwidth ? point.work.bytes / memory->rate : point.work.flops / peak;
    return stated / point.seconds.median;
  });
  reach.of_sheet = true;
  return reach;
}

Prediction at_reach(Prediction prediction, const Reach& reach) {
  if (reach.bandwidth > 0) prediction.bandwidth_seconds /= reach.bandwidth;
  if (reach.compute > 0) prediction.compute_seconds /= reach.compute;
  return prediction;
}

std::string missing_roof(const Session& session, const kernels::Case& what) {
  const auto level = level_of(session.device, what);
  if (level && cache_ceiling(session, what).rate <= 0) {
    return fmt::format("It fits in {}, whose bandwidth was not measured; run the lab roofs.",
                       level->name);
  }
  if (const char* peak = missing_peak(session, what)) {
    return fmt::format("It runs on {}, whose roof was not measured; run the lab roofs.", peak);
  }
  const std::string arithmetic = compute_ceiling(session, what).lacks;
  if (!arithmetic.empty() && work_of(what, session.device.kind).flops > 0)
    return fmt::format("Its arithmetic has no roof here: {} was not measured.", arithmetic);
  const Ceiling memory = bandwidth_ceiling(session, what);
  if (!level && !memory.lacks.empty()) {
    return fmt::format(
        "It reads and writes in another mix than {}: {} was not measured; run the lab roofs.",
        memory.name, memory.lacks);
  }
  return "";
}

double ridge_point(const Roof* bandwidth, const Roof* compute) {
  if (bandwidth == nullptr || compute == nullptr || bandwidth->rate <= 0) return 0;
  return compute->rate / bandwidth->rate;
}

}  // namespace engine
