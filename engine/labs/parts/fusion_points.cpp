#include "engine/labs/parts/fusion_points.hpp"

#include <algorithm>

#include "engine/verdict/predict.hpp"

namespace engine::fusion {

using kernels::By;
using kernels::Case;
using kernels::Fusion;
using kernels::Ops;

Case of_length(const Case& what, std::uint64_t length) { return with(what, "length", length); }

bool is_cached(const Point& point) { return point.label == in_cache; }

bool is_chain(const Point& point) { return point.status == Status::ok && !is_cached(point); }

const Point* find(std::span<const Point* const> points, const Case& like, Fusion fusion) {
  const Point* found = nullptr;
  for (const Point* point : points) {
    const Case& what = point->what;
    const bool alike = is_chain(*point) && what.fusion == fusion && what.ops == like.ops &&
                       what.more == like.more && what.dtype == like.dtype &&
                       what.elements == like.elements;
    if (alike && (found == nullptr || what.by == By::generated)) found = point;
  }
  return found;
}

namespace {

/// The fastest run: short runs wait for threads that others hold back, and arithmetic does not.
double fastest(const Point& point) {
  const std::vector<double>& samples = point.seconds.samples;
  return samples.empty() ? point.seconds.median : *std::ranges::min_element(samples);
}

}  // namespace

std::optional<double> arithmetic_seconds(const Session& session,
                                         std::span<const Point* const> points, const Case& what) {
  // Seconds per element of operators in one kernel, without the launch. A chain that was built in
  // another way takes another time.
  const auto cached = [&](const Ops& ops, std::uint64_t count) -> std::optional<double> {
    const auto found = std::ranges::find_if(points, [&](const Point* point) {
      return point->status == Status::ok && is_cached(*point) && point->what.dtype == what.dtype &&
             point->what.ops == ops && kernels::operators_of(point->what) == count &&
             (count == 1 || point->what.by == what.by);
    });
    if (found == points.end()) return std::nullopt;
    const double launch = predict(session, **found).overhead_seconds;
    return std::max(0.0, fastest(**found) - launch) / static_cast<double>((*found)->what.elements);
  };
  const auto elements = static_cast<double>(what.elements);
  const std::uint64_t count = kernels::operators_of(what);
  if (const auto whole = cached(what.ops, count); whole && count > 1) return *whole * elements;
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::optional<double> one = cached(kernels::operator_at(what, i), 1);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum * elements;
}

double memory_seconds(const Session& session, const Case& what) {
  return predict(session, what, kernels::work_of(what, session.device.kind)).bandwidth_seconds;
}

std::optional<double> predicted_seconds(const Session& session,
                                        std::span<const Point* const> points, const Case& what) {
  const std::optional<double> arithmetic = arithmetic_seconds(session, points, what);
  if (!arithmetic || !(memory_seconds(session, what) > 0)) return std::nullopt;
  if (what.fusion == Fusion::fused) return std::max(*arithmetic, memory_seconds(session, what));
  double sum = 0;
  for (std::uint64_t i = 0; i < kernels::operators_of(what); ++i) {
    Case one = of_length(what, 1);
    one.ops = kernels::operator_at(what, i);
    sum += std::max(arithmetic_seconds(session, points, one).value_or(0),
                    memory_seconds(session, one));
  }
  return sum;
}

}  // namespace engine::fusion
