#include "engine/labs/parts/products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/knob_text.hpp"
#include "engine/labs/parts/measured.hpp"

namespace engine {
namespace {

/// "fp32 our kernel, matrix units"
std::string dtype_and_kernel_of(const Row& row, std::string_view) {
  const kernels::Case& what = row.point.what;
  std::string words = fmt::format("{} {}", name_of(what.dtype), owner_of(row.point));
  if (kernels::has_whole_edges(what)) words += ", whole tiles";
  if (kernels::epilogue_of(what) != kernels::Epilogue::none) words += ", bias and relu";
  return what.units == kernels::Units::matrix ? words + ", matrix units" : words;
}
constexpr Label dtype_and_kernel{"dtype and kernel", dtype_and_kernel_of};

}  // namespace

kernels::Units units_of(const Spec& spec) {
  return spec.units == UnitsChoice::matrix ? kernels::Units::matrix : kernels::Units::vector;
}

std::string owner_of(const Point& point) {
  if (point.what.by != kernels::By::library) return "our kernel";
  return point.note.empty() ? "library" : point.note;
}

std::uint64_t grown(std::uint64_t usual, const kernels::DeviceInfo& info, double root) {
  const double cores = std::max(info.multiprocessors, 2);
  const double size = static_cast<double>(usual) * std::pow(cores / 2, 1 / root);
  return std::bit_floor(static_cast<std::uint64_t>(size * (1 + 1e-9)));
}

void refuse_both_units(const Spec& spec) {
  if (spec.units == UnitsChoice::both)
    refuse("units", find_knob("units")->get(spec), "vector or matrix");
}

void refuse_several_dtypes(const Spec& spec) {
  if (spec.dtypes.size() != 1) refuse("dtype", find_knob("dtype")->get(spec), "one element type");
}

void ask_both(Plan& plan, const Place& place, const Spec& spec, const LabKnob& size,
              kernels::Case what) {
  if (!fits(size, spec, place, what)) return;
  plan.asks.push_back({what});
  what.by = kernels::By::library;
  what.shape = {};
  if (place.knows(what)) plan.asks.push_back({what});
}

std::string why_no_products(const Place& place) {
  std::string why;
  for (const kernels::Kernel& kernel : place.kernels) {
    if (kernel.family != kernels::Family::matmul) continue;
    if (kernel.runs) return "";
    if (why.empty()) why = kernel.why_not;
  }
  return why;
}

Points products_of(const Results& results, kernels::By by) {
  const auto is_product = [](const kernels::Case& what) {
    return what.family == kernels::Family::matmul;
  };
  const Point* first = first_measured(results.points, [&](const kernels::Case& what) {
    return is_product(what) && what.dtype == results.spec.dtypes.front() &&
           what.units == units_of(results.spec);
  });
  if (first == nullptr) first = first_measured(results.points, is_product);
  if (first == nullptr) return {};
  return products_of(results, by, first->what.dtype, first->what.units);
}

Points products_of(const Results& results, kernels::By by, kernels::Dtype dtype,
                   kernels::Units units, kernels::Epilogue epilogue) {
  const auto rows = [](const kernels::Case& what) { return kernels::matmul_size(what).m; };
  return measured_by(rows, results.points, [&](const kernels::Case& what) {
    return what.family == kernels::Family::matmul && what.by == by && what.dtype == dtype &&
           what.units == units && kernels::epilogue_of(what) == epilogue;
  });
}

Chart over_sizes(std::string_view id, std::string_view title, std::string_view x_title,
                 const Metric& y) {
  Chart chart = chart_of(id, title, metrics::axis("m", x_title), y, dtype_and_kernel);
  chart.envelope = true;  // all sizes grow together, so that no two points have the rest in common
  return chart;
}

}  // namespace engine
