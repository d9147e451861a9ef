// The verdicts of the labs of matrix products, of results that are made up.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/session/session_file.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "tests/engine/made_results.hpp"

using namespace engine;
using engine::Says;
using test::Made;

namespace {

constexpr double peak = 1e12, memory = 2e10;

Roof roof(const char* name, double rate) {
  Roof roof;
  roof.name = name;
  roof.rate = rate;
  roof.kind = RoofKind::compute;
  if (rate == memory) {
    roof.kind = RoofKind::bandwidth;
  } else {
    roof.dtype = kernels::Dtype::fp32;
    roof.units = kernels::Units::vector;
  }
  return roof;
}

Made made(std::string_view lab, const test::Seconds& seconds) {
  Made made(lab, seconds);
  made.session.roofs = {roof("DRAM copy", memory), roof("fp32 FMA", peak)};
  return made;
}

double at_roofs(const Point& point) {
  return 1e-6 + std::max(point.work.bytes / memory, point.work.flops / peak);
}

bool is_library(const Point& point) { return point.what.by == kernels::By::library; }

double waves(const Point& point) {
  return static_cast<double>(kernels::matmul_waves(kernels::matmul_size(point.what), 1));
}

const VerdictRow* row_with(const LabVerdict& verdict, std::string_view words) {
  const auto found = std::ranges::find_if(verdict.rows, [&](const VerdictRow& row) {
    return row.what.find(words) != std::string::npos;
  });
  return found == verdict.rows.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("matmul: large products come close to the peak, or do not, or were not measured") {
  const LabVerdict verdict = made("matmul", at_roofs).verdict();
  CHECK(verdict.says == Says::holds);
  REQUIRE(row_with(verdict, "leaves the bandwidth roof") != nullptr);
  // 2 n^3 / 1e12 is longer than 12 n^2 / 2e10 from n = 300 on.
  CHECK(row_with(verdict, "leaves the bandwidth roof")->here->median == 512);
  CHECK(row_with(verdict, "90 % of the best")->here->median == 512);
  CHECK(made("matmul", [](const Point& p) { return 3 * at_roofs(p); }).verdict().says ==
        Says::differs);
  const auto small_ones = [](const Point& point) {
    return kernels::matmul_size(point.what).m > 256 ? 0 : at_roofs(point);
  };
  CHECK(made("matmul", small_ones).verdict().says == Says::differs);
  const auto two = [](const Point& point) {
    return kernels::matmul_size(point.what).m > 32 ? 0 : at_roofs(point);
  };
  CHECK(made("matmul", two).verdict().says == Says::cannot_say);
}

TEST_CASE("matmul: our kernel is compared with the library where both were measured") {
  const auto twice = [](const Point& point) {
    const bool worst = kernels::matmul_size(point.what).m == 1024;
    return at_roofs(point) * (is_library(point) ? (worst ? 0.5 : 0.9) : 1);
  };
  const LabVerdict both = made("matmul", twice).verdict();
  REQUIRE(row_with(both, "our kernel over") != nullptr);
  CHECK(row_with(both, "our kernel over")->here->median == doctest::Approx(0.5));
  const auto alone = [](const Point& point) { return is_library(point) ? 0 : at_roofs(point); };
  CHECK(row_with(made("matmul", alone).verdict(), "our kernel over") == nullptr);
}

TEST_CASE(
    "matmul: where a device has matrix units, one element type is measured without and with them") {
  using kernels::Dtype, kernels::Units;
  const auto kernel = [](Dtype dtype, Units units, kernels::By by, bool runs = true) {
    kernels::Kernel row{.family = kernels::Family::matmul, .op = kernels::Op::mma, .dtype = dtype};
    row.units = units;
    row.by = by;
    row.runs = runs;
    return row;
  };
  using kernels::By;
  const std::vector<kernels::Kernel> gpu{kernel(Dtype::fp32, Units::vector, By::own),
                                         kernel(Dtype::fp32, Units::vector, By::library),
                                         kernel(Dtype::bf16, Units::vector, By::own),
                                         kernel(Dtype::bf16, Units::vector, By::library, false),
                                         kernel(Dtype::bf16, Units::matrix, By::own),
                                         kernel(Dtype::bf16, Units::matrix, By::library),
                                         kernel(Dtype::fp16, Units::vector, By::own),
                                         kernel(Dtype::fp16, Units::matrix, By::own)};
  const auto seconds = [](const Point& point) {
    return at_roofs(point) / (point.what.units == Units::matrix ? 8 : 1);
  };
  Made one("matmul", seconds, gpu);
  one.session.roofs = {roof("DRAM copy", memory), roof("fp32 FMA", peak)};
  const auto count = [&](Dtype dtype, Units units, By by) {
    return std::ranges::count_if(one.session.points, [&](const Point& point) {
      return point.what.dtype == dtype && point.what.units == units && point.what.by == by &&
             kernels::epilogue_of(point.what) == kernels::Epilogue::none;
    });
  };
  CHECK(count(Dtype::bf16, Units::vector, By::own) == 6);
  CHECK(count(Dtype::bf16, Units::vector, By::library) == 0);
  CHECK(count(Dtype::bf16, Units::matrix, By::own) == 6);
  CHECK(count(Dtype::bf16, Units::matrix, By::library) == 6);
  CHECK(count(Dtype::fp16, Units::matrix, By::own) == 0);
  const LabVerdict verdict = one.verdict();
  CHECK(row_with(verdict, "leaves the bandwidth roof")->here->median == 512);  // that of fp32
  const VerdictRow* faster =
      row_with(verdict, "bf16 on matrix units over vector units, at 2048 rows");
  REQUIRE(faster != nullptr);
  CHECK(faster->here->median == doctest::Approx(8));

  const auto products = [&](std::vector<kernels::Kernel> kernels, std::string_view knob,
                            std::string_view text) {
    Spec spec;
    spec.lab = "matmul";
    set_knob(spec, "epilogue", "off");
    set_knob(spec, "sizes", "64,128");
    if (!knob.empty()) set_knob(spec, knob, text);
    return find_lab("matmul")
        ->plan(spec, {one.session.device, std::move(kernels), 64e9}, {spec, one.session, {}})
        .asks.size();
  };
  CHECK(products(gpu, "", "") == 4 + 6);
  CHECK(products(gpu, "both-units", "off") == 4);
  CHECK(products(gpu, "dtype", "bf16") == 4);  // the library's row says why not
  CHECK(products(gpu, "units", "matrix") == 2);
  std::vector<kernels::Kernel> turing = gpu;
  std::erase_if(turing, [](const auto& row) { return row.dtype == Dtype::bf16; });
  CHECK(products(turing, "", "") == 4 + 4);
  std::vector<kernels::Kernel> cpu = gpu;
  std::erase_if(cpu, [](const auto& row) { return row.units == Units::matrix; });
  CHECK(products(cpu, "", "") == 4);
}

TEST_CASE(
    "matmul: a bias and relu are measured at two sizes, fused and apart, and both costs are told") {
  const auto with_epilogue = [](const Point& point) {
    const bool fused = point.what.family == kernels::Family::matmul &&
                       kernels::epilogue_of(point.what) == kernels::Epilogue::bias_relu;
    return at_roofs(point) * (fused ? 1.1 : 1);
  };
  Made one = made("matmul", with_epilogue);
  const LabVerdict verdict = one.verdict();
  CHECK(verdict.says == Says::holds);
  for (const std::string at : {"256", "2048"}) {
    CAPTURE(at);
    const VerdictRow* fused = row_with(verdict, "bias and relu cost, fused, at " + at + " rows");
    REQUIRE(fused != nullptr);
    CHECK(fused->here->median == doctest::Approx(0.1).epsilon(0.01));
    CHECK(*fused->here->low < 0.1);
    const VerdictRow* apart = row_with(verdict, "the same as two more kernels, at " + at + " rows");
    REQUIRE(apart != nullptr);
    CHECK(apart->here->median > fused->here->median);
  }
  // The largest costs least apart: 16 n^2 bytes against 2 n^3 FLOP.
  CHECK(row_with(verdict, "two more kernels, at 2048")->here->median <
        row_with(verdict, "two more kernels, at 256")->here->median);
  CHECK(row_with(verdict, "best at")->here->median == 2048);

  const auto families = [&](kernels::Family family) {
    return std::ranges::count_if(one.session.points,
                                 [&](const Point& point) { return point.what.family == family; });
  };
  CHECK(families(kernels::Family::rowwise) == 2);
  CHECK(families(kernels::Family::pointwise) == 2);
  for (const Point& point : one.session.points) {
    if (point.what.family == kernels::Family::matmul) continue;
    const double rows = std::sqrt(static_cast<double>(point.what.elements));
    CHECK((rows == 256 || rows == 2048));
  }
}

TEST_CASE("matmul: without an epilogue, or with one alone, the verdict tells no cost") {
  Spec spec;
  spec.lab = "matmul";
  const Session session;
  const auto epilogues = [&](std::string_view dtype, std::string_view epilogue,
                             std::string_view sizes) {
    set_knob(spec, "dtype", dtype);
    set_knob(spec, "epilogue", epilogue);
    set_knob(spec, "sizes", sizes);
    const Plan plan =
        find_lab("matmul")->plan(spec, {session.device, {}, 64e9}, {spec, session, {}});
    return std::ranges::count_if(plan.asks, [](const Ask& ask) {
      return ask.what.family != kernels::Family::matmul ||
             kernels::epilogue_of(ask.what) != kernels::Epilogue::none;
    });
  };
  CHECK(epilogues("fp32", "off", "256,512") == 0);
  CHECK(epilogues("fp32", "on", "256,512") == 8);
  CHECK(epilogues("fp32", "on", "256") == 4);
  CHECK(epilogues("fp32", "on", "33") == 2);  // rows of no whole blocks have no kernels apart
  CHECK(epilogues("bf16", "on", "256") == 4);
  CHECK(epilogues("int8", "on", "256") == 0);
  const auto no_products = [](const Point& point) {
    return point.what.family == kernels::Family::matmul &&
                   kernels::epilogue_of(point.what) == kernels::Epilogue::none &&
                   !is_library(point) && kernels::matmul_size(point.what).m == 256
               ? 0
               : at_roofs(point);
  };
  const auto one_size = [](const Point& point) {
    const bool product = point.what.family == kernels::Family::matmul;
    return product && kernels::matmul_size(point.what).m != 256 ? 0 : at_roofs(point);
  };
  const LabVerdict short_one = made("matmul", one_size).verdict();
  CHECK(short_one.says == Says::cannot_say);
  CHECK(row_with(short_one, "fused, at 256 rows") != nullptr);
  const LabVerdict verdict = made("matmul", no_products).verdict();
  CHECK(row_with(verdict, "at 256 rows") == nullptr);
  CHECK(row_with(verdict, "fused, at 2048 rows") != nullptr);
}

TEST_CASE("matmul: bars of bias and relu stand on the product's time, fused and apart") {
  const Made one = made("matmul", at_roofs);
  const std::vector<Chart> charts =
      find_lab("matmul")->charts(results_of(one.spec.lab, one.session));
  const auto chart = std::ranges::find(charts, "matmul-epilogue", &Chart::id);
  REQUIRE(chart != charts.end());
  std::vector<std::string> bars;
  for (const Point& point : one.session.points) {
    const Row row{point, one.session};
    if (!chart->shows(row)) continue;
    REQUIRE(chart->y(row).has_value());
    const std::string bar = std::get<Label>(chart->x)(row) + ": " + chart->series(row);
    bars.push_back(bar);
    if (bar.ends_with(": product")) CHECK(chart->y(row)->median == doctest::Approx(1));
  }
  CHECK(bars == std::vector<std::string>{
                    "256 rows, apart: product", "256 rows, fused: product with bias and relu",
                    "256 rows, apart: bias", "256 rows, apart: relu", "2048 rows, apart: product",
                    "2048 rows, fused: product with bias and relu", "2048 rows, apart: bias",
                    "2048 rows, apart: relu"});
}

TEST_CASE("mlp: small batches cost no more than one row, or do, or were not measured") {
  const LabVerdict verdict = made("mlp", at_roofs).verdict();
  CHECK(verdict.says == Says::holds);
  // The weights take 4 MiB / 20 GB/s, a row 2 us.
  CHECK(row_with(verdict, "hardly moves")->here->median == 64);
  CHECK(row_with(verdict, "hardly moves")->says == Says::holds);
  CHECK(row_with(verdict, "as long as the weights")->here->median == doctest::Approx(100));
  CHECK(row_with(verdict, "twice the batch")->here->median == doctest::Approx(2).epsilon(0.01));
  CHECK(made("mlp", [](const Point& p) { return p.work.flops / peak; }).verdict().says ==
        Says::differs);
  CHECK(made("mlp", [](const Point&) { return 1e-3; }).verdict().says == Says::differs);
  const auto one_row = [](const Point& point) {
    return kernels::matmul_size(point.what).m > 1 ? 0 : at_roofs(point);
  };
  CHECK(made("mlp", one_row).verdict().says == Says::cannot_say);
}

TEST_CASE("quantization: the runtime follows the waves of tiles, or the size, or cannot be told") {
  const auto by_waves = [](const Point& point) { return 1e-4 * waves(point); };
  const LabVerdict verdict = made("quantization", by_waves).verdict();
  CHECK(verdict.says == Says::holds);
  REQUIRE(verdict.rows.size() == 2);  // from 3 and 4 tiles to one more
  CHECK(verdict.rows[0].what == "192 to 193 rows: 9 to 16 waves");
  CHECK(verdict.rows[0].claimed->median == doctest::Approx(16.0 / 9));
  CHECK(verdict.rows[0].here->median == doctest::Approx(16.0 / 9));
  CHECK(made("quantization", [](const Point& p) { return p.work.flops / peak; }).verdict().says ==
        Says::differs);
  const auto ours_missing = [&](const Point& point) {
    return is_library(point) ? by_waves(point) : 0;
  };
  CHECK(made("quantization", ours_missing).verdict().says == Says::cannot_say);
  const auto near_border = [&](const Point& point) {
    const bool above = kernels::matmul_size(point.what).m % kernels::matmul_tile == 1;
    return by_waves(point) * (above ? 1.13 : 1);
  };
  CHECK(made("quantization", near_border).verdict().says == Says::cannot_say);
}

TEST_CASE("quantization: the predicted staircase is a curve beside the points") {
  const Made points = made("quantization", [](const Point& p) { return 1e-4 * waves(p); });
  const Results results = results_of(points.spec.lab, points.session);
  const std::vector<Chart> charts = find_lab("quantization")->charts(results);
  REQUIRE(charts.size() == 2);
  REQUIRE(charts[1].curves.size() == 1);
  const Curve& curve = charts[1].curves.front();
  CHECK(curve.x.front() == 192);
  CHECK(curve.y.front() == doctest::Approx(9e-4));
  CHECK(curve.x[1] == 193);
  CHECK(curve.y[1] == doctest::Approx(16e-4));
}

TEST_CASE(
    "mlp: the verdict is of our kernel, or of the library where ours wastes its time at one row") {
  const auto whole_tiles = [](const Point& point) {
    return is_library(point) ? at_roofs(point) : std::max(at_roofs(point), 1e-2);
  };
  const LabVerdict theirs = made("mlp", whole_tiles).verdict();
  CHECK(theirs.says == Says::holds);
  CHECK(row_with(theirs, "one row (library)") != nullptr);
  const auto faster_library = [](const Point& point) {
    return at_roofs(point) * (is_library(point) ? 0.3 : 1);
  };
  CHECK(row_with(made("mlp", faster_library).verdict(), "one row (our kernel)") != nullptr);
}

TEST_CASE("auto is a value of knobs that go by the device, and of no other") {
  Spec spec;
  set_knob(spec, "sizes", "auto");
  CHECK(spec.more.at("sizes") == "auto");
  set_knob(spec, "width", "2048");
  set_knob(spec, "width", "auto");
  CHECK(spec.more.at("width") == "auto");
  CHECK_THROWS_AS(set_knob(spec, "depth", "auto"), BadInput);
}

TEST_CASE("on many cores the labs of products take larger sizes, and waves are those of its tile") {
  Session session;
  session.device.kind = "cuda";
  session.device.multiprocessors = 132;
  session.device.product_tile = 128;
  const Place place{session.device, {}, 140e9};
  const auto plan_of = [&](std::string_view lab) {
    Spec spec;
    spec.lab = lab;
    return find_lab(lab)->plan(spec, place, {spec, session, {}}).asks;
  };
  const auto largest = [](const std::vector<Ask>& asks) {
    std::uint64_t most = 0;
    for (const Ask& ask : asks) most = std::max(most, kernels::matmul_size(ask.what).n);
    return most;
  };
  CHECK(largest(plan_of("matmul")) == 8192);
  CHECK(largest(plan_of("mlp")) == 8192);
  CHECK(largest(plan_of("precision")) == 4096);
  Spec spec;
  spec.lab = "quantization";
  for (const Ask& ask : plan_of("quantization")) {
    Point point;
    point.lab = spec.lab;
    point.what = ask.what;
    point.work = kernels::work_of(ask.what);
    const auto waves = kernels::matmul_waves(kernels::matmul_size(ask.what), 132, 128);
    const double median = 1e-4 * static_cast<double>(waves);
    point.seconds = {median, 0.98 * median, 1.03 * median, std::vector<double>(7, median), {}};
    session.points.push_back(point);
  }
  const LabVerdict verdict = find_lab("quantization")->verdict(results_of(spec.lab, session));
  CHECK(verdict.says == Says::holds);
  // 11 x 11 tiles are one round of 132 multiprocessors, 16 x 16 are two.
  REQUIRE(verdict.rows.size() == 3);
  CHECK(verdict.rows[0].what == "1408 to 1409 rows: 1 to 2 waves");
  CHECK(verdict.rows[1].what == "2048 to 2049 rows: 2 to 3 waves");
}

TEST_CASE("a verdict on matrix products that rests on disturbed points is not sure") {
  const auto by_waves = [](const Point& point) { return 1e-4 * waves(point); };
  const std::vector<std::pair<std::string_view, test::Seconds>> labs{
      {"matmul", at_roofs}, {"mlp", at_roofs}, {"quantization", by_waves}};
  for (const auto& [lab, seconds] : labs) {
    CAPTURE(lab);
    Made one = made(lab, seconds);
    REQUIRE(one.verdict().says == Says::holds);
    for (Point& point : one.session.points) point.disturbed = true;
    CHECK(one.verdict().says == Says::cannot_say);
  }
}

TEST_CASE("what the labs of products say goes by their run, and without one by their points") {
  Spec asked;
  asked.dtypes = {kernels::Dtype::bf16};
  asked.units = UnitsChoice::matrix;
  const auto by_waves = [](const Point& point) { return 1e-4 * waves(point); };
  const std::vector<std::pair<std::string_view, test::Seconds>> labs{
      {"matmul", at_roofs}, {"mlp", at_roofs}, {"quantization", by_waves}};
  for (const auto& [lab, seconds] : labs) {
    CAPTURE(lab);
    Made one(lab, seconds, {}, asked);
    Roof matrix = roof("bf16 matrix", peak);
    matrix.dtype = kernels::Dtype::bf16;
    matrix.units = kernels::Units::matrix;
    one.session.roofs = {roof("DRAM copy", memory), matrix};
    const LabVerdict then = one.verdict();
    const auto curves = [&] {
      std::size_t count = 0;
      for (const Chart& chart : find_lab(lab)->charts(results_of(one.spec.lab, one.session)))
        count += chart.curves.size();
      return count;
    };
    const std::size_t curves_then = curves();
    CHECK(then.says == Says::holds);
    one.session.runs = runs_told_by(one.session);
    CHECK(one.verdict().headline == then.headline);
    CHECK(one.verdict().rows.size() == then.rows.size());
    CHECK(curves() == curves_then);
  }
}
