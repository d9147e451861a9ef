#include "engine/watch/rates.hpp"

#include <algorithm>

#include "kernels/counted.hpp"

namespace engine {
namespace {

namespace counted = kernels::counted;
using enum kernels::Dtype;
using enum kernels::Units;

void fill_in(Pipe& pipe, const std::vector<Roof>& roofs) {
  const std::string name = compute_roof_name(pipe.dtype, pipe.units);
  const Roof* const measured = measured_roof(roofs, name);
  const Roof* const stated = roof_named(roofs, name, RoofSource::datasheet);
  if (measured != nullptr || stated != nullptr)
    pipe.peak = (measured != nullptr ? measured : stated)->rate;
  if (measured != nullptr && measured->counted_busy > 0 && measured->sustained > 0 &&
      measured->sustained_conditions.clock_hz) {
    pipe.flops_per_clock =
        measured->sustained / measured->counted_busy / *measured->sustained_conditions.clock_hz;
    pipe.calibrated = true;
    return;
  }
  if (stated != nullptr && stated->stated_clock > 0)
    pipe.flops_per_clock = stated->rate / stated->stated_clock;
}

}  // namespace

CountedRates counted_rates(const std::vector<Roof>& roofs, kernels::Dtype tensor) {
  CountedRates rates{.pipes = {{counted::fp64, counted::fp64_rate, fp64, vector},
                               {counted::fp32, counted::fp32_rate, fp32, vector},
                               {counted::fp16, {}, fp16, vector},
                               {counted::dmma, {}, fp64, matrix},
                               {counted::hmma, {}, tensor, matrix},
                               {counted::imma, {}, int8, matrix}}};
  for (Pipe& pipe : rates.pipes) fill_in(pipe, roofs);
  for (const Roof& roof : roofs) {
    if (roof.source == RoofSource::datasheet && is_of_dram(roof)) rates.bandwidth = roof.rate;
    if (roof.source == RoofSource::measured && roof.name == "DRAM copy") rates.copy = roof.rate;
  }
  return rates;
}

std::string_view counted_of(const Roof& roof) {
  if (roof.kind != RoofKind::compute || !roof.dtype || roof.units != matrix) return {};
  if (*roof.dtype == fp64) return counted::dmma;
  return *roof.dtype == int8 ? counted::imma : counted::hmma;
}

double busy_while_loaded(const kernels::Activity& activity, std::string_view name) {
  constexpr double least_busy = 0.3;
  const double busy = share_of(activity, counted::busy);
  return busy < least_busy ? 0 : std::min(share_of(activity, name) / busy, 1.0);
}

double share_of(const kernels::Activity& activity, std::string_view name) {
  const auto found = std::ranges::find(activity.counted, name, &kernels::Value::name);
  return found == activity.counted.end() ? 0 : found->value;
}

double flops_per_second(const kernels::Activity& activity, const Pipe& pipe) {
  const double rate = pipe.rate.empty() ? 0 : share_of(activity, pipe.rate);
  if (rate > 0) return rate;
  return share_of(activity, pipe.counted) * pipe.flops_per_clock *
         activity.conditions.clock_hz.value_or(0);
}

double bytes_per_second(const kernels::Activity& activity, const CountedRates& rates) {
  const double rate = share_of(activity, counted::dram_rate);
  return rate > 0 ? rate : share_of(activity, counted::dram) * rates.bandwidth;
}

std::vector<kernels::Value> shares_of(const kernels::Activity& activity,
                                      const CountedRates& rates) {
  std::vector<kernels::Value> shares;
  for (const kernels::Value& value : activity.counted) {
    const auto pipe = std::ranges::find_if(
        rates.pipes, [&](const Pipe& one) { return !one.rate.empty() && one.rate == value.name; });
    if (pipe != rates.pipes.end()) {
      if (pipe->peak > 0) shares.push_back({std::string(pipe->counted), value.value / pipe->peak});
    } else if (value.name == counted::dram_rate) {
      if (rates.copy > 0) shares.push_back({std::string(counted::dram), value.value / rates.copy});
    } else {
      shares.push_back(value);
    }
  }
  return shares;
}

}  // namespace engine
