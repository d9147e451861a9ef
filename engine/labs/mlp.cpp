// The lab `mlp`: a layer of a multilayer perceptron, [B, D] x [D, D], as the batch B grows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/labs/parts/products.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/matmul/matmul.hpp"

namespace engine {
namespace {

using kernels::By;

constexpr LabKnob width = LabKnob::number("width",
                                          "Inputs and outputs of a layer (D); batches go from 1 to "
                                          "4 D. auto: 1024, and more on many cores.",
                                          "auto", 16, 16384);

/// Twice the FLOP in less than this is hardly longer.
constexpr double hardly_longer = 1.2;
/// The batch up to which the runtime must hardly move, at least: two doublings.
constexpr double least_free = 4;
/// A kernel that takes so many times as long as another one is not made for small batches.
constexpr double wasted = 4;
/// The largest batch, in widths.
constexpr std::uint64_t largest = 4;

Plan plan(const Spec& spec, const Place& place, const Results&) {
  refuse_both_units(spec);
  const std::uint64_t d = number_of(spec, width, std::min(width.high, grown(1024, place.info, 2)));
  Plan plan;
  for (const kernels::Dtype dtype : spec.dtypes) {
    for (std::uint64_t b = 1; b <= largest * d; b *= 2) {
      ask_both(plan, place, spec, width,
               kernels::matmul_case(dtype, units_of(spec), {b, d, d}, spec.data));
    }
  }
  return plan;
}

/// Of our kernel; of the library's where ours takes so much longer at the smallest batch that most
/// of its work must be rows that are not there: it computes whole tiles.
Points ascending(const Results& results) {
  Points ours = products_of(results, By::own), theirs = products_of(results, By::library);
  if (theirs.size() < ours.size() || theirs.empty()) return ours;
  const bool wasteful =
      ours.empty() || ours.front()->seconds.median > wasted * theirs.front()->seconds.median;
  return wasteful ? theirs : ours;
}

double batch_of(const Point& point) {
  return static_cast<double>(kernels::matmul_size(point.what).m);
}

/// Seconds in which the weights are read from the memory that holds them; 0: not known.
double reading_of(const Results& results, const Point& point) {
  const kernels::MatmulSize size = kernels::matmul_size(point.what);
  const double weights = static_cast<double>(size.n) * static_cast<double>(size.k) *
                         static_cast<double>(size_of(point.what.dtype));
  return predict(results.session, point.what, {.flops = 0, .bytes = weights}).bandwidth_seconds;
}

/// Seconds of the arithmetic at its peak; 0: not known.
double computing_of(const Results& results, const Point& point) {
  return predict(results.session, point.what, point.work).compute_seconds;
}

std::vector<Chart> charts(const Results& results) {
  Chart runtime = over_sizes("mlp", "Runtime as the batch doubles", "Batch", metrics::runtime);
  Curve reading{"reading the weights"}, computing{"arithmetic at its peak"};
  const Points points = ascending(results);
  for (const Point* point : points) {
    const double batch = batch_of(*point);
    if (const double seconds = reading_of(results, *points.front()); seconds > 0)
      reading.add(batch, seconds);
    if (const double seconds = computing_of(results, *point); seconds > 0)
      computing.add(batch, seconds);
  }
  for (Curve* curve : {&reading, &computing})
    if (curve->x.size() > 1) runtime.curves.push_back(std::move(*curve));
  Chart flops = over_sizes("mlp-flops", "FLOP/s as the batch doubles", "Batch", metrics::flops);
  flops.overlays = {Overlay::roofs, Overlay::best};
  return {runtime, flops};
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Points points = ascending(results);
  if (points.size() < 4) return cannot_say("Measure at least four batches.");
  const Point &first = *points.front(), &last = *points.back(),
              &before = *points[points.size() - 2];
  const std::size_t border = last_within(hardly_longer * first.seconds.median, points);
  const double up_to = batch_of(*points[border]);
  const double reading = reading_of(results, first), computing = computing_of(results, first);
  std::optional<Interval> by_roofs;
  if (reading > 0 && computing > 0) by_roofs = Interval{reading / computing};
  const bool ends = border + 1 < points.size();  // else overhead bounds all
  verdict.inform(fmt::format("one row ({})", owner_of(first)),
                 metrics::runtime.at(first, results.session), "s");
  if (reading > 0) verdict.inform("reading the weights, by the roof", Interval{reading}, "s");
  verdict.judge("the runtime hardly moves up to a batch of", {}, Interval{up_to}, "rows",
                ends ? least_free : HUGE_VAL);
  if (by_roofs) verdict.inform("arithmetic takes as long as the weights at", by_roofs, "rows");
  verdict.inform(fmt::format("twice the batch, from {:.0f} on", batch_of(before)),
                 times_as_long(last, before), "x");
  Points behind{&first, points[border]};
  if (ends) behind.push_back(points[border + 1]);
  verdict.conclude(
      fmt::format("Up to a batch of {:.0f}, the FLOP double and the runtime hardly moves.", up_to),
      ends ? "The runtime grows with the batch almost from the start."
           : "The runtime hardly moves at any batch: overhead bounds them all.",
      behind);
  return verdict;
}

}  // namespace

extern constinit const Lab mlp_lab{
    .name = "mlp",
    .title = "Batch of a layer",
    .group = "Compute",
    .question = "How large a batch costs no more than one row?",
    .about =
        "A layer of a multilayer perceptron multiplies a batch of B rows with D x D weights. A "
        "small batch reads all weights and computes little: twice the rows is twice the FLOP, but "
        "hardly more bytes, and hardly more time. From some batch on, arithmetic takes longer than "
        "reading the weights, and the runtime doubles with the batch. The dashed lines show these "
        "two times. The weights stay in a cache between runs where it holds them. The verdict uses "
        "our kernel, or the library's if ours takes more than 4 times as long for one row.",
    .needs =
        "13 batches from 1 to 4096, each twice the one before, more on many cores; by our kernel "
        "and by a library. The verdict needs at least four, some where the weights are the limit "
        "and some where arithmetic is.",
    .claim = {"While B is much smaller than D, doubling the batch doubles the FLOP but hardly "
              "increases the bytes, so the runtime need not grow.",
              "Making Deep Learning Go Brrrr, footnote 3"},
    .reads = {"dtype", "units", "data"},
    .knobs = {width},
    .why_not = why_no_products,
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .on_matrix_units = true,
    .time = 10,
};

}  // namespace engine
