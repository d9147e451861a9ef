// Metrics and labels: what each says of a point, alone and among others.
#include <doctest/doctest.h>

#include "engine/charts/chart.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/pointwise/pointwise.hpp"

using engine::Metric;
namespace metrics = engine::metrics;
namespace labels = engine::labels;

namespace {

/// 64 Mi elements of fp32 FMA, 8 of them each, in 2 ms.
engine::Point point_of(std::size_t samples) {
  engine::Point point;
  point.what = {.elements = std::uint64_t{64} << 20, .repeat = 8};
  point.work = kernels::work_of(point.what);
  point.seconds.median = 2e-3;
  point.seconds.low = 1e-3;
  point.seconds.high = 4e-3;
  point.seconds.samples.assign(samples, 2e-3);
  point.values = {{"error", 1e-3}};
  return point;
}

}  // namespace

TEST_CASE("A metric reads its value and the interval off a point") {
  const engine::Session session;
  const engine::Point point = point_of(9);
  const auto value = [&](const Metric& metric) { return metric({point, session}); };
  CHECK(value(metrics::runtime) == engine::Interval{2e-3, 1e-3, 4e-3});
  const double flops = point.work.flops;
  CHECK(value(metrics::flops) == engine::Interval{flops / 2e-3, flops / 4e-3, flops / 1e-3});
  CHECK(value(metrics::bandwidth)->median == point.work.bytes / 2e-3);
  CHECK(value(metrics::intensity)->median == 2);
  CHECK(value(metrics::working_set)->median == 512 << 20);
  CHECK(value(metrics::axis("repeat"))->median == 8);
  CHECK(value(metrics::axis("elements"))->median == 64 << 20);
  CHECK(value(metrics::value("error"))->median == 1e-3);
}

TEST_CASE("What a point does not have is no value") {
  const engine::Session session;
  const engine::Point alone = point_of(1);
  CHECK_FALSE(metrics::runtime({alone, session})->low);
  CHECK_FALSE(metrics::axis("depth")({alone, session}));
  CHECK_FALSE(metrics::value("watts")({alone, session}));
  CHECK_FALSE(metrics::share({alone, session}));  // there is no roof
  engine::Point skipped = alone;
  skipped.seconds = {};
  for (const Metric* metric : {&metrics::runtime, &metrics::flops, &metrics::bandwidth})
    CHECK_FALSE((*metric)({skipped, session}));
}

TEST_CASE("The share of the roofs is the time that they allow over the time taken") {
  engine::Session session;
  const engine::Point point = point_of(9);
  engine::Roof memory, arithmetic;
  memory.name = "DRAM copy";
  memory.kind = engine::RoofKind::bandwidth;
  memory.rate = 1e12;
  arithmetic.name = "fp32 FMA";
  arithmetic.dtype = kernels::Dtype::fp32;
  arithmetic.units = kernels::Units::vector;
  arithmetic.rate = 1e13;
  session.roofs = {memory, arithmetic};
  CHECK(metrics::share({point, session})->median ==
        doctest::Approx(point.work.bytes / 1e12 / 2e-3));
}

TEST_CASE("A metric says a value with its unit, of integers in OP") {
  CHECK(text_of(metrics::runtime, 1.5e-3) == "1.50 ms");
  CHECK(text_of(metrics::flops, 2e12, true) == "2.00 TOP/s");
  CHECK(text_of(metrics::intensity, 16, true) == "16 OP/byte");
  CHECK(text_of(metrics::factor, 4.126) == "4.13x");
  CHECK(text_of(metrics::axis("repeat"), 1) == "1 op");
  CHECK(text_of(metrics::axis("repeat"), 64) == "64 ops");
  CHECK(text_of(metrics::value("error"), 0.25) == "0.25");
  CHECK(unit_of(metrics::flops) == "FLOP/s");
  CHECK(unit_of(metrics::runtime, true) == "s");
}

TEST_CASE("Labels are the words that tell points apart") {
  engine::Session session;
  session.device.name = "a CPU";
  engine::Point point = point_of(9);
  point.label = "Python";
  const auto word = [&](const engine::Label& label) { return label({point, session}); };
  CHECK(word(labels::dtype) == "fp32");
  CHECK(word(labels::series) == "fp32 fused");
  CHECK(word(labels::kernel) == "chain");
  CHECK(word(labels::label) == "Python");
  CHECK(word(labels::lab) == "intensity");
}

TEST_CASE("A point's name says sizes as numbers, and choices as words") {
  engine::Point point;
  point.what = {.family = kernels::Family::pointwise, .ops = kernels::Op::mul};
  point.what = kernels::with(point.what, "length", 4);
  CHECK(engine::point_name(point) == "fp32 fused mul, length 4");
  for (const auto& [how, word] : {std::pair{kernels::Activations::kept, "kept"},
                                  {kernels::Activations::recomputed, "recomputed"}}) {
    point.what = with_activations(point.what, how);
    CHECK(engine::point_name(point) ==
          "fp32 fused mul, length 4, activations " + std::string(word));
  }
  point.what = {.family = kernels::Family::matmul, .ops = kernels::Op::mma};
  point.what = kernels::with(point.what, "transposed", 3);
  CHECK(engine::point_name(point).ends_with("transposed A and B"));
}
