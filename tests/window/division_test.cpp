// Splitters, one plot alone, locked axes: how the user divides the window.
#include "ui/division.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "tests/window/fake_state.hpp"
#include "ui/hover.hpp"
#include "ui/limits.hpp"

using doctest::Approx;
using ui::Panel;
using ui::Splitter;
using ui::XAxis;

namespace {

bool overlap(const plot::Rect& a, const plot::Rect& b) {
  return a.w > 0 && b.w > 0 && a.h > 0 && b.h > 0 && a.x < b.right() && b.x < a.right() &&
         a.y < b.bottom() && b.y < a.bottom();
}

/// Neither panels nor cells lie on each other, and all have room.
void check(const ui::Division& division, double scale, double width, double height) {
  CAPTURE(width);
  CAPTURE(height);
  CAPTURE(scale);
  const ui::Places at = ui::places_of(division, scale, width, height);
  const ui::Grid grid = ui::grid_of(division, scale, at.plots);
  std::vector<plot::Rect> all{at.controls, at.fold,   at.controls_splitter,
                              at.header,   at.bottom, at.bottom_splitter,
                              at.status};
  for (const plot::Rect& cell : grid.cells) {
    all.push_back(cell);
    CHECK(cell.w >= 180 * scale);
    CHECK(cell.h >= 120 * scale);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].right() <= width);
    CHECK(all[i].bottom() <= height);
    for (std::size_t j = i + 1; j < all.size(); ++j) CHECK_FALSE(overlap(all[i], all[j]));
  }
}

}  // namespace

TEST_CASE("wherever the splitters are dragged, no panel overlaps another or loses its room") {
  for (const double scale : {1.0, 1.5, 2.0}) {
    for (const bool open : {true, false}) {
      for (const double x : {-100.0, 0.3, 0.5, 0.9, 100.0}) {
        for (const double y : {-100.0, 0.2, 0.6, 0.95, 100.0}) {
          ui::Division division;
          division.controls_open = open;
          const double width = 1024 * scale, height = 640 * scale;
          for (const Splitter which :
               {Splitter::controls, Splitter::bottom, Splitter::column, Splitter::row}) {
            const ui::Places at = ui::places_of(division, scale, width, height);
            ui::move_splitter(division, which, scale, at, {x * width, y * height});
            check(division, scale, width, height);
          }
        }
      }
    }
  }
}

TEST_CASE("a splitter lies where it was dragged to, and a double click puts it back") {
  ui::Division division;
  const ui::Places before = ui::places_of(division, 1, 1600, 1000);
  ui::move_splitter(division, Splitter::controls, 1, before, {330, 200});
  ui::move_splitter(division, Splitter::bottom, 1, before, {800, 600});
  const ui::Places at = ui::places_of(division, 1, 1600, 1000);
  CHECK(at.controls_splitter.x + at.controls_splitter.w / 2 == Approx(330));
  CHECK(at.bottom_splitter.y + at.bottom_splitter.h / 2 == Approx(600));
  ui::reset_splitter(division, Splitter::controls);
  ui::reset_splitter(division, Splitter::bottom);
  CHECK(ui::places_of(division, 1, 1600, 1000).plots.h == before.plots.h);
  CHECK(ui::places_of(division, 1, 1600, 1000).plots.x == before.plots.x);
}

TEST_CASE("locked axes keep their limits whatever is measured, until they are fitted again") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 4});
  ui::lock_axes(state);
  const auto figure_now = [&](Panel panel) {
    ui::SeriesCache series;
    return ui::figure_on_screen(ui::figure_inputs(state), panel, series);
  };
  std::array<plot::Figure, ui::sweep_panels.size()> before;
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i] = figure_now(ui::sweep_panels[i]);
    CHECK(ui::is_locked(state.zoom, ui::sweep_panels[i]));
  }
  engine::Point slow = fake::point(2);
  slow.seconds.median *= 1e6;
  ui::apply(state, engine::PointMeasured{1, "cpu", slow});
  for (std::size_t i = 0; i < before.size(); ++i) {
    const plot::Figure now = figure_now(ui::sweep_panels[i]);
    CHECK(now.x.low == before[i].x.low);
    CHECK(now.x.high == before[i].x.high);
    CHECK(now.y.low == before[i].y.low);
    CHECK(now.y.high == before[i].y.high);
  }
  ui::fit_axes(state);
  CHECK_FALSE(ui::is_zoomed(state.zoom));
  CHECK(figure_now(Panel::runtime).y.high > before[1].y.high * 1000);
}

TEST_CASE("a panel fills the plots' area until it, Escape or another panel takes its place") {
  ui::AppState state = fake::opened();
  ui::maximise(state, Panel::runtime);
  CHECK(state.maximised == Panel::runtime);
  ui::maximise(state, Panel::flops);
  CHECK(state.maximised == Panel::flops);
  ui::maximise(state, Panel::flops);
  CHECK_FALSE(state.maximised);
  ui::maximise(state, Panel::flops);
  state.inspected = ui::Inspection{};
  ui::step_back(state);
  CHECK_FALSE(state.inspected);
  CHECK(state.maximised == Panel::flops);
  ui::step_back(state);
  CHECK_FALSE(state.maximised);
}

TEST_CASE("a panel that fills the plots' area closes the inspector, and another view ends that") {
  ui::AppState state = fake::opened();
  state.inspected = ui::Inspection{};
  ui::maximise(state, Panel::runtime);
  CHECK_FALSE(state.inspected);
  ui::show(state, ui::Shown::speedup);
  CHECK_FALSE(state.maximised);
}

TEST_CASE("the other horizontal axis is not zoomed as the one before was, the roofline stays so") {
  ui::AppState state = fake::opened();
  state.zoom.x_of(Panel::runtime) = ui::Range{2, 300};
  state.zoom.x_of(Panel::roofline) = ui::Range{1, 10};
  ui::set_x_axis(state, state.view.x);
  CHECK(state.zoom.x_of(Panel::runtime));
  ui::set_x_axis(state, XAxis::intensity);
  CHECK_FALSE(state.zoom.x_of(Panel::runtime));
  CHECK(state.zoom.x_of(Panel::roofline));
}

TEST_CASE("the repeat under a pixel is the one whose point would lie there") {
  kernels::Case what;
  what.elements = 1 << 20;
  what.fusion = kernels::Fusion::fused;
  for (const Panel panel : ui::sweep_panels) {
    for (const XAxis axis : {XAxis::repeat, XAxis::intensity, XAxis::both}) {
      for (const std::uint64_t repeat : {1, 7, 100, 4096}) {
        engine::Point point;
        point.what = what;
        point.what.repeat = repeat;
        point.work = kernels::work_of(point.what);
        point.seconds.median = 1;
        CHECK(ui::repeat_at(ui::place_of(point, panel, axis).x, panel, axis, what) == repeat);
      }
    }
  }
  CHECK(ui::repeat_at(1e-9, Panel::runtime, XAxis::repeat, what) == 1);
  CHECK(ui::repeat_at(1e9, Panel::roofline, XAxis::repeat, what) == kernels::max_repeat);
  what.fusion = kernels::Fusion::unfused;
  CHECK_FALSE(ui::repeat_at(1, Panel::roofline, XAxis::repeat, what));
  CHECK(ui::repeat_at(9, Panel::runtime, XAxis::repeat, what) == 9);
}
