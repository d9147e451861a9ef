// What roofs are called along their lines.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/figures/figure_finders.hpp"
#include "tests/figures/sample_sessions.hpp"
#include "ui/figures/figures.hpp"

using kernels::Dtype;
using plot::Figure;
using plot::Mark;
using test::elements;
using test::find_mark;
using test::find_roof;
using ui::figure_of;

TEST_CASE("A measured and a stated roof that nearly touch share one label") {
  const engine::Session session = test::gpu_session();
  const Figure figure = figure_of({&session}, test::chart("roofline"), {});
  const plot::Roof* both = find_roof(figure, "fp32 FMA 60.0 TFLOP/s (measured)");
  REQUIRE(both != nullptr);
  CHECK(both->long_label == "fp32 FMA 60.0 TFLOP/s (measured), 66.9 TFLOP/s (datasheet)");
  CHECK(find_roof(figure, "fp32 FMA 66.9") == nullptr);
}

TEST_CASE("Roofs on one another share a label, a ridge and no colour") {
  engine::Session session = test::cpu_session();
  const auto fma = [](Dtype dtype, double rate) {
    return test::compute(dtype, kernels::Units::vector, rate);
  };
  session.points.clear();
  session.roofs = {test::bandwidth("DRAM copy", 50e9), fma(Dtype::fp32, 237e9),
                   fma(Dtype::fp16, 237e9), fma(Dtype::int32, 236e9), fma(Dtype::fp64, 118e9)};
  const Figure figure = figure_of({&session}, test::chart("roofline"), {});
  const plot::Roof* shared = find_roof(figure, "fp32, fp16, int32 FMA about 237 GOP/s (measured)");
  REQUIRE(shared != nullptr);
  CHECK(shared->short_label == "fp32/fp16/int32 237 GOP/s");
  CHECK(shared->colour == -1);
  CHECK(find_roof(figure, "fp64 FMA 118 GFLOP/s (measured)") != nullptr);
  CHECK(std::ranges::count_if(figure.roofs, [](const plot::Roof& roof) {
          return roof.label.empty() && roof.short_label.empty() && !roof.id.empty();
        }) == 2);
  CHECK(figure.marks.size() == 2);
  CHECK(find_mark(figure, Mark::Kind::ridge)->colour == -1);
}

TEST_CASE("The label that roofs share says of which of them the datasheet speaks") {
  engine::Session session = test::cpu_session();
  const auto fma = [](Dtype dtype, engine::RoofSource source) {
    return test::compute(dtype, kernels::Units::vector, 237e9, source);
  };
  session.points.clear();
  session.roofs = {test::bandwidth("DRAM copy", 50e9),
                   fma(Dtype::fp32, engine::RoofSource::measured),
                   fma(Dtype::fp16, engine::RoofSource::measured),
                   fma(Dtype::fp32, engine::RoofSource::datasheet)};
  const Figure figure = figure_of({&session}, test::chart("roofline"), {});
  const plot::Roof* shared = find_roof(figure, "fp32, fp16 FMA 237 GFLOP/s (measured)");
  REQUIRE(shared != nullptr);
  CHECK(shared->long_label ==
        "fp32, fp16 FMA 237 GFLOP/s (measured), fp32 FMA 237 GFLOP/s (datasheet)");
  // Of several rates none is left out.
  session.roofs.push_back(
      test::compute(Dtype::fp16, kernels::Units::vector, 250e9, engine::RoofSource::datasheet));
  const Figure more = figure_of({&session}, test::chart("roofline"), {});
  CHECK(find_roof(more, "fp32, fp16 FMA 237 GFLOP/s (measured)")->long_label ==
        "fp32, fp16 FMA 237 GFLOP/s (measured), fp16 FMA 250 GFLOP/s (datasheet), fp32 FMA 237 "
        "GFLOP/s (datasheet)");
}
