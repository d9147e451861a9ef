// From what is asked for to the list of cases: default sizes, order, and the contradictions that
// are refused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "engine/spec.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Case;
using kernels::DeviceInfo;
using kernels::Dtype;
using kernels::Family;
using kernels::Fusion;
using kernels::Units;

// Pages, and whole tiles of every dtype (at most 1024 elements).
constexpr std::uint64_t granule = 4096;

// The system and the reference need memory too.
constexpr double most_of_free_by_default = 0.5;
constexpr double most_of_free = 0.9;

/// One run of a family, fused.
Case one_run(Family family, Dtype dtype, std::uint64_t elements) {
  return {.family = family, .ops = Spec{}.op_of(family), .dtype = dtype, .elements = elements};
}

/// The larger footprint of fused and unfused, so that both get the same elements.
double largest_footprint(Family family, Dtype dtype, std::uint64_t elements) {
  const Case fused = one_run(family, dtype, elements);
  Case unfused = fused;
  unfused.fusion = Fusion::unfused;
  unfused.repeat = 2;
  return std::max(kernels::footprint_of(fused), kernels::footprint_of(unfused));
}

void refuse_wrong_kernel(const Spec& spec) {
  const Family family = spec.family();
  if (!family->chooses_op && spec.op != Spec{}.op) {
    throw BadInput(fmt::format("--op {}: a {} has one op, {}; leave --op out, or use --kernel {}",
                               name_of(spec.op), family->name, name_of(family->ops.front()),
                               kernels::usual_family(Units::vector)->name));
  }
  if (!family->runs_on(Units::matrix) && spec.units != UnitsChoice::vector) {
    throw BadInput(
        fmt::format("--units with --kernel {}: matrix units multiply tiles, not {}s; use --kernel "
                    "{}, or --units vector",
                    family->name, family->name, kernels::usual_family(Units::matrix)->name));
  }
  if (!family->fuses && spec.fusion == FusionChoice::unfused) {
    throw BadInput(
        fmt::format("--fusion unfused: {} runs as one kernel; leave --fusion out", family->name));
  }
  if (family->role != kernels::Role::workload) {
    throw BadInput(fmt::format("--kernel {}: expected {}", family->name, names_of_workloads()));
  }
}

}  // namespace

std::uint64_t default_elements(const DeviceInfo& info, double free_bytes, Family family,
                               Dtype dtype) {
  const Case unit = one_run(family, dtype, granule);
  // A CPU is asked for its caches (dram_working_set()); beyond that more memory only takes longer.
  const double least = info.kind == "cpu" ? kernels::surely_dram / 2 : kernels::surely_dram;
  const double wanted =
      std::max(kernels::dram_working_set(info), least) / kernels::work_of(unit).bytes;
  const double affordable = most_of_free_by_default * std::max(free_bytes, 0.0) /
                            largest_footprint(family, dtype, granule);
  const double granules = std::min(std::ceil(wanted), std::floor(affordable));
  return granule * static_cast<std::uint64_t>(std::max(granules, 1.0));
}

std::uint64_t elements_of(const Spec& spec, Family family, Dtype dtype, const DeviceInfo& info,
                          double free_bytes) {
  if (spec.elements == 0) return default_elements(info, free_bytes, family, dtype);
  const std::uint64_t tile = kernels::granule_of(family, dtype);
  const std::uint64_t elements = (spec.elements + tile - 1) / tile * tile;
  const double needed = largest_footprint(family, dtype, elements);
  if (needed > most_of_free * free_bytes) {
    if (free_bytes <= 0) {
      throw BadInput(fmt::format(
          "--elements {}: {} {} needs {}, and {} has no free memory; raise the limit of this shell "
          "(ulimit -v, ulimit -d) or of its control group",
          spec.elements, name_of(family), name_of(dtype), units::bytes(needed), info.id));
    }
    const double per_element = needed / static_cast<double>(elements);
    throw BadInput(fmt::format(
        "--elements {}: {} {} needs {}, and {} has {} free; use at most {:.0f}", spec.elements,
        name_of(family), name_of(dtype), units::bytes(needed), info.id, units::bytes(free_bytes),
        std::floor(most_of_free * free_bytes / per_element / granule) * granule));
  }
  return elements;
}

void refuse_contradictions(const Spec& spec) {
  if (spec.dtypes.empty()) throw BadInput("--dtype: expected at least one, such as fp32");
  if (spec.repeats.empty())
    throw BadInput("--repeat: expected at least one whole number from 1 to 4096");
  const auto [least, most] = std::ranges::minmax(spec.repeats);
  if (least < 1 || most > kernels::max_repeat)
    throw BadInput("--repeat: expected whole numbers from 1 to 4096");
  if (!(spec.noise > 0 && spec.noise <= 1))
    throw BadInput("--noise: expected a share above 0 % up to 100 %");
  if (!(spec.max_time > 0 && std::isfinite(spec.max_time)))
    throw BadInput("--max-time: expected a time above 0");
  refuse_wrong_kernel(spec);
}

Case usual_case(const Spec& spec, const Place& place, Family family, Dtype dtype) {
  return {.family = family,
          .ops = spec.op_of(family),
          .dtype = dtype,
          .elements = elements_of(spec, family, dtype, place.info, place.free_bytes),
          .data = spec.data};
}

std::vector<Case> expand(const Spec& spec, const DeviceInfo& info, double free_bytes) {
  refuse_contradictions(spec);
  const Lab& lab = lab_of(spec);
  const Session nothing;
  std::vector<Case> cases;
  for (Ask& ask : lab.plan(spec, {info, {}, free_bytes}, {spec, nothing, {}}).asks)
    if (!ask.once) cases.push_back(std::move(ask.what));
  return cases;
}

}  // namespace engine
