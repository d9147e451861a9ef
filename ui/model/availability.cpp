#include "ui/model/availability.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/labs/lab.hpp"
#include "kernels/families/family.hpp"

namespace ui {

using engine::Place;
using engine::Spec;
using engine::UnitsChoice;
using kernels::Case;
using kernels::Dtype;
using kernels::Family;
using kernels::Op;
using kernels::Units;

namespace {

const kernels::Kernel* row_of(const Place& device, Family family, Op op, Dtype dtype, Units units) {
  return kernels::find_kernel(device.kernels,
                              {.family = family, .ops = op, .dtype = dtype, .units = units});
}

std::string reason_of(const kernels::Kernel* row, const Place& device) {
  if (row != nullptr && !row->why_not.empty()) return row->why_not;
  return fmt::format("{} has no kernel for this.", device.info.name);
}

/// Whether any row of this family that `pick` accepts runs; else the first reason found.
template <class Pick>
std::string why_none(const Place& device, Pick pick) {
  const kernels::Kernel* first = nullptr;
  for (const kernels::Kernel& row : device.kernels) {
    if (!pick(row)) continue;
    if (row.runs) return {};
    if (first == nullptr) first = &row;
  }
  return reason_of(first, device);
}

void adapt_op(Spec& spec, const Place& device, std::vector<std::string>& changes) {
  if (!spec.family()->chooses_op) {
    spec.op = Spec().op;  // any other contradicts it
    return;
  }
  if (why_not_op(device, spec, spec.op).empty()) return;
  for (const Op op : spec.family()->ops) {
    if (!why_not_op(device, spec, op).empty()) continue;
    changes.push_back(fmt::format("{} does not run here: using {}.", kernels::name_of(spec.op),
                                  kernels::name_of(op)));
    spec.op = op;
    return;
  }
}

void adapt_dtypes(Spec& spec, const Place& device, std::vector<std::string>& changes) {
  const std::vector<Dtype> wanted = spec.dtypes;
  std::erase_if(spec.dtypes,
                [&](Dtype dtype) { return !why_not_dtype(device, spec, dtype).empty(); });
  if (!spec.dtypes.empty()) {
    for (const Dtype dtype : wanted) {
      if (std::ranges::find(spec.dtypes, dtype) != spec.dtypes.end()) continue;
      changes.push_back(fmt::format("{} does not run this way on {}: switched off.",
                                    kernels::name_of(dtype), device.info.name));
    }
    return;
  }
  // The narrowest that runs would surprise; these are what people mean by each kind of unit.
  for (const Dtype dtype : {Dtype::fp32, Dtype::bf16, Dtype::fp16, Dtype::int8, Dtype::fp64,
                            Dtype::tf32, Dtype::fp8, Dtype::int32}) {
    if (!why_not_dtype(device, spec, dtype).empty()) continue;
    spec.dtypes = {dtype};
    if (!wanted.empty()) {
      changes.push_back(fmt::format("{} does not run this way on {}: using {}.",
                                    kernels::name_of(wanted.front()), device.info.name,
                                    kernels::name_of(dtype)));
    }
    return;
  }
  spec.dtypes = wanted;
}

}  // namespace

std::string why_no_device(const AppState& state) {
  return current_device(state) == nullptr ? still_looking : std::string();
}

std::string_view matrix_units_name(const Place* device) {
  if (device == nullptr || device->info.kind == "cuda") return "Tensor cores";
  const auto is_amx = [](const std::string& name) { return name.starts_with("AMX"); };
  return std::ranges::any_of(device->info.instruction_sets, is_amx) ? "AMX" : "Matrix units";
}

bool includes(UnitsChoice choice, Units units) {
  if (choice == UnitsChoice::both) return true;
  return (choice == UnitsChoice::matrix) == (units == Units::matrix);
}

bool runs(const Place& device, Family family, Op op, Dtype dtype, Units units) {
  const kernels::Kernel* row = row_of(device, family, op, dtype, units);
  return row != nullptr && row->runs;
}

std::string why_not_family(const Place& device, Family family) {
  return why_none(device, [&](const kernels::Kernel& row) { return row.family == family; });
}

std::string why_not_op(const Place& device, const Spec& spec, Op op) {
  const Family family = spec.family();
  if (!family->chooses_op)
    return fmt::format("The kernel {} has a fixed op; choose another kernel to change it.",
                       family->name);
  return why_none(device,
                  [&](const kernels::Kernel& row) { return row.family == family && row.op == op; });
}

std::string why_not_dtype(const Place& device, const Spec& spec, Dtype dtype) {
  const kernels::Kernel* first = nullptr;
  for (const Units units : {Units::matrix, Units::vector}) {
    if (!includes(spec.units, units)) continue;
    const kernels::Kernel* row =
        row_of(device, spec.family(), spec.op_of(spec.family()), dtype, units);
    if (row != nullptr && row->runs) return {};
    if (row != nullptr && !row->why_not.empty()) first = row;
  }
  return reason_of(first, device);
}

std::string why_never(const Place& device, Dtype dtype) {
  return why_none(device, [&](const kernels::Kernel& row) {
    return row.family->role == kernels::Role::workload && row.dtype == dtype;
  });
}

std::vector<Lack> lacks_of(const Place& device) {
  std::vector<Lack> lacks;
  for (const kernels::DtypeInfo& info : kernels::dtypes)
    if (std::string why = why_never(device, info.dtype); !why.empty())
      lacks.push_back({std::string(info.name), std::move(why)});
  if (std::string why = why_not_units(device, UnitsChoice::matrix); !why.empty())
    lacks.push_back({"matrix units", std::move(why)});
  return lacks;
}

std::string why_not_units(const Place& device, UnitsChoice choice) {
  if (choice == UnitsChoice::vector) return {};
  const auto on_matrix_units = [](const kernels::Kernel& row) {
    return row.family->role == kernels::Role::workload && row.units == Units::matrix;
  };
  const std::string why = why_none(device, on_matrix_units);
  if (why.empty()) return {};
  // All matrix units since 2020 multiply bf16: what keeps it away is the device, not the dtype.
  const std::string of_device = why_none(device, [&](const kernels::Kernel& row) {
    return on_matrix_units(row) && row.dtype == Dtype::bf16;
  });
  return of_device.empty() ? why : of_device;
}

Spec adapted(Spec spec, const Place& device, std::vector<std::string>& changes) {
  if (spec.units != UnitsChoice::vector) {
    if (const std::string why = why_not_units(device, spec.units); !why.empty()) {
      changes.push_back(fmt::format("{} off: {}", matrix_units_name(&device), why));
      spec.units = UnitsChoice::vector;
    }
  }
  const Family usual = kernels::usual_family(Units::vector);
  if (!why_not_family(device, spec.family()).empty() && spec.family() != usual) {
    changes.push_back(fmt::format("{} does not run on {}: using {}.", spec.family()->name,
                                  device.info.name, usual->name));
    spec.kernel = usual;
  }
  adapt_op(spec, device, changes);
  adapt_dtypes(spec, device, changes);
  return spec;
}

void adapt_to_device(AppState& state) {
  const engine::Place* device = current_device(state);
  if (device == nullptr) return;
  Spec wanted = state.spec;
  if (!state.chosen_dtypes.empty()) wanted.dtypes = state.chosen_dtypes;
  std::vector<std::string> changes;
  Spec spec = adapted(wanted, *device, changes);
  state.chosen_dtypes = spec.dtypes == wanted.dtypes ? std::vector<Dtype>() : wanted.dtypes;
  if (spec == state.spec) return;
  state.spec = std::move(spec);
  for (std::string& change : changes) notify(state, std::move(change), false);
}

double most_elements(const Place& device, const Spec& spec) {
  double largest = 1e12;
  for (const Dtype dtype : spec.dtypes) {
    Case what;
    what.family = spec.family();
    what.ops = spec.op_of(spec.family());
    what.dtype = dtype;
    what.fusion = spec.fusion == engine::FusionChoice::fused ? kernels::Fusion::fused
                                                             : kernels::Fusion::unfused;
    what.repeat = 2;  // an unfused chain of two needs its intermediate buffer
    what.elements = kernels::granule_of(what.family, dtype) * 1024;
    const double bytes_each = kernels::footprint_of(what) / static_cast<double>(what.elements);
    if (bytes_each > 0) largest = std::min(largest, device.free_bytes / 2 / bytes_each);
  }
  return std::max(largest, 1024.0);
}

std::string why_no_lab(const Place* device, const engine::Lab& lab) {
  if (device == nullptr) return still_looking;
  return lab.why_not != nullptr ? lab.why_not(*device) : std::string();
}

}  // namespace ui
