// Zoom, hover, redraw policy: the window's pure parts.
#include <doctest/doctest.h>

#include <cmath>
#include <optional>

#include "tests/figures/sample_sessions.hpp"
#include "tests/model/fake_state.hpp"
#include "ui/figures/figures.hpp"
#include "ui/figures/plotted.hpp"
#include "ui/model/zoom.hpp"
#include "ui/screen/hover.hpp"
#include "ui/screen/limits.hpp"
#include "ui/screen/redraw.hpp"

using doctest::Approx;
using ui::XAxis;

namespace {

/// x 1..1000 and y 1..1e6 on a plot of 300 x 600 pixels at (100, 50).
plot::Transform square() {
  plot::Transform transform;
  transform.x = {"", "", 1, 1000, true, true};
  transform.y = {"", "", 1, 1e6, true, true};
  transform.plot = {100, 50, 300, 600};
  return transform;
}

/// Of the runtime panel.
ui::PointMap point_map(const std::vector<const engine::Session*>& sessions, const ui::View& view,
                       const plot::Transform& transform) {
  return {ui::plotted(sessions, test::chart("runtime"), view), transform};
}

}  // namespace

TEST_CASE("zooming keeps what is under the pointer where it is") {
  const ui::Range range = ui::zoomed({1, 10000}, 100, 0.5);
  CHECK(range.low == Approx(10));
  CHECK(range.high == Approx(1000));
  const ui::Range off_centre = ui::zoomed({1, 10000}, 10, 0.5);
  const double before = std::log10(10.0) / 4;
  const double after =
      std::log10(10 / off_centre.low) / std::log10(off_centre.high / off_centre.low);
  CHECK(after == Approx(before));
}

TEST_CASE("zooming ends before axes lose their meaning") {
  ui::Range range{1, 1000};
  for (int i = 0; i < 500; ++i) range = ui::zoomed(range, 30, 0.8);
  CHECK(range.high > range.low);
  CHECK(range.low < 30);
  CHECK(range.high > 30);
  for (int i = 0; i < 500; ++i) range = ui::zoomed(range, 30, 1.3);
  CHECK(range.low > 0);
  CHECK(std::isfinite(range.high));
}

TEST_CASE("panning moves both ends by the same share of a log axis") {
  const ui::Range range = ui::panned({1, 100}, 0.5);
  CHECK(range.low == Approx(10));
  CHECK(range.high == Approx(1000));
  ui::Range far{1, 100};
  for (int i = 0; i < 1000; ++i) far = ui::panned(far, 1);
  CHECK(std::isfinite(far.high));
}

TEST_CASE("a linear axis is zoomed around a place and panned by shares of its length") {
  const ui::Range range = ui::zoomed({0, 10}, 2, 0.5, false);
  CHECK(range.low == Approx(1));
  CHECK(range.high == Approx(6));
  CHECK(ui::panned({0, 10}, 0.25, false).low == Approx(2.5));
  ui::Range close{0, 1};
  for (int i = 0; i < 500; ++i) close = ui::zoomed(close, 0.3, 0.5, false);
  CHECK(close.low < close.high);
}

TEST_CASE("charts over repeat share their x axis, the roofline has its own") {
  ui::ZoomState zoom;
  zoom.x["repeat"] = ui::Range{2, 20};
  plot::Figure figure;
  ui::apply_zoom(zoom, test::chart("bandwidth"), figure);
  CHECK(figure.x.low == 2);
  plot::Figure roofline;
  ui::apply_zoom(zoom, test::chart("roofline"), roofline);
  CHECK(roofline.x.low == 1);
  ui::fit_chart(zoom, test::chart("flops"));
  CHECK_FALSE(zoom.x.contains("repeat"));
}

TEST_CASE("a point lies where its panel's axes say") {
  const engine::Point point = fake::point(64);
  const engine::Session session;
  const auto place = [&](const char* id, XAxis axis) {
    return ui::place_of(ui::as_viewed(test::chart(id), axis), {point, session, {}}).value();
  };
  CHECK(place("roofline", XAxis::repeat).x == Approx(16));
  CHECK(place("runtime", XAxis::repeat).x == 64);
  CHECK(place("runtime", XAxis::intensity).x == Approx(16));
  CHECK(place("bandwidth", XAxis::repeat).y == Approx(point.work.bytes / point.seconds.median));
  CHECK_FALSE(ui::place_of(test::chart("speedup"), {point, session, {}}));  // a quotient
}

TEST_CASE("the pointer finds the nearest visible point, within its reach") {
  engine::Session session;
  session.points = {fake::point(10), fake::point(100)};
  for (engine::Point& point : session.points) point.seconds.median = 1000;
  const plot::Transform transform = square();
  const plot::Vec at = transform.to_pixel(100, 1000);
  ui::View view;
  const auto near = point_map({&session}, view, transform).nearest({at.x + 5, at.y}, 12);
  REQUIRE(near);
  CHECK(near->point == 1);
  CHECK_FALSE(point_map({&session}, view, transform).nearest({at.x + 20, at.y}, 12));
  view.hidden.insert(ui::series_id(session, session.points[1]));
  CHECK_FALSE(point_map({&session}, view, transform).nearest(at, 12));
}

TEST_CASE("a series stays hidden, from the pointer too, when its name grows beside another one") {
  engine::Session session;
  session.points = {fake::point(10), fake::point(100)};
  for (engine::Point& point : session.points) point.seconds.median = 1000;
  ui::View view;
  view.hidden.insert(ui::series_id(session, session.points[0]));
  session.points.push_back(fake::point(200));
  session.points.back().what.elements *= 2;
  session.points.back().seconds.median = 1000;
  const plot::Figure figure = ui::figure_of({&session}, test::chart("runtime"), view);
  REQUIRE(figure.series.size() == 2);
  CHECK(figure.series[0].name == "fp32 fused, 1 Mi elements");
  CHECK(figure.series[0].hidden);
  CHECK_FALSE(figure.series[1].hidden);
  const plot::Transform transform = square();
  const auto at = [&](double repeat) {
    return point_map({&session}, view, transform).nearest(transform.to_pixel(repeat, 1000), 12);
  };
  CHECK_FALSE(at(10));
  REQUIRE(at(200));
  CHECK(at(200)->point == 2);
}

TEST_CASE("the pointer reads a point of the speed-up panel, which is a quotient of two") {
  engine::Session session;
  session.points = {fake::point(10), fake::point(10)};
  session.points[0].what.fusion = kernels::Fusion::unfused;
  session.points[0].seconds.median = 8;
  session.points[1].seconds.median = 2;
  const plot::Figure figure = ui::figure_of({&session}, test::chart("speedup"), {});
  REQUIRE(figure.series.size() == 1);
  const plot::Transform transform = square();
  const plot::Vec at = transform.to_pixel(10, 4);
  CHECK_FALSE(ui::nearest_drawn(figure, transform, {at.x + 20, at.y}, 12));
  const auto found = ui::nearest_drawn(figure, transform, {at.x + 5, at.y}, 12);
  REQUIRE(found);
  const std::vector<ui::Reading> rows = ui::readings_of(engine::metrics::factor, figure, *found);
  CHECK(rows.at(1).value == "4x");
  plot::Figure hidden = figure;
  hidden.series[0].hidden = true;
  CHECK_FALSE(ui::nearest_drawn(hidden, transform, at, 12));
}

TEST_CASE("the pointer finds probes that are drawn: the newest dozen of the measured device") {
  engine::Session session;
  for (std::uint64_t repeat = 1; repeat <= 20; ++repeat) {
    session.points.push_back(fake::point(repeat * 40));
    session.points.back().probe = true;
    session.points.back().seconds.median = 1000;
  }
  const plot::Transform transform = square();
  const auto at = [&](std::uint64_t repeat, const std::vector<const engine::Session*>& sessions) {
    return point_map(sessions, {}, transform)
        .nearest(transform.to_pixel(static_cast<double>(repeat), 1000), 1);
  };
  CHECK(at(800, {&session}));
  CHECK(at(9 * 40, {&session}));
  CHECK_FALSE(at(8 * 40, {&session}));
  const engine::Session own;
  CHECK_FALSE(at(800, {&own, &session}));
}

TEST_CASE("the cross-hair reads every axis with the unit that the axis shows") {
  engine::Session floats, integers;
  floats.points = {fake::point(4)};
  integers.points = {fake::point(4)};
  integers.points[0].what.dtype = kernels::Dtype::int32;
  for (const engine::Session* session : {&floats, &integers}) {
    for (const XAxis x : {XAxis::repeat, XAxis::intensity, XAxis::both}) {
      for (const engine::Chart& panel : test::sweep_charts()) {
        ui::View view;
        view.x = x;
        const plot::Figure figure = ui::figure_of({session}, panel, view);
        for (const plot::Axis& axis : {figure.x, figure.y}) {
          CAPTURE(axis.unit);
          const std::string text = ui::on_axis(axis, 2.5e9);
          CHECK(text.ends_with(axis.unit == "B/s" ? std::string("B/s") : axis.unit));
          CHECK((axis.unit.empty() || !axis.si_prefix || text.size() <= 13));
        }
      }
    }
  }
  CHECK(ui::on_axis(ui::figure_of({&floats}, test::chart("bandwidth"), {}).y, 2.63e11) ==
        "263 GB/s");
  CHECK(ui::on_axis(ui::figure_of({&integers}, test::chart("roofline"), {}).x, 16) == "16 OP/byte");
}

TEST_CASE("the pointer reads a bar and a span") {
  plot::Figure figure;
  figure.x = {"", "", 1, 1000, true, true};
  figure.y = {"", "", 1, 1e6, true, true};
  plot::Series& bars = figure.series.emplace_back();
  bars.name = "vector";
  bars.bar = 2;
  bars.points = plot::Points{{10}, {1000}};
  const plot::Transform transform = square();
  const auto at = [&](double x, double y) {
    return ui::solid_at(figure, engine::metrics::runtime, transform, transform.to_pixel(x, y));
  };
  REQUIRE(at(10.5, 500));
  CHECK(at(10.5, 500)->name == "vector");
  CHECK(at(10.5, 500)->readings.at(1).value == "1000 s");
  CHECK_FALSE(at(12, 500));
  CHECK_FALSE(at(10.5, 2000));
  plot::Series& spans = figure.series.emplace_back();
  spans.spans = {{100, 300, 2, "kernel"}};
  REQUIRE(at(200, 2.2));
  CHECK(at(200, 2.2)->name == "kernel");
  CHECK(at(200, 2.2)->readings.at(1).value == "200 s");
  CHECK_FALSE(at(400, 2.2));
}

TEST_CASE("the cross-hair carries repeat over to FLOP/byte and back") {
  const kernels::Case fp32 = fake::point(1).what;
  const engine::Chart &runtime = test::chart("runtime"), &roofline = test::chart("roofline");
  const engine::Chart viewed = ui::as_viewed(test::chart("flops"), XAxis::intensity);
  CHECK(*ui::carried_x(64, runtime, roofline, fp32) == Approx(16));
  CHECK(*ui::carried_x(16, roofline, test::chart("flops"), fp32) == Approx(64));
  CHECK(*ui::carried_x(16, roofline, viewed, {}) == 16);
  CHECK_FALSE(ui::carried_x(16, roofline, test::chart("flops"), {}));
  CHECK_FALSE(ui::carried_x(16, test::chart("levels"), runtime, fp32));
}

TEST_CASE("a read-out names repeat, runtime, throughput and share of the roofs") {
  ui::AppState state = fake::opened();
  fake::measure(state, {64});
  const engine::Session& session = *ui::current_session(state);
  const auto rows = ui::readings_of(session, session.points[0]);
  CHECK(rows.at(0).value == "64  (16 FLOP/byte)");
  CHECK(rows.at(1).label == "runtime");
  CHECK(rows.at(4).value == "101 %");
  const auto in_levels = ui::readings_of(test::chart("levels"), session, session.points[0]);
  CHECK(in_levels.at(0).label == "Working set");
  CHECK(in_levels.size() == rows.size() + 1);
}

TEST_CASE("The level curve is the newest run's, its fastest shape at each working set") {
  engine::Session session = test::roofs_session();
  const engine::Chart& chart = test::chart("levels");
  const auto size_of_curve = [&] {
    const plot::Figure figure = ui::figure_of({&session}, chart, {});
    return figure.series.empty() ? 0 : figure.series.front().points->size();
  };
  // The point that the pointer finds where the last one of the session lies.
  const auto found_at_last = [&]() -> std::optional<std::size_t> {
    const plot::Figure figure = ui::figure_of({&session}, chart, {});
    const plot::Transform transform{figure.x, figure.y, {0, 0, 1000, 1000}};
    const auto place = ui::place_of(chart, {session.points.back(), session, {}});
    REQUIRE(place);
    const ui::PointMap points(ui::plotted({&session}, chart, {}), transform);
    const auto found = points.nearest(transform.to_pixel(place->x, place->y), 1);
    return found ? std::optional(found->point) : std::nullopt;
  };
  const std::size_t size = size_of_curve();
  engine::Point faster = session.points.back();
  faster.what.shape = {{"prefetch", "3072"}};
  faster.seconds.median /= 2;
  session.points.push_back(faster);
  CHECK(size_of_curve() == size);
  CHECK(found_at_last() == session.points.size() - 1);
  CHECK(ui::readings_of(chart, session, faster).front().label == "Working set");
  session.points.back().run = 2;
  CHECK(size_of_curve() == 0);  // one size is no curve
  CHECK_FALSE(found_at_last());
}

TEST_CASE("before any point, the axes hold the whole sweep, wherever the slider stands") {
  ui::AppState state = fake::opened();
  fake::measure(state, {});
  for (const std::uint64_t repeat : {1, 30, 1000}) {
    ui::set_cursor(state, repeat, 1);
    state.look.view.cursor = ui::cursor_case(state);
    const ui::FigureInputs inputs = ui::figure_inputs(state);
    const plot::Figure figure =
        ui::fitted_figure(inputs, ui::plotted(inputs, test::chart("runtime")));
    CHECK(figure.x.low < 1);
    CHECK(figure.x.high > 1024);
    const double longest = fake::point(1024).seconds.median *
                           static_cast<double>(state.look.view.cursor->elements) / (1 << 20);
    CHECK(figure.y.high > longest);
  }
}

TEST_CASE("an element type without a roof of its own does not stretch the axes of rates") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 1024});
  const auto high = [&] {
    state.look.view.cursor = ui::cursor_case(state);
    return ui::figure_on_screen(state, test::chart("flops")).y.high;
  };
  state.spec.dtypes = {kernels::Dtype::fp32};
  const double before = high();
  state.spec.dtypes = {kernels::Dtype::fp64};
  CHECK(high() == doctest::Approx(before));
}

TEST_CASE("an idle window wants no frame; input wants three, data one") {
  ui::RedrawPolicy policy;
  double now = 100;
  const auto drain = [&] {
    int frames = 0;
    while (const auto wait = policy.wait(now)) {
      now += *wait;
      policy.drew(now);
      ++frames;
    }
    return frames;
  };
  CHECK(drain() == 3);
  CHECK(drain() == 0);
  policy.input();
  CHECK(drain() == 3);
  policy.data();
  CHECK(drain() == 1);
}

TEST_CASE(
    "while the device that draws is measured, at most four frames a second for movements and "
    "data") {
  ui::RedrawPolicy policy;
  policy.limit(ui::limits_while(ui::Busy::yes, true));
  policy.drew(10);
  policy.input();
  policy.data();
  CHECK(*policy.wait(10) == Approx(0.25));
  CHECK(*policy.wait(10.3) == 0);
}

TEST_CASE(
    "while a probe alone runs on the device that draws, the slider that is held keeps moving") {
  ui::RedrawPolicy policy;
  for (int i = 0; i < 3; ++i) policy.drew(10);
  policy.limit(ui::limits_while(ui::Busy::held, true));
  policy.data();
  CHECK(*policy.wait(10) == Approx(0.25));
  policy.input();
  CHECK(*policy.wait(10) == Approx(1.0 / 30));
}

TEST_CASE("a press is answered at once, with one frame, whatever is measured") {
  ui::RedrawPolicy policy;
  policy.limit(ui::limits_while(ui::Busy::yes, true));
  policy.drew(10);
  policy.input();
  policy.press();
  CHECK(*policy.wait(10) == 0);
  policy.drew(10);
  CHECK(*policy.wait(10) == Approx(0.25));
}

TEST_CASE("while another device is measured, data waits for a tenth of a second, input does not") {
  ui::RedrawPolicy policy;
  for (int i = 0; i < 3; ++i) policy.drew(10);
  policy.limit(ui::limits_while(ui::Busy::yes, false));
  policy.data();
  CHECK(*policy.wait(10.02) == Approx(0.08));
  policy.input();
  CHECK(*policy.wait(10.02) == 0);
}

TEST_CASE("a linear axis that is pulled away again and again stays a range") {
  ui::Range range{0, 1e15};
  for (int i = 0; i < 100'000; ++i) range = ui::panned(range, 0.9, false);
  CHECK(range.low < range.high);
  CHECK(range.high < 1e19);
}
