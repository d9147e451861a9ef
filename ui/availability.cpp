#include "ui/availability.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/experiment_knobs.hpp"

namespace ui {

using engine::DeviceSummary;
using engine::Spec;
using engine::UnitsChoice;
using kernels::Case;
using kernels::Dtype;
using kernels::Family;
using kernels::Op;
using kernels::Units;

namespace {

const kernels::Kernel* row_of(const DeviceSummary& device, Family family, Op op, Dtype dtype,
                              Units units) {
  Case what;
  what.family = family;
  what.op = op;
  what.dtype = dtype;
  what.units = units;
  return kernels::find_kernel(device.kernels, what);
}

std::string reason_of(const kernels::Kernel* row, const DeviceSummary& device) {
  if (row != nullptr && !row->why_not.empty()) return row->why_not;
  return fmt::format("{} has no kernel for this.", device.info.name);
}

/// Whether any row of this family that `pick` accepts runs; else the first reason found.
template <class Pick>
std::string why_none(const DeviceSummary& device, Pick pick) {
  const kernels::Kernel* first = nullptr;
  for (const kernels::Kernel& row : device.kernels) {
    if (!pick(row)) continue;
    if (row.runs) return {};
    if (first == nullptr) first = &row;
  }
  return reason_of(first, device);
}

void adapt_op(Spec& spec, const DeviceSummary& device, std::vector<std::string>& changes) {
  if (spec.family() == Family::tile) {
    spec.op = Op::fma;  // a tile is multiplied as a whole: any other op contradicts it
    return;
  }
  if (why_not_op(device, spec, spec.op).empty()) return;
  for (const Op op : {Op::fma, Op::mul, Op::add}) {
    if (!why_not_op(device, spec, op).empty()) continue;
    changes.push_back(fmt::format("{} does not run here: {} chosen.", kernels::name_of(spec.op),
                                  kernels::name_of(op)));
    spec.op = op;
    return;
  }
}

void adapt_dtypes(Spec& spec, const DeviceSummary& device, std::vector<std::string>& changes) {
  const std::vector<Dtype> wanted = spec.dtypes;
  std::erase_if(spec.dtypes,
                [&](Dtype dtype) { return !why_not_dtype(device, spec, dtype).empty(); });
  if (!spec.dtypes.empty()) return;
  // The narrowest that runs would surprise; these are what people mean by each kind of unit.
  for (const Dtype dtype : {Dtype::fp32, Dtype::bf16, Dtype::fp16, Dtype::int8, Dtype::fp64,
                            Dtype::tf32, Dtype::fp8, Dtype::int32}) {
    if (!why_not_dtype(device, spec, dtype).empty()) continue;
    spec.dtypes = {dtype};
    if (!wanted.empty()) {
      changes.push_back(fmt::format("{} does not run this way on {}: {} chosen.",
                                    kernels::name_of(wanted.front()), device.info.name,
                                    kernels::name_of(dtype)));
    }
    return;
  }
  spec.dtypes = wanted;
}

}  // namespace

std::string_view matrix_units_name(const DeviceSummary& device) {
  return device.info.kind == "cuda" ? "Tensor cores" : "AMX";
}

Op op_of(const Spec& spec) { return spec.family() == Family::tile ? Op::mma : spec.op; }

bool includes(UnitsChoice choice, Units units) {
  if (choice == UnitsChoice::both) return true;
  return (choice == UnitsChoice::matrix) == (units == Units::matrix);
}

bool runs(const DeviceSummary& device, Family family, Op op, Dtype dtype, Units units) {
  const kernels::Kernel* row = row_of(device, family, op, dtype, units);
  return row != nullptr && row->runs;
}

std::string why_not_family(const DeviceSummary& device, Family family) {
  return why_none(device, [&](const kernels::Kernel& row) { return row.family == family; });
}

std::string why_not_op(const DeviceSummary& device, const Spec& spec, Op op) {
  const Family family = spec.family();
  if (family == Family::tile)
    return "A tile is always multiplied and accumulated; choose chain for single ops.";
  return why_none(device,
                  [&](const kernels::Kernel& row) { return row.family == family && row.op == op; });
}

std::string why_not_dtype(const DeviceSummary& device, const Spec& spec, Dtype dtype) {
  const kernels::Kernel* first = nullptr;
  for (const Units units : {Units::matrix, Units::vector}) {
    if (!includes(spec.units, units)) continue;
    const kernels::Kernel* row = row_of(device, spec.family(), op_of(spec), dtype, units);
    if (row != nullptr && row->runs) return {};
    if (row != nullptr && !row->why_not.empty()) first = row;
  }
  return reason_of(first, device);
}

std::string why_not_units(const DeviceSummary& device, UnitsChoice choice) {
  if (choice == UnitsChoice::vector) return {};
  const auto tiles = [](const kernels::Kernel& row) {
    return row.family == Family::tile && row.units == Units::matrix;
  };
  const std::string why = why_none(device, tiles);
  if (why.empty()) return {};
  // All matrix units since 2020 multiply bf16: what keeps it away is the device, not the dtype.
  const std::string of_device = why_none(
      device, [&](const kernels::Kernel& row) { return tiles(row) && row.dtype == Dtype::bf16; });
  return of_device.empty() ? why : of_device;
}

Spec adapted(Spec spec, const DeviceSummary& device, std::vector<std::string>& changes) {
  if (spec.units != UnitsChoice::vector) {
    if (const std::string why = why_not_units(device, spec.units); !why.empty()) {
      changes.push_back(fmt::format("{} off: {}", matrix_units_name(device), why));
      spec.units = UnitsChoice::vector;
    }
  }
  if (!why_not_family(device, spec.family()).empty()) {
    changes.push_back(fmt::format("{} does not run on {}: chain chosen.",
                                  kernels::name_of(spec.family()), device.info.name));
    spec.kernel = Family::chain;
  }
  adapt_op(spec, device, changes);
  adapt_dtypes(spec, device, changes);
  return spec;
}

double most_elements(const DeviceSummary& device, const Spec& spec) {
  double largest = 1e12;
  for (const Dtype dtype : spec.dtypes) {
    Case what;
    what.family = spec.family();
    what.op = op_of(spec);
    what.dtype = dtype;
    what.fusion = spec.fusion == engine::FusionChoice::fused ? kernels::Fusion::fused
                                                             : kernels::Fusion::unfused;
    what.repeat = 2;  // an unfused chain of two needs its intermediate buffer
    what.elements = kernels::tile_elements(dtype) * 1024;
    const double bytes_each = kernels::footprint_of(what) / static_cast<double>(what.elements);
    if (bytes_each > 0) largest = std::min(largest, device.free_bytes / 2 / bytes_each);
  }
  return std::max(largest, 1024.0);
}

std::string knob_help(std::string_view experiment, std::string_view knob) {
  std::string help(engine::find_knob(knob)->help);
  if (!engine::reads_knob(experiment, knob)) {
    help += fmt::format("\nChanges nothing in the {}.", experiment);
  }
  return help;
}

}  // namespace ui
