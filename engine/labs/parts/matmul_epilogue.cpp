#include "engine/labs/parts/matmul_epilogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/labs/parts/measured.hpp"
#include "engine/labs/parts/products.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"

namespace engine::epilogue {
namespace {

using kernels::By;
using kernels::Case;
using kernels::Epilogue;
using kernels::Family;
using kernels::Op;

/// From here on a product of a small size takes longer than launches.
constexpr std::uint64_t small = 256;

/// One of the kernels that do it apart: on C, in its dtype.
Case apart(const Case& product, Family family, Op op) {
  const kernels::MatmulSize size = kernels::matmul_size(product);
  const Case what{.family = family,
                  .ops = op,
                  .dtype = kernels::matmul_result(product.dtype),
                  .elements = size.elements_c(),
                  .data = product.data};
  return family == Family::rowwise ? with(what, "columns", size.n) : what;
}

bool runs(const Place& place, const Case& what) {
  return kernels::refusal_of(what).empty() && (place.kernels.empty() || place.runs(what));
}

bool is_apart(const Case& what) { return what.family != Family::matmul; }

/// The product of that size alone, or with bias and relu, in the same run.
const Point* product_like(const Row& row, Epilogue epilogue) {
  const Point& point = row.point;
  const auto matches = [&](const Point& other) {
    const Case& what = other.what;
    return other.lab == point.lab && other.run == point.run && other.status == Status::ok &&
           what.family == Family::matmul && what.by == By::own &&
           rows_of(what) == rows_of(point.what) && kernels::epilogue_of(what) == epilogue &&
           (is_apart(point.what)
                ? kernels::matmul_result(what.dtype) == point.what.dtype
                : what.dtype == point.what.dtype && what.units == point.what.units);
  };
  const auto found = std::ranges::find_if(row.session.points, matches);
  return found == row.session.points.end() ? nullptr : &*found;
}

std::optional<Interval> over_product(const Row& row, std::string_view) {
  const Point* product = product_like(row, Epilogue::none);
  if (product == nullptr || product->seconds.median <= 0) return std::nullopt;
  return times_as_long(row.point, *product);
}

std::string factor_text(double value, bool) { return fmt::format("{:.3g}x", value); }

bool shows(const Row& row) {
  return row.point.what.by == By::own && product_like(row, Epilogue::bias_relu) != nullptr;
}

std::string fused_or_apart(const Row& row, std::string_view) {
  const Case& what = row.point.what;
  const bool fused = !is_apart(what) && kernels::epilogue_of(what) != Epilogue::none;
  return fmt::format("{} rows, {}", rows_of(what), fused ? "fused" : "apart");
}

std::string kernel_word(const Row& row, std::string_view) {
  const Case& what = row.point.what;
  if (is_apart(what)) return std::string(name_of(what.op()));
  return kernels::epilogue_of(what) == Epilogue::none ? "product" : "product with bias and relu";
}

/// One of the kernels apart, at that size.
const Point* find_apart(const Results& results, Op op, std::uint64_t rows) {
  return first_measured(results.points, [&](const Case& what) {
    return is_apart(what) && what.op() == op && rows_of(what) == rows;
  });
}

}  // namespace

std::uint64_t rows_of(const Case& what) {
  if (!is_apart(what)) return kernels::matmul_size(what).m;
  return static_cast<std::uint64_t>(std::llround(std::sqrt(static_cast<double>(what.elements))));
}

std::vector<std::uint64_t> sizes_for(const std::vector<std::uint64_t>& squares) {
  if (squares.empty()) return {};
  const auto found = std::ranges::find_if(
      squares, [](std::uint64_t n) { return n >= small && n % kernels::matmul_tile == 0; });
  if (found == squares.end() || *found == squares.back()) return {squares.back()};
  return {*found, squares.back()};
}

void ask(Plan& plan, const Place& place, const Spec& spec, const LabKnob& size,
         const Case& product) {
  const Case fused = kernels::with_epilogue(product, Epilogue::bias_relu);
  if (!kernels::refusal_of(fused).empty() || !fits(size, spec, place, fused)) return;
  ask_both(plan, place, spec, size, fused);
  const Case bias = apart(product, Family::rowwise, Op::bias);
  const Case relu = apart(product, Family::pointwise, Op::relu);
  if (!runs(place, bias) || !runs(place, relu)) return;
  plan.asks.push_back({bias});
  plan.asks.push_back({relu});
}

Chart chart() {
  const Metric factor{.name = "time over the product's",
                      .title = "Time over that of the product alone",
                      .unit = "x",
                      .of = over_product,
                      .text = factor_text,
                      .si_prefix = false,
                      .log = false,
                      .low = 0,
                      .high = 2};
  Chart chart = chart_of("matmul-epilogue", "Bias and relu, fused and apart",
                         Label{"rows", fused_or_apart}, factor, Label{"kernel", kernel_word});
  chart.kind = Kind::stacked_bars;
  chart.shows = shows;
  chart.empty = "No product with bias and relu was measured yet.";
  return chart;
}

void add_rows(const Results& results, kernels::Dtype dtype, kernels::Units units,
              LabVerdict& verdict) {
  for (const Point* fused : products_of(results, By::own, dtype, units, Epilogue::bias_relu)) {
    const std::uint64_t rows = rows_of(fused->what);
    for (const Point* product : products_of(results, By::own, dtype, units)) {
      if (rows_of(product->what) != rows) continue;
      verdict.inform(fmt::format("bias and relu cost, fused, at {} rows", rows),
                     mapped(times_as_long(*fused, *product), [](double of) { return of - 1; }),
                     "%.2");
      const Point* bias = find_apart(results, Op::bias, rows);
      const Point* relu = find_apart(results, Op::relu, rows);
      if (bias == nullptr || relu == nullptr) continue;
      const auto seconds = [&](const Point* point) {
        return metrics::runtime.at(*point, results.session);
      };
      verdict.inform(fmt::format("the same as two more kernels, at {} rows", rows),
                     quotient(sum(seconds(bias), seconds(relu)), seconds(product)), "%.2");
    }
  }
}

}  // namespace engine::epilogue
