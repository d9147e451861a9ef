#include "engine/labs/parts/matmul_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/labs/parts/products.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"

namespace engine::both_units {
namespace {

using kernels::By;
using kernels::Case;
using kernels::Dtype;
using kernels::Units;

/// The types of neural networks first.
constexpr std::array preferred{Dtype::bf16, Dtype::fp16, Dtype::fp64, Dtype::int8};

Case product(Dtype dtype, Units units, std::uint64_t n, kernels::Data data, By by = By::own) {
  return kernels::matmul_case(dtype, units, {n, n, n}, data, by);
}

bool runs_on_both(const Place& place, Dtype dtype) {
  return std::ranges::all_of(kernels::Family::matmul->units, [&](Units units) {
    return place.runs(product(dtype, units, 1, kernels::Data::random));
  });
}

}  // namespace

void ask(Plan& plan, const Place& place, const Spec& spec, const LabKnob& size,
         const std::vector<std::uint64_t>& squares) {
  const auto dtype =
      std::ranges::find_if(preferred, [&](Dtype one) { return runs_on_both(place, one); });
  if (dtype == preferred.end()) return;
  for (const Units units : kernels::Family::matmul->units) {
    for (const std::uint64_t n : squares) {
      for (const By by : {By::own, By::library}) {
        const Case what = product(*dtype, units, n, spec.data, by);
        const bool asked = std::ranges::find(plan.asks, what, &Ask::what) != plan.asks.end();
        if (!asked && place.runs(what) && fits(size, spec, place, what))
          plan.asks.push_back({what});
      }
    }
  }
}

void add_rows(const Results& results, LabVerdict& verdict) {
  for (const kernels::DtypeInfo& info : kernels::dtypes) {
    const auto vector = products_of(results, By::own, info.dtype, Units::vector);
    const auto matrix = products_of(results, By::own, info.dtype, Units::matrix);
    for (auto off = vector.rbegin(); off != vector.rend(); ++off) {
      const std::uint64_t rows = kernels::matmul_size((*off)->what).m;
      const auto on = std::ranges::find_if(matrix, [&](const Point* point) {
        return kernels::matmul_size(point->what) == kernels::matmul_size((*off)->what);
      });
      if (on == matrix.end()) continue;
      verdict.inform(
          fmt::format("{} on matrix units over vector units, at {} rows", info.name, rows),
          times_as_fast(**on, **off, &kernels::Work::flops), "x");
      break;
    }
  }
}

}  // namespace engine::both_units
