#include "engine/watch/rates.hpp"

#include <algorithm>
#include <array>

#include "kernels/counted.hpp"

namespace engine {
namespace {

namespace counted = kernels::counted;
using enum kernels::Dtype;
using enum kernels::Units;

const Roof* roof_of(std::span<const Roof> roofs, const Pipe& pipe, RoofSource source) {
  const std::string name = compute_roof_name(pipe.dtype, pipe.units);
  const auto found = std::ranges::find_if(roofs, [&](const Roof& roof) {
    return roof.name == name && roof.source == source && roof.data == kernels::Data::random;
  });
  return found == roofs.end() ? nullptr : &*found;
}

void fill_in(Pipe& pipe, std::span<const Roof> roofs) {
  const Roof* const measured = roof_of(roofs, pipe, RoofSource::measured);
  if (measured != nullptr && measured->counted_busy > 0 && measured->sustained > 0 &&
      measured->sustained_conditions.clock_hz) {
    pipe.flops_per_clock =
        measured->sustained / measured->counted_busy / *measured->sustained_conditions.clock_hz;
    pipe.calibrated = true;
    return;
  }
  const Roof* const stated = roof_of(roofs, pipe, RoofSource::datasheet);
  if (stated != nullptr && stated->stated_clock > 0)
    pipe.flops_per_clock = stated->rate / stated->stated_clock;
}

}  // namespace

CountedRates counted_rates(std::span<const Roof> roofs, kernels::Dtype tensor) {
  CountedRates rates{.pipes = {{counted::fp64, fp64, vector},
                               {counted::fp32, fp32, vector},
                               {counted::fp16, fp16, vector},
                               {counted::dmma, fp64, matrix},
                               {counted::hmma, tensor, matrix},
                               {counted::imma, int8, matrix}}};
  for (Pipe& pipe : rates.pipes) fill_in(pipe, roofs);
  for (const Roof& roof : roofs)
    if (roof.source == RoofSource::datasheet && is_of_dram(roof)) rates.bandwidth = roof.rate;
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

}  // namespace engine
