#include "ui/figures/figures.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "engine/verdict/overhead.hpp"
#include "engine/verdict/predict.hpp"
#include "tests/figures/figure_finders.hpp"
#include "tests/figures/sample_sessions.hpp"

using kernels::Case;
using kernels::Dtype;
using plot::Figure;
using plot::Mark;
using test::elements;
using test::find_mark;
using test::find_roof;
using test::find_series;
using ui::figure_of;
using ui::overlay_of;
using ui::View;
using ui::XAxis;

TEST_CASE("Charts have ids that lead back to them") {
  for (const engine::Chart& chart : engine::all_charts())
    CHECK(engine::find_chart(chart.id) == &chart);
  CHECK(engine::find_chart("all") == nullptr);
  CHECK(engine::find_chart("") == nullptr);
}

TEST_CASE("Horizontal axes have names that lead back to them") {
  for (const XAxis axis : {XAxis::repeat, XAxis::intensity, XAxis::both})
    CHECK(ui::x_axis_named(ui::name_of(axis)) == axis);
  CHECK_FALSE(ui::x_axis_named("ops"));
}

TEST_CASE("FLOP/byte stand above the panels over repeat, when asked for") {
  engine::Session session = test::cpu_session();
  std::erase_if(session.points, [](const engine::Point& p) { return p.what.dtype == Dtype::bf16; });
  for (const engine::Chart& panel : {test::chart("runtime"), test::chart("flops"),
                                     test::chart("bandwidth"), test::chart("speedup")}) {
    CAPTURE(panel.id);
    const Figure figure = figure_of({&session}, panel, {.x = XAxis::both});
    REQUIRE(figure.above);
    CHECK(figure.above->factor == doctest::Approx(0.25));  // 2 FLOP for each 8 bytes
    CHECK(figure.above->unit == "FLOP/byte");
    CHECK(figure.x.title == "Ops per element");
    CHECK_FALSE(figure_of({&session}, panel, {}).above);
    CHECK_FALSE(figure_of({&session}, panel, {.x = XAxis::intensity}).above);
  }
  CHECK_FALSE(figure_of({&session}, test::chart("roofline"), {.x = XAxis::both}).above);
  CHECK_FALSE(figure_of({&session}, test::chart("levels"), {.x = XAxis::both}).above);
}

TEST_CASE("An axis above that does not hold for all fused series names the slider's or the first") {
  const engine::Session session = test::cpu_session();  // fp32 and bf16: 4 and 2 bytes
  View view{.x = XAxis::both};
  for (const engine::Chart& panel : {test::chart("runtime"), test::chart("speedup")}) {
    const Figure figure = figure_of({&session}, panel, view);
    REQUIRE(figure.above);
    CHECK(figure.above->factor == doctest::Approx(0.25));
    CHECK(figure.above->title == "Arithmetic intensity, fp32 fused");
  }
  for (const plot::Series& series : figure_of({&session}, test::chart("runtime"), view).series) {
    if (series.name == "fp32 fused") view.hidden.insert(series.id);
  }
  const Figure bf16 = figure_of({&session}, test::chart("runtime"), view);
  REQUIRE(bf16.above);
  CHECK(bf16.above->factor == doctest::Approx(0.5));
  CHECK(bf16.above->title == "Arithmetic intensity, fused");
  view.hidden.clear();
  view.cursor = Case{.dtype = Dtype::bf16, .elements = elements, .repeat = 8};
  const Figure slider = figure_of({&session}, test::chart("runtime"), view);
  REQUIRE(slider.above);
  CHECK(slider.above->factor == doctest::Approx(0.5));
  CHECK(slider.above->title == "Arithmetic intensity, bf16 fused");
  engine::Session unfused = session;
  std::erase_if(unfused.points,
                [](const engine::Point& p) { return p.what.fusion == kernels::Fusion::fused; });
  CHECK_FALSE(figure_of({&unfused}, test::chart("runtime"), {.x = XAxis::both}).above);
}

TEST_CASE("Before the first point the slider's case says what stands above") {
  engine::Session session = test::cpu_session();
  session.points.clear();
  View view{.x = XAxis::both};
  CHECK_FALSE(figure_of({&session}, test::chart("runtime"), view).above);
  view.cursor = Case{.dtype = Dtype::bf16, .elements = elements, .repeat = 8};
  const auto above = figure_of({&session}, test::chart("runtime"), view).above;
  REQUIRE(above);
  CHECK(above->factor == doctest::Approx(0.5));
}

TEST_CASE("A series is named for dtype, fusion and matrix units") {
  engine::Point point;
  CHECK(ui::series_name(point) == "fp32 fused");
  point.what = {.family = kernels::Family::tile,
                .ops = kernels::Op::mma,
                .dtype = Dtype::bf16,
                .fusion = kernels::Fusion::unfused,
                .units = kernels::Units::matrix};
  CHECK(ui::series_name(point) == "bf16 unfused matrix");
}

TEST_CASE(
    "The roofline plots achieved FLOP/s over moved bytes, so all unfused points share one "
    "intensity") {
  const engine::Session session = test::cpu_session();
  const Figure figure = figure_of({&session}, test::chart("roofline"), {});
  const plot::Series* fused = find_series(figure, "fp32 fused");
  const plot::Series* unfused = find_series(figure, "fp32 unfused");
  REQUIRE(fused != nullptr);
  REQUIRE(unfused != nullptr);
  CHECK(fused->points->x.size() == 11);
  CHECK(fused->points->x[0] == doctest::Approx(0.25));
  CHECK(fused->points->x[10] == doctest::Approx(256));
  CHECK(fused->points->y[10] == doctest::Approx(0.95 * 237e9));
  for (const double x : unfused->points->x) CHECK(x == doctest::Approx(0.25));
  CHECK(fused->marker == plot::Marker::circle);
  CHECK(unfused->marker == plot::Marker::square);
  CHECK(fused->colour == unfused->colour);
  CHECK_FALSE(fused->filled);
  CHECK(fused->core == plot::Core::none);
}

TEST_CASE("Runtime, throughput and bandwidth are the same points in their own units") {
  const engine::Session session = test::cpu_session();
  for (const XAxis axis : {XAxis::repeat, XAxis::intensity}) {
    const View view{.x = axis};
    const Figure runtime = figure_of({&session}, test::chart("runtime"), view),
                 flops = figure_of({&session}, test::chart("flops"), view),
                 bandwidth = figure_of({&session}, test::chart("bandwidth"), view);
    const plot::Series *t = find_series(runtime, "fp32 fused"),
                       *f = find_series(flops, "fp32 fused"),
                       *b = find_series(bandwidth, "fp32 fused");
    REQUIRE((t != nullptr && f != nullptr && b != nullptr));
    for (std::size_t i = 0; i < t->points->x.size(); ++i) {
      const double repeat = std::pow(2.0, static_cast<double>(i));
      CHECK(t->points->x[i] == doctest::Approx(axis == XAxis::repeat ? repeat : repeat / 4));
      CHECK(t->points->y[i] * f->points->y[i] == doctest::Approx(elements * repeat * 2.0));
      CHECK(t->points->y[i] * b->points->y[i] == doctest::Approx(elements * 8.0));
      CHECK(f->points->low[i] < f->points->y[i]);
      CHECK(f->points->high[i] > f->points->y[i]);
    }
    CHECK(runtime.y.unit == "s");
    CHECK(flops.y.unit == "FLOP/s");
    CHECK(bandwidth.y.unit == "B/s");
    CHECK(runtime.x.unit == (axis == XAxis::repeat ? "" : "FLOP/byte"));
  }
}

TEST_CASE("Roofs are cut at the ridge: the slope ends where the highest flat roof begins") {
  const engine::Session session = test::cpu_session();
  const Figure figure = figure_of({&session}, test::chart("roofline"), {});
  const plot::Roof *dram = find_roof(figure, "DRAM copy 35.1 GB/s (measured)"),
                   *fp32 = find_roof(figure, "fp32 FMA 237 GFLOP/s (measured)");
  REQUIRE((dram != nullptr && fp32 != nullptr));
  CHECK(dram->x.back() == doctest::Approx(237 / 35.1));
  CHECK(dram->y.back() == doctest::Approx(237e9));
  CHECK(dram->dash == plot::Dash::solid);
  CHECK(dram->colour == -1);
  CHECK(fp32->x.front() == doctest::Approx(237 / 35.1));
  CHECK(fp32->y.front() == fp32->y.back());
  CHECK(fp32->colour == find_series(figure, "fp32 fused")->colour);
  const auto ridges = std::ranges::count(figure.marks, Mark::Kind::ridge, &Mark::kind);
  CHECK(ridges == 2);
  CHECK(find_mark(figure, Mark::Kind::ridge)->label == "ridge 6.75 FLOP/byte");
}

TEST_CASE("Datasheet roofs are dashed and can be left out") {
  const engine::Session session = test::gpu_session();
  const Figure with = figure_of({&session}, test::chart("roofline"), {});
  const plot::Roof* sheet = find_roof(with, "bf16 matrix 989 TFLOP/s (datasheet)");
  REQUIRE(sheet != nullptr);
  CHECK(sheet->dash == plot::Dash::dashed);
  const Figure without = figure_of({&session}, test::chart("roofline"), {.datasheet_roofs = false});
  for (const plot::Roof& roof : without.roofs) CHECK(roof.dash == plot::Dash::solid);
}

TEST_CASE("Below what a launch takes the runtime panel names the overhead, where that is near") {
  engine::Session session = test::cpu_session();
  session.roofs.push_back(test::launches(5e-6));
  const Figure long_runs = figure_of({&session}, test::chart("runtime"), {});
  REQUIRE(long_runs.regions.size() == 1);
  CHECK(long_runs.regions[0].name == "launch overhead 5.00 \u00b5s");
  CHECK(long_runs.y.low > 5e-6);  // nothing takes the axis down to it
  session.points.clear();
  test::add_sweep(session, {.elements = 1000}, 1, 64, 1);
  const Figure short_runs = figure_of({&session}, test::chart("runtime"), {});
  const double share =
      std::log(5e-6 / short_runs.y.low) / std::log(short_runs.y.high / short_runs.y.low);
  CHECK(share > 0.12);  // room for the name
  CHECK(share < 0.5);
  for (const engine::Chart& panel : {test::chart("flops"), test::chart("bandwidth")})
    CHECK(figure_of({&session}, panel, {}).regions.empty());
}

TEST_CASE(
    "The floor of the runtime panel is the least overhead of the points shown, launched as they "
    "were") {
  engine::Session session = test::cpu_session();
  session.device.kind = "cuda";
  session.roofs.push_back(test::launches(4.05e-6));
  engine::Roof of_chain = test::launches(870e-9);
  of_chain.name = "overhead chain fp32 graph";
  session.roofs.push_back(of_chain);
  session.points.clear();
  test::add_sweep(session, {.elements = 512}, 1, 64, 1);
  const auto floor = [&] {
    const Figure figure = figure_of({&session}, test::chart("runtime"), {});
    REQUIRE(figure.regions.size() == 1);
    return figure.regions[0].name;
  };
  CHECK(floor() == "launch overhead 4.05 \u00b5s");  // in a stream
  for (engine::Point& point : session.points) point.launched = kernels::Launched::graph;
  CHECK(floor() == "overhead chain fp32 graph 870 ns");
  const engine::Point& point = session.points.front();
  CHECK(engine::overhead_of(session, point).seconds == doctest::Approx(870e-9));
  CHECK(engine::judge(session, point).overhead.find("takes 870 ns") != std::string::npos);
  CHECK(engine::predict(session, point).overhead_seconds == doctest::Approx(870e-9));
}

TEST_CASE("The runtime panel has no floor of a way in which nothing was launched") {
  engine::Session session = test::cpu_session();
  session.device.kind = "cuda";
  session.roofs.push_back(test::launches(4.05e-6));  // in a stream
  session.points.clear();
  test::add_sweep(session, {.elements = 512}, 1, 64, 1);
  for (engine::Point& point : session.points) point.launched = kernels::Launched::graph;
  CHECK(figure_of({&session}, test::chart("runtime"), {}).regions.empty());
}

TEST_CASE("The launch floor is a line and a zone in the colour of overhead, and in sight") {
  engine::Session session = test::cpu_session();
  session.roofs.push_back(test::launches(5e-6));
  session.points.clear();
  test::add_sweep(session, {.elements = 100000}, 1, 64, 1);
  const Figure figure = figure_of({&session}, test::chart("runtime"), {});
  REQUIRE(figure.regions.size() == 1);
  CHECK(figure.regions[0].regime == plot::Regime::overhead);
  CHECK(figure.regions[0].edge);
  CHECK(figure.regions[0].y.front() == doctest::Approx(5e-6));
  CHECK(figure.y.low < 5e-6);
}

TEST_CASE("Only compute roofs of what was measured are shown") {
  engine::Session session = test::cpu_session();
  std::erase_if(session.points, [](const engine::Point& p) { return p.what.dtype == Dtype::bf16; });
  const Figure figure = figure_of({&session}, test::chart("roofline"), {});
  CHECK(find_roof(figure, "bf16") == nullptr);
  session.points.clear();
  CHECK(find_roof(figure_of({&session}, test::chart("roofline"), {}), "bf16") != nullptr);
}

TEST_CASE("An earlier run is faded and shares the name of the newer one") {
  const engine::Session session = test::gpu_session();
  const Figure figure = figure_of({&session}, test::chart("roofline"), {});
  CHECK(find_series(figure, "fp32 fused", true) != nullptr);
  CHECK(find_series(figure, "fp32 fused", false) != nullptr);
  CHECK(find_series(figure, "fp32 unfused", true) == nullptr);
  CHECK(find_series(figure, "bf16 fused matrix")->filled);
}

TEST_CASE("Kernels are named but for chains of FMAs, elements only where they differ") {
  engine::Session session = test::cpu_session();
  test::add_sweep(session, {.ops = kernels::Op::mul, .elements = elements}, 1, 8, 0.9);
  test::add_sweep(session, {.fusion = kernels::Fusion::unfused, .elements = 1000}, 1, 8, 0.9);
  test::add_sweep(session, {.family = kernels::Family::tile, .elements = elements}, 1, 8, 0.9);
  const Figure figure = figure_of({&session}, test::chart("runtime"), {});
  CHECK(find_series(figure, "fp32 fused mul") != nullptr);
  CHECK(find_series(figure, "fp32 fused") != nullptr);
  CHECK(find_series(figure, "fp32 fused tile") != nullptr);
  CHECK(find_series(figure, "fp32 unfused, 64 Mi elements") != nullptr);
  CHECK(find_series(figure, "bf16 fused") != nullptr);
}

TEST_CASE("The window shows the slider's points, a picture leaves them out") {
  engine::Session session = test::cpu_session();
  session.points.front().probe = true;
  const auto probes_in = [&](const View& view) {
    return std::ranges::count(overlay_of({&session}, test::chart("runtime"), view).marks,
                              plot::Mark::Kind::probe, &plot::Mark::kind);
  };
  CHECK(probes_in({}) == 1);
  // Nor does its title or a roof speak of what the slider alone did.
  std::erase_if(session.points, [](const engine::Point& point) {
    return !point.probe && point.what.dtype == Dtype::fp32;
  });
  session.points.front().what.dtype = Dtype::fp32;
  const plot::Page page = ui::page_of({&session}, &test::chart("roofline"), {});
  CHECK(page.title.find("fp32") == std::string::npos);
  CHECK(find_roof(figure_of({&session}, test::chart("roofline"), {}),
                  "fp32 FMA 237 GFLOP/s (measured)") != nullptr);
  CHECK(find_roof(page.figures.front(), "fp32 FMA 237 GFLOP/s (measured)") == nullptr);
  View elsewhere{.cursor = session.points.front().what};
  elsewhere.cursor->family = kernels::Family::tile;
  CHECK(probes_in(elsewhere) == 0);
  std::erase_if(session.points, [](const engine::Point& point) { return !point.probe; });
  CHECK_FALSE(
      ui::page_of({&session}, &test::chart("runtime"), {}).figures.front().empty_text.empty());
}

TEST_CASE("Two devices are told apart by name and dashes, and each has its roofs") {
  const engine::Session gpu = test::gpu_session(), cpu = test::cpu_session();
  const Figure figure = figure_of({&gpu, &cpu}, test::chart("roofline"), {});
  const plot::Series *of_gpu = find_series(figure, "fp32 fused, NVIDIA H200"),
                     *of_cpu = find_series(figure, "fp32 fused, AMD EPYC 9B14");
  REQUIRE((of_gpu != nullptr && of_cpu != nullptr));
  CHECK(of_gpu->dash == plot::Dash::solid);
  CHECK(of_cpu->dash == plot::Dash::dashed);
  CHECK(find_roof(figure, "AMD EPYC 9B14: DRAM copy") != nullptr);
}

TEST_CASE("A point at the slider alone takes neither roofs nor colours from a recording") {
  const engine::Session recording = test::cpu_session();
  engine::Session own = recording;
  for (engine::Point& point : own.points) point.probe = true;
  for (engine::Roof& roof : own.roofs) roof.rate /= 2;
  const Figure alone = figure_of({&recording}, test::chart("roofline"), {});
  const Figure beside = figure_of({&own, &recording}, test::chart("roofline"), {});
  REQUIRE(beside.series.size() == alone.series.size());
  for (const plot::Series& series : beside.series) CHECK_FALSE(series.faded);
  REQUIRE(beside.roofs.size() == alone.roofs.size());
  for (std::size_t i = 0; i < alone.roofs.size(); ++i)
    CHECK(beside.roofs[i].label == alone.roofs[i].label);
}

TEST_CASE("Two sessions of one device are told apart by dates and dashes, and share its roofs") {
  engine::Session now = test::cpu_session(), before = test::cpu_session();
  before.created = "2026-11-20T09:30:00Z";
  const Figure figure = figure_of({&now, &before}, test::chart("roofline"), {});
  const plot::Series *of_now = find_series(figure, "fp32 fused, 2026-11-21 10:00 UTC"),
                     *of_before = find_series(figure, "fp32 fused, 2026-11-20 09:30 UTC");
  REQUIRE((of_now != nullptr && of_before != nullptr));
  CHECK(of_now->id != of_before->id);
  CHECK_FALSE(of_before->faded);
  CHECK(of_now->dash == plot::Dash::solid);
  CHECK(of_before->dash == plot::Dash::dashed);
  CHECK(std::ranges::count_if(
            figure.roofs, [](const plot::Roof& r) { return r.label.starts_with("DRAM"); }) == 1);
}

TEST_CASE("Skipped and failed points are not drawn") {
  engine::Session session = test::cpu_session();
  const std::size_t before =
      find_series(figure_of({&session}, test::chart("runtime"), {}), "fp32 fused")->points->size();
  for (engine::Point& point : session.points) {
    if (point.what.repeat == 4) point.status = engine::Status::skipped;
    if (point.what.repeat == 8) point.status = engine::Status::failed;
  }
  CHECK(find_series(figure_of({&session}, test::chart("runtime"), {}), "fp32 fused")
            ->points->size() == before - 2);
}

TEST_CASE("Integer arithmetic is counted in OP") {
  engine::Session session = test::cpu_session();
  session.points.clear();
  session.roofs.push_back(test::compute(Dtype::int32, kernels::Units::vector, 1e11));
  test::add_sweep(session, {.dtype = Dtype::int32, .elements = elements}, 1, 64, 0.9);
  const Figure figure = figure_of({&session}, test::chart("roofline"), {});
  CHECK(figure.x.unit == "OP/byte");
  CHECK(figure.y.unit == "OP/s");
  CHECK(find_roof(figure, "int32 FMA 100 GOP/s") != nullptr);
}

TEST_CASE("Hidden series stay in the figure, hidden") {
  const engine::Session session = test::cpu_session();
  const Figure figure = figure_of({&session}, test::chart("roofline"),
                                  {.hidden = {ui::series_id(session, session.points.front())}});
  REQUIRE(find_series(figure, "fp32 fused") != nullptr);
  CHECK(find_series(figure, "fp32 fused")->hidden);
  CHECK_FALSE(find_series(figure, "bf16 fused")->hidden);
}

TEST_CASE("Without points a figure says what to do, or why it could not be") {
  CHECK_FALSE(figure_of({}, test::chart("roofline"), {}).empty_text.empty());
  engine::Session session;
  CHECK(figure_of({&session}, test::chart("runtime"), {}).empty_text.find("ridgepoint sweep") !=
        std::string::npos);
  session.points.push_back(test::skipped_point("no memory"));
  CHECK(figure_of({&session}, test::chart("runtime"), {}).empty_text ==
        "No point could be measured: no memory");
}

TEST_CASE("Every fitted panel shows all its points") {
  for (const engine::Session& session : {test::cpu_session(), test::gpu_session()}) {
    for (const engine::Chart& panel : test::sweep_charts()) {
      const Figure figure = figure_of({&session}, panel, {});
      for (const plot::Series& series : figure.series) {
        const plot::Points& points = *series.points;
        for (std::size_t i = 0; i < points.x.size(); ++i) {
          CHECK(points.x[i] > figure.x.low);
          CHECK(points.x[i] < figure.x.high);
          CHECK(points.y[i] > figure.y.low);
          CHECK(points.y[i] < figure.y.high);
        }
      }
    }
  }
}
