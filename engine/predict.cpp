#include "engine/predict.hpp"

#include <algorithm>

namespace engine {
namespace {

const Roof* measured_else_datasheet(const Roof* measured, const Roof* datasheet) {
  return measured != nullptr ? measured : datasheet;
}

}  // namespace

std::string_view name_of(Regime regime) {
  switch (regime) {
    case Regime::overhead:
      return "overhead-bound";
    case Regime::bandwidth:
      return "bandwidth-bound";
    case Regime::compute:
      return "compute-bound";
    case Regime::unknown:
      break;
  }
  return "unknown";
}

const Roof* best_bandwidth_roof(const Session& session) {
  return measured_else_datasheet(bandwidth_roof(session, RoofSource::measured),
                                 bandwidth_roof(session, RoofSource::datasheet));
}

const Roof* best_compute_roof(const Session& session, kernels::Dtype dtype, kernels::Units units) {
  return measured_else_datasheet(compute_roof(session, dtype, units, RoofSource::measured),
                                 compute_roof(session, dtype, units, RoofSource::datasheet));
}

double Prediction::seconds() const {
  return std::max({compute_seconds, bandwidth_seconds, overhead_seconds});
}

Regime Prediction::regime() const {
  const double longest = seconds();
  if (longest <= 0) return Regime::unknown;
  if (longest == compute_seconds) return Regime::compute;
  return longest == bandwidth_seconds ? Regime::bandwidth : Regime::overhead;
}

double Prediction::attainable_flops() const { return seconds() > 0 ? flops / seconds() : 0; }

Prediction predict(const Session& session, const kernels::Case& what, const kernels::Work& work) {
  const auto time_at = [](double amount, const Roof* roof) {
    return roof != nullptr && roof->rate > 0 ? amount / roof->rate : 0;
  };
  Prediction prediction;
  prediction.flops = work.flops;
  prediction.compute_seconds =
      time_at(work.flops, best_compute_roof(session, what.dtype, what.units));
  prediction.bandwidth_seconds = time_at(work.bytes, best_bandwidth_roof(session));
  prediction.overhead_seconds = time_at(work.launches, launch_roof(session));
  return prediction;
}

double ridge_point(const Roof* bandwidth, const Roof* compute) {
  if (bandwidth == nullptr || compute == nullptr || bandwidth->rate <= 0) return 0;
  return compute->rate / bandwidth->rate;
}

}  // namespace engine
