// From what is asked for to the list of cases: default sizes, order, and the contradictions that
// are refused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/session_file.hpp"
#include "engine/spec.hpp"
#include "engine/units.hpp"

namespace engine {
namespace {

using kernels::Case;
using kernels::DeviceInfo;
using kernels::Dtype;
using kernels::Family;
using kernels::Fusion;
using kernels::Op;
using kernels::Units;

// Pages, and whole tiles of every dtype (at most 1024 elements).
constexpr std::uint64_t granule = 4096;
static_assert(granule % kernels::tile_elements(Dtype::fp64) == 0);
static_assert(granule % kernels::tile_elements(Dtype::fp32) == 0);
static_assert(granule % kernels::tile_elements(Dtype::int8) == 0);

// The system and the reference need memory too.
constexpr double most_of_free_by_default = 0.5;
constexpr double most_of_free = 0.9;

Op op_for(Family family, Op asked) { return family == Family::tile ? Op::mma : asked; }

/// The larger footprint of fused and unfused, so that both get the same elements.
double largest_footprint(Family family, Dtype dtype, std::uint64_t elements) {
  const Case fused{family, op_for(family, Op::fma), dtype, Fusion::fused, Units::vector, elements,
                   1};
  Case unfused = fused;
  unfused.fusion = Fusion::unfused;
  unfused.repeat = 2;
  return std::max(kernels::footprint_of(fused), kernels::footprint_of(unfused));
}

void refuse_contradictions(const Spec& spec) {
  const Family family = spec.family();
  if (family == Family::tile && spec.op != Op::fma) {
    throw BadInput(fmt::format(
        "--op {}: a tile is multiplied as a whole and has no op; leave --op out, or use "
        "--kernel chain",
        name_of(spec.op)));
  }
  if (family == Family::chain && spec.units != UnitsChoice::vector) {
    throw BadInput(
        "--units with --kernel chain: matrix units multiply tiles, not chains; use --kernel tile, "
        "or "
        "--units vector");
  }
  if (family != Family::chain && family != Family::tile) {
    throw BadInput(fmt::format("--kernel {}: expected chain or tile", name_of(family)));
  }
  if (spec.dtypes.empty()) throw BadInput("--dtype: expected at least one, as fp32");
  if (spec.repeats.empty())
    throw BadInput("--repeat: expected at least one whole number from 1 to 4096");
  if (!(spec.noise > 0 && spec.noise <= 1))
    throw BadInput("--noise: expected a share above 0 % up to 100 %");
  if (!(spec.max_time > 0 && std::isfinite(spec.max_time)))
    throw BadInput("--max-time: expected a time above 0");
}

}  // namespace

std::uint64_t default_elements(const DeviceInfo& info, double free_bytes, Family family,
                               Dtype dtype) {
  const Case unit{family, op_for(family, Op::fma), dtype, Fusion::fused, Units::vector, granule, 1};
  // A CPU is asked for its caches (dram_working_set()); beyond that more memory only takes longer.
  const double least = info.kind == "cpu" ? kernels::surely_dram / 2 : kernels::surely_dram;
  const double wanted =
      std::max(kernels::dram_working_set(info), least) / kernels::work_of(unit).bytes;
  const double affordable = most_of_free_by_default * std::max(free_bytes, 0.0) /
                            largest_footprint(family, dtype, granule);
  const double granules = std::min(std::ceil(wanted), std::floor(affordable));
  return granule * static_cast<std::uint64_t>(std::max(granules, 1.0));
}

std::uint64_t elements_of(const Spec& spec, Dtype dtype, const DeviceInfo& info,
                          double free_bytes) {
  const Family family = spec.family();
  if (spec.elements == 0) return default_elements(info, free_bytes, family, dtype);
  const std::uint64_t tile = family == Family::tile ? kernels::tile_elements(dtype) : 1;
  const std::uint64_t elements = (spec.elements + tile - 1) / tile * tile;
  const double needed = largest_footprint(family, dtype, elements);
  if (needed > most_of_free * free_bytes) {
    const double per_element = needed / static_cast<double>(elements);
    throw BadInput(fmt::format(
        "--elements {}: {} {} needs {}, and {} has {} free; give at most {:.0f}", spec.elements,
        name_of(family), name_of(dtype), units::bytes(needed), info.id, units::bytes(free_bytes),
        std::floor(most_of_free * free_bytes / per_element / granule) * granule));
  }
  return elements;
}

std::vector<Case> expand(const Spec& spec, const DeviceInfo& info, double free_bytes) {
  refuse_contradictions(spec);
  const Experiment* experiment = find_experiment(spec.experiment);
  if (experiment == nullptr) {
    throw BadInput(fmt::format("--experiment {}: `ridgepoint sweep --list` names those there are",
                               spec.experiment));
  }
  return experiment->cases(spec, info, free_bytes);
}

}  // namespace engine
