// The lab `matmul`: products of square matrices, from sizes that launches bound to those that
// arithmetic does.
#include "kernels/families/matmul/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/labs/parts/products.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

using kernels::By;
using kernels::Case;
using kernels::Dtype;
using kernels::Epilogue;
using kernels::Family;
using kernels::Op;
using kernels::Units;

constexpr LabKnob sizes = LabKnob::numbers(
    "sizes",
    "Rows and columns of the square matrices; auto: 16 to 2048, and larger ones on many cores.",
    "auto", 16, 16384);
constexpr LabKnob epilogue_knob = LabKnob::flag(
    "epilogue",
    "Measure a bias and relu behind two of the products, fused and as kernels of their own.", "on");
constexpr LabKnob both_units_knob =
    LabKnob::flag("both-units",
                  "Beside fp32 on vector units, multiply bf16 (else fp16, fp64 or int8) on vector "
                  "and on matrix units, where the device has both.",
                  "on");

/// Close to the peak.
constexpr double most_of_it = 0.75;
/// Of the best that is measured.
constexpr double nearly_best = 0.9;
/// From this size on our kernel is compared with the library's.
constexpr std::uint64_t large = 512;

// ---- what a bias and relu cost behind a product, fused into its kernel or as two more kernels

namespace epilogue {

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

/// Rows of C: of a product, and of what is computed on C.
std::uint64_t rows_of(const Case& what) {
  if (!is_apart(what)) return kernels::matmul_size(what).m;
  return static_cast<std::uint64_t>(std::llround(std::sqrt(static_cast<double>(what.elements))));
}

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

/// The sizes at which it is measured: the largest, and a small one if it is another.
std::vector<std::uint64_t> sizes_for(const std::vector<std::uint64_t>& squares) {
  if (squares.empty()) return {};
  const auto found = std::ranges::find_if(
      squares, [](std::uint64_t n) { return n >= small && n % kernels::matmul_tile == 0; });
  if (found == squares.end() || *found == squares.back()) return {squares.back()};
  return {*found, squares.back()};
}

/// Adds the product with bias and relu, by our kernel and the library's, and both as kernels of
/// their own on C. Nothing where the element type has none.
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

/// For each size the time of both, over that of the product alone, in stacked bars.
Chart chart() {
  const Metric factor =
      metric_of("time over the product's", "Time over that of the product alone", "x", over_product,
                {0, 2}, {Trait::plain, Trait::linear}, factor_text);
  Chart chart = chart_of("matmul-epilogue", "Bias and relu, fused and apart",
                         Label{"rows", fused_or_apart}, factor, Label{"kernel", kernel_word});
  chart.kind = Kind::stacked_bars;
  chart.shows = shows;
  chart.empty = "No product with bias and relu was measured yet.";
  return chart;
}

/// What it costs at each size, of our kernels.
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

}  // namespace epilogue

// ---- the plan

/// Up to 2048 on two cores; twice that on eight times as many.
std::vector<std::uint64_t> sizes_for(const kernels::DeviceInfo& device) {
  std::vector<std::uint64_t> suitable{16, 64, 256, 512, 1024, 2048};
  const std::uint64_t last = std::min<std::uint64_t>(sizes.high, grown(2048, device, 3));
  while (suitable.back() < last) suitable.push_back(2 * suitable.back());
  return suitable;
}

/// Of those with matrix units off and on: the types of neural networks first.
constexpr std::array on_both_units{Dtype::bf16, Dtype::fp16, Dtype::fp64, Dtype::int8};

Case square(Dtype dtype, Units units, std::uint64_t n, kernels::Data data, By by = By::own) {
  return kernels::matmul_case(dtype, units, {n, n, n}, data, by);
}

bool runs_on_both(const Place& place, Dtype dtype) {
  return std::ranges::all_of(Family::matmul->units, [&](Units units) {
    return place.runs(square(dtype, units, 1, kernels::Data::random));
  });
}

/// Beside products of the usual type: what matrix units gain, in the first element type that our
/// kernels multiply on both. Where matrix units came first, fp32 follows.
void add_both_units(Plan& plan, const Spec& spec, const Place& place,
                    const std::vector<std::uint64_t>& squares) {
  const Spec usual;
  const bool asked = spec.units == usual.units && spec.dtypes == usual.dtypes;
  if (spec.types_chosen && !asked) return;
  if (!asked) {
    for (const std::uint64_t n : squares)
      ask_both(plan, place, spec, sizes, square(usual.dtypes.front(), Units::vector, n, spec.data));
  }
  const auto dtype =
      std::ranges::find_if(on_both_units, [&](Dtype one) { return runs_on_both(place, one); });
  if (dtype == on_both_units.end()) return;
  for (const Units units : Family::matmul->units) {
    for (const std::uint64_t n : squares) {
      for (const By by : {By::own, By::library}) {
        const Case what = square(*dtype, units, n, spec.data, by);
        const bool known = std::ranges::find(plan.asks, what, &Ask::what) != plan.asks.end();
        if (!known && place.runs(what) && fits(sizes, spec, place, what))
          plan.asks.push_back({what});
      }
    }
  }
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  const std::vector<std::uint64_t> squares = numbers_of(spec, sizes, sizes_for(place.info));
  std::vector<std::uint64_t> with_epilogue;
  if (text_of(spec, epilogue_knob) == "on") with_epilogue = epilogue::sizes_for(squares);
  Plan plan;
  for (const Dtype dtype : spec.dtypes) {
    for (const Units units : {Units::vector, Units::matrix}) {
      const auto left_out = units == Units::vector ? UnitsChoice::matrix : UnitsChoice::vector;
      if (spec.units == left_out) continue;
      const bool main_line = dtype == spec.dtypes.front() && units == units_of(spec);
      for (const std::uint64_t n : squares) {
        const Case what = square(dtype, units, n, spec.data);
        ask_both(plan, place, spec, sizes, what);
        const bool chosen = std::ranges::find(with_epilogue, n) != with_epilogue.end();
        if (main_line && chosen) epilogue::ask(plan, place, spec, sizes, what);
      }
    }
  }
  if (text_of(spec, both_units_knob) == "on") add_both_units(plan, spec, place, squares);
  return plan;
}

std::vector<Chart> charts(const Results&) {
  Chart flops =
      over_sizes("matmul", "FLOP/s of square products", "Rows and columns", metrics::flops);
  flops.overlays = {Overlay::roofs, Overlay::best};
  Chart roofline = over_sizes("matmul-roofline", "Roofline of square products", "", metrics::flops);
  roofline.x = metrics::intensity;
  roofline.overlays = {Overlay::roofs, Overlay::ridge};
  for (Chart* chart : {&flops, &roofline})
    chart->shows = [](const Row& row) { return row.point.what.family == Family::matmul; };
  return {flops, roofline, epilogue::chart()};
}

Interval size_of_point(const Point& point) {
  return Interval{static_cast<double>(kernels::matmul_size(point.what).m)};
}

/// The smallest size from which on all are so; null: the largest is not.
template <class Is>
const Point* all_from(const Points& points, Is is) {
  const Point* from = nullptr;
  for (auto point = points.rbegin(); point != points.rend() && is(**point); ++point) from = *point;
  return from;
}

/// Our rate over the library's, at the size where it is least.
void add_library(const Results& results, const Points& ours, LabVerdict& verdict) {
  std::optional<Interval> least;
  std::string name;
  for (const Point* theirs : products_of(results, By::library)) {
    for (const Point* own : ours) {
      const bool same = kernels::matmul_size(own->what) == kernels::matmul_size(theirs->what);
      if (!same || kernels::matmul_size(own->what).m < large) continue;
      const Interval share = times_as_fast(*own, *theirs, &kernels::Work::flops);
      if (!least || share.median < least->median) least = share;
      name = theirs->note.empty() ? "the library" : theirs->note;
    }
  }
  if (least)
    verdict.inform(fmt::format("our kernel over {}, least from {} on", name, large), least, "x");
}

/// For every element type that was measured on both, how much faster matrix units are at the
/// largest size.
void add_gains_of_matrix_units(const Results& results, LabVerdict& verdict) {
  for (const kernels::DtypeInfo& info : kernels::dtypes) {
    const auto vector = products_of(results, By::own, info.dtype, Units::vector);
    const auto matrix = products_of(results, By::own, info.dtype, Units::matrix);
    for (auto off = vector.rbegin(); off != vector.rend(); ++off) {
      const kernels::MatmulSize size = kernels::matmul_size((*off)->what);
      const auto on = std::ranges::find_if(
          matrix, [&](const Point* point) { return kernels::matmul_size(point->what) == size; });
      if (on == matrix.end()) continue;
      verdict.inform(
          fmt::format("{} on matrix units over vector units, at {} rows", info.name, size.m),
          times_as_fast(**on, **off, &kernels::Work::flops), "x");
      break;
    }
  }
}

/// What one size alone can tell.
void add_comparisons(const Results& results, const Points& ours, LabVerdict& verdict) {
  add_gains_of_matrix_units(results, verdict);
  if (ours.empty()) return;
  epilogue::add_rows(results, ours.front()->what.dtype, ours.front()->what.units, verdict);
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Points points = products_of(results, By::own);
  const auto fastest = std::ranges::max_element(points, {}, &Point::flops_per_second);
  const Point* best = points.empty() ? nullptr : *fastest;
  const Ceiling peak = best == nullptr ? Ceiling{} : compute_ceiling(results.session, best->what);
  if (points.size() < 3 || peak.rate <= 0) {
    verdict = cannot_say("Measure at least three sizes, with the roof of their arithmetic.");
    add_comparisons(results, points, verdict);
    return verdict;
  }
  const Interval share = *metrics::share({*best, results.session});
  const Point* from = all_from(points, [&](const Point& point) {
    return point.flops_per_second() >= nearly_best * best->flops_per_second();
  });
  // Where arithmetic takes longer than memory, as the roofs say.
  const Point* compute = all_from(points, [&](const Point& point) {
    return predict(results.session, point.what, point.work).regime() == Regime::compute;
  });
  verdict.judge("best share of its roofs", Interval{1}, share, "%", most_of_it);
  verdict.inform("best at", size_of_point(*best), "rows");
  if (from != nullptr) verdict.inform("90 % of the best, from", size_of_point(*from), "rows");
  VerdictRow leaves{"leaves the bandwidth roof at", {}, {}, "rows", Says::differs};
  if (compute != nullptr) {
    leaves.here = size_of_point(*compute);
    leaves.says = Says::holds;
  }
  verdict.rows.push_back(std::move(leaves));
  add_library(results, points, verdict);
  add_comparisons(results, points, verdict);
  const std::string_view dtype = name_of(best->what.dtype);
  verdict.conclude(fmt::format("{} products of {} rows and columns reach {:.0f} % of their roof.",
                               dtype, kernels::matmul_size(best->what).m, 100 * share.median),
                   compute == nullptr
                       ? "No size was large enough to leave the bandwidth roof."
                       : fmt::format("The best {} product reaches only {:.0f} % of its roof.",
                                     dtype, 100 * share.median),
                   std::array{best});
  return verdict;
}

}  // namespace

extern constinit const Lab matmul_lab{
    .name = "matmul",
    .title = "Matrix product",
    .group = "Compute",
    .question = "From what size on does a matrix product reach the peak?",
    .about =
        "Square matrices are multiplied, from 16 rows and columns on. A product of n rows and "
        "columns does 2 n^3 FLOP on 3 n^2 numbers, so its intensity grows with n: small ones wait "
        "for launches and memory, large ones for arithmetic. Our own kernel computes tiles of the "
        "result, each on one core; where a library is found (oneDNN on a CPU, cuBLASLt on a GPU), "
        "its line is drawn beside ours. Where the device has matrix units, such as tensor cores, "
        "one element type is multiplied without and with them. Two of the products are followed by "
        "a bias and relu, which a kernel can apply before it writes the result. Fused, they cost "
        "little. As kernels of their own, they read and write the result twice more.",
    .needs =
        "Six sizes from 16 to 2048, more on many cores, by our kernel and by a library; two of "
        "them with a bias and relu, fused and apart; all of them on matrix units, where there are "
        "any. The verdict needs at least three sizes of our kernel, some on each side of the "
        "ridge, and the roof of their arithmetic.",
    .claim = {"Products of large matrices are limited by arithmetic and come close to the peak.",
              "Making Deep Learning Go Brrrr, Compute"},
    .reads = {"dtype", "units", "data"},
    .knobs = {sizes, epilogue_knob, both_units_knob},
    .why_not = why_no_products,
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .on_matrix_units = true,
    .time = 10,
};

}  // namespace engine
