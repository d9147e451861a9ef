// The lab `precision`: speed and error down the ladder of element types, on vector and matrix
// units.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/labs/parts/products.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/families/tile/tile.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Dtype;
using kernels::Family;
using kernels::Units;

constexpr std::array ladder{Dtype::fp64, Dtype::fp32, Dtype::tf32, Dtype::bf16,
                            Dtype::fp16, Dtype::fp8,  Dtype::int8};

constexpr LabKnob product_size = LabKnob::number(
    "matrix",
    "Rows and columns of the matrices that are multiplied; auto: 1024, and more on many cores.",
    "auto", 16, 16384);

/// FLOP per element that a product of tiles is of an FMA.
constexpr std::uint64_t product = kernels::tile_columns;

/// How many times faster half the width may be that still is about twice.
constexpr double about_twice_low = 1.6, about_twice_high = 2.5;

/// Enough for every core to be busy for milliseconds, where the user asks for no number.
std::uint64_t elements_for(const Spec& spec, const Place& place, std::uint64_t usual) {
  constexpr std::uint64_t per_core = std::uint64_t{1} << 20;
  const auto cores = static_cast<std::uint64_t>(std::max(place.info.multiprocessors, 1));
  return spec.elements > 0 ? usual : std::min(usual, cores * per_core);
}

/// As many FLOP per element on every kernel: enough to leave memory behind.
Plan plan(const Spec& spec, const Place& place, const Results&) {
  const std::uint64_t ops = *std::ranges::max_element(spec.repeats);
  const std::uint64_t n = number_of(spec, product_size, grown(1024, place.info, 3));
  Plan plan;
  for (const Dtype dtype : ladder) {
    for (const Family family : {Family::chain, Family::tile}) {
      kernels::Case what = usual_case(spec, place, family, dtype);
      what.elements = elements_for(spec, place, what.elements);
      what.repeat = family == Family::chain ? ops : std::max<std::uint64_t>(1, ops / product);
      for (const Units units : family->units) {
        what.units = units;
        if (place.knows(what)) plan.asks.push_back({what});
      }
    }
    for (const Units units : Family::matmul->units) {
      const kernels::Case what = kernels::matmul_case(dtype, units, {n, n, n}, spec.data);
      if (place.knows(what) && fits(product_size, spec, place, what)) plan.asks.push_back({what});
    }
  }
  // On a GPU people multiply on matrix units.
  if (place.info.kind == "cuda")
    std::ranges::stable_partition(plan.asks,
                                  [](const Ask& ask) { return ask.what.units == Units::matrix; });
  return plan;
}

/// "1.8e-7".
std::string error_text(double value, bool) {
  if (!(value > 0)) return "0";
  const double exponent = std::floor(std::log10(value));
  return fmt::format("{:.1f}e{:.0f}", value / std::pow(10, exponent), exponent);
}

/// Where points without an error lie on a logarithmic axis: left of those of fp64.
constexpr double exact = 1e-19;

/// The error; `exact` where the check found none. Nothing where no point of the run has one: an
/// earlier version recorded none.
std::optional<Interval> error_or_exact(const Row& row, std::string_view) {
  if (const auto error = told(row.point, "error")) return Interval{*error};
  const bool recorded = std::ranges::any_of(row.session.points, [&](const Point& point) {
    return point.lab == row.point.lab && point.run == row.point.run && told(point, "error");
  });
  return recorded ? std::optional(Interval{exact}) : std::nullopt;
}

std::string error_or_exact_text(double value, bool integer) {
  return value <= exact ? "0" : error_text(value, integer);
}

/// "bf16, 87 %" at each marker: the share of its roof.
std::vector<Note> types_at_markers(const Results& results, const Metric& error) {
  std::vector<Note> notes;
  bool any_exact = false;
  for (const Point* point : results.points) {
    const Row row{*point, results.session};
    const std::optional<Interval> x = error(row), y = metrics::flops(row);
    if (point->status != Status::ok || !x || !y) continue;
    any_exact = any_exact || x->median <= exact;
    std::string text(name_of(point->what.dtype));
    if (const auto share = metrics::share(row)) text += ", " + units::percent(share->median);
    notes.push_back({Note::At::spot, x->median, y->median, text});
  }
  if (any_exact) notes.push_back({.at = Note::At::x, .x = exact, .text = "as the reference"});
  return notes;
}

/// What a narrower type gains, against what it costs.
Chart gain_and_cost(const Results& results) {
  const Metric error = metric_of("error", "Largest error / largest result", "", error_or_exact,
                                 {exact, 1}, {Trait::plain}, error_or_exact_text);
  Chart chart = chart_of("precision-speed-error", "Speed against error, and share of the roof",
                         error, metrics::flops, labels::kernel);
  chart.notes = types_at_markers(results, error);
  chart.empty = "No errors recorded: an earlier version measured these points.";
  return chart;
}

std::vector<Chart> charts(const Results& results) {
  const Chart speed =
      chart_of("precision", "Speed by element type", labels::dtype, metrics::flops, labels::kernel);
  Chart error = chart_like(speed, "precision-error", "Error against double precision",
                           metrics::value("error"));
  error.y.title = "Largest error / largest result";
  error.y.text = error_text;
  error.y.si_prefix = false;
  error.empty = "No errors recorded: an earlier version measured these points.";
  return {gain_and_cost(results), speed,
          chart_like(speed, "precision-share", "Share of the roof by element type", metrics::share),
          error};
}

std::string_view kernel_word(const kernels::Case& what) {
  if (what.family == Family::matmul)
    return what.units == Units::matrix ? "matmul, matrix units" : "matmul";
  return what.units == Units::matrix ? "matrix" : name_of(what.family);
}

const Point* find(const Results& results, Family family, Dtype dtype, Units units) {
  return first_measured(results.points, [&](const kernels::Case& what) {
    return what.family == family && what.dtype == dtype && what.units == units;
  });
}

std::string error_of(const Point& point) {
  if (const auto error = told(point, "error")) return "error " + error_text(*error, false);
  const bool reference = point.what.dtype == Dtype::fp64 && point.what.family == Family::chain;
  return reference ? "the reference" : "no error found";
}

/// How much faster half the width is, from one type to a narrower one.
struct Halving {
  const Point *wide, *narrow;
  Interval factor;
};

/// From the widest to the narrowest type of those units; of each width the fastest kernel. Double
/// precision is apart on matrix units.
std::optional<Halving> per_halving(const Results& results, Units units) {
  std::map<std::size_t, const Point*> fastest;
  for (const Point* point : results.points) {
    const Dtype dtype = point->what.dtype;
    const bool apart = units == Units::matrix && dtype == Dtype::fp64;
    if (point->status != Status::ok || point->what.units != units || apart) continue;
    const Point*& best = fastest[size_of(dtype)];
    const auto rank = [](const Point& one) {
      return std::pair(is_sure(one), one.flops_per_second());
    };
    if (best == nullptr || rank(*point) > rank(*best)) best = point;
  }
  if (fastest.size() < 2) return std::nullopt;
  const auto& [narrow, fast] = *fastest.begin();
  const auto& [wide, slow] = *fastest.rbegin();
  const double halvings = std::log2(static_cast<double>(wide) / static_cast<double>(narrow));
  const auto each = [&](double ratio) { return std::pow(ratio, 1 / halvings); };
  return Halving{slow, fast, mapped(times_as_fast(*fast, *slow, &kernels::Work::flops), each)};
}

/// Every element type against fp32 on vector units, with its error.
void add_rows(const Results& results, LabVerdict& verdict) {
  for (const Point* point : results.points) {
    const kernels::Case& what = point->what;
    const Point* fp32 = find(results, what.family, Dtype::fp32, Units::vector);
    if (point->status != Status::ok || fp32 == nullptr) continue;
    verdict.inform(fmt::format("{} {} against fp32 ({})", name_of(what.dtype), kernel_word(what),
                               error_of(*point)),
                   Interval{point->flops_per_second() / fp32->flops_per_second()}, "x");
  }
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  Points behind;
  for (const Units units : {Units::vector, Units::matrix}) {
    const std::optional<Halving> found = per_halving(results, units);
    if (!found) continue;
    const auto& [wide, narrow, factor] = *found;
    behind.insert(behind.end(), {wide, narrow});
    verdict.judge(fmt::format("{} units, half the width ({} to {})", name_of(units),
                              name_of(wide->what.dtype), name_of(narrow->what.dtype)),
                  Interval{2}, factor, "x", about_twice_low, about_twice_high);
  }
  if (verdict.rows.empty())
    return cannot_say("Measure two element types of different width on the same units.");
  verdict.conclude("Half the width is about twice as fast.",
                   "Half the width is not twice as fast on all units.", behind);
  add_rows(results, verdict);
  if (verdict.says == Says::differs)
    verdict.advice.push_back(
        "A type that is converted before the arithmetic, or has no unit of its own, saves memory "
        "traffic but no arithmetic. The note of each point says how it computes.");
  return verdict;
}

}  // namespace

extern constinit const Lab precision_lab{
    .name = "precision",
    .title = "Precision",
    .group = "Compute",
    .question = "What does a narrower element type gain, and what does it cost?",
    .about =
        "Every element type runs the same arithmetic: a chain of fused multiply-adds, products of "
        "tiles, and the product of two square matrices, on vector and on matrix units. Next to the "
        "speed is the largest error of the verified result against double precision, as a share of "
        "the largest result; one chart shows both, with the share of the roof at each point. "
        "Inputs are exact in their type. Where a type has no arithmetic of its own, the kernel "
        "computes in fp32 and rounds once; a tile sums in a wider type, and the error is that of "
        "the sums.",
    .needs =
        "One chain, one set of tiles and one product for every element type, on vector and on "
        "matrix units where there are kernels. The verdict compares two types of different width "
        "on the same units.",
    .claim = {"Half the width is twice as fast: on an A100, fp32 reaches twice the FLOP/s of fp64, "
              "and bf16 twice those of tf32.",
              "Making Deep Learning Go Brrrr, table of the A100"},
    .reads = {"repeat", "elements", "data"},
    .knobs = {product_size},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 10,
};

}  // namespace engine
