// Splitters, one plot alone, locked axes: how the user divides the window.
#include "ui/model/division.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "tests/figures/sample_sessions.hpp"
#include "tests/model/fake_state.hpp"
#include "ui/actions/events.hpp"
#include "ui/screen/hover.hpp"
#include "ui/screen/limits.hpp"

using doctest::Approx;
using ui::Splitter;
using ui::XAxis;

namespace {

bool share_room(const plot::Rect& a, const plot::Rect& b) {
  return a.w > 0 && b.w > 0 && a.h > 0 && b.h > 0 && a.x < b.right() && b.x < a.right() &&
         a.y < b.bottom() && b.y < a.bottom();
}

/// Neither panels nor cells lie on each other, and all have room.
void check(const ui::Division& division, double scale, double width, double height) {
  CAPTURE(width);
  CAPTURE(height);
  CAPTURE(scale);
  const ui::Places at = ui::places_of(division, scale, width, height);
  const ui::Grid grid = ui::grid_of(division, scale, at.plots, 4);
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
    for (std::size_t j = i + 1; j < all.size(); ++j) CHECK_FALSE(share_room(all[i], all[j]));
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

TEST_CASE("however many panels there are, each has its place") {
  const plot::Rect plots{100, 50, 1200, 900};
  for (std::size_t panels = 1; panels <= 9; ++panels) {
    CAPTURE(panels);
    const ui::Grid grid = ui::grid_of({}, 1, plots, panels);
    REQUIRE(grid.cells.size() == panels);
    for (std::size_t i = 0; i < panels; ++i) {
      CHECK(grid.cells[i].x >= plots.x);
      CHECK(grid.cells[i].right() <= plots.right());
      CHECK(grid.cells[i].bottom() <= plots.bottom() + 1e-9);
      CHECK(grid.cells[i].h > 100);
      for (std::size_t j = i + 1; j < panels; ++j)
        CHECK_FALSE(share_room(grid.cells[i], grid.cells[j]));
    }
    CHECK(grid.cells.back().right() == plots.right());
  }
}

TEST_CASE("a splitter lies where it was dragged to, and a double click puts it back") {
  ui::Division division;
  const ui::Places before = ui::places_of(division, 1, 1600, 1000);
  ui::move_splitter(division, Splitter::controls, 1, before, {530, 200});
  ui::move_splitter(division, Splitter::bottom, 1, before, {800, 600});
  const ui::Places at = ui::places_of(division, 1, 1600, 1000);
  CHECK(at.controls_splitter.x + at.controls_splitter.w / 2 == Approx(530));
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
  const auto figure_now = [&](const engine::Chart& panel) {
    return ui::figure_on_screen(state, panel);
  };
  std::array<plot::Figure, 4> before;
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i] = figure_now(test::sweep_charts()[i]);
    CHECK(ui::is_locked(state.look.zoom, test::sweep_charts()[i]));
  }
  engine::Point slow = fake::point(2);
  slow.seconds.median *= 1e6;
  ui::apply(state, engine::PointMeasured{1, "cpu", slow});
  for (std::size_t i = 0; i < before.size(); ++i) {
    const plot::Figure now = figure_now(test::sweep_charts()[i]);
    CHECK(now.x.low == before[i].x.low);
    CHECK(now.x.high == before[i].x.high);
    CHECK(now.y.low == before[i].y.low);
    CHECK(now.y.high == before[i].y.high);
  }
  state.look.zoom = {};
  CHECK_FALSE(ui::is_zoomed(state.look.zoom));
  CHECK(figure_now(test::chart("runtime")).y.high > before[1].y.high * 1000);
}

TEST_CASE("a panel fills the plots' area until it, Escape or another panel takes its place") {
  ui::AppState state = fake::opened();
  ui::maximise(state, "runtime");
  CHECK(state.look.maximised == "runtime");
  ui::maximise(state, "flops");
  CHECK(state.look.maximised == "flops");
  ui::maximise(state, "flops");
  CHECK_FALSE(state.look.maximised);
  ui::maximise(state, "flops");
  state.look.inspected = ui::Inspection{};
  ui::step_back(state);
  CHECK_FALSE(state.look.inspected);
  CHECK(state.look.maximised == "flops");
  ui::step_back(state);
  CHECK_FALSE(state.look.maximised);
}

TEST_CASE("a panel that fills the plots' area closes the inspector, and another view ends that") {
  ui::AppState state = fake::opened();
  state.look.inspected = ui::Inspection{};
  ui::maximise(state, "runtime");
  CHECK_FALSE(state.look.inspected);
  ui::show_apart(state, true);
  CHECK_FALSE(state.look.maximised);
}

TEST_CASE("the other horizontal axis is not zoomed as the one before was, the roofline stays so") {
  ui::AppState state = fake::opened();
  state.look.zoom.x["repeat"] = ui::Range{2, 300};
  state.look.zoom.x["intensity"] = ui::Range{1, 10};
  ui::set_x_axis(state, state.look.view.x);
  CHECK(state.look.zoom.x.contains("repeat"));
  ui::set_x_axis(state, XAxis::intensity);
  CHECK_FALSE(state.look.zoom.x.contains("repeat"));
  CHECK(state.look.zoom.x.contains("intensity"));
}

TEST_CASE("the repeat under a pixel is the one whose point would lie there") {
  const engine::Session session;
  kernels::Case what;
  what.elements = 1 << 20;
  what.fusion = kernels::Fusion::fused;
  for (const engine::Chart& panel : test::sweep_charts()) {
    for (const XAxis axis : {XAxis::repeat, XAxis::intensity, XAxis::both}) {
      for (const std::uint64_t repeat : {1, 7, 100, 4096}) {
        engine::Point point;
        point.what = what;
        point.what.repeat = repeat;
        point.work = kernels::work_of(point.what);
        point.seconds.median = 1;
        const engine::Chart viewed = ui::as_viewed(panel, axis);
        const auto place = ui::place_of(viewed, {point, session, {}});
        REQUIRE(place);
        CHECK(ui::repeat_at(place->x, viewed, what) == repeat);
      }
    }
  }
  CHECK(ui::repeat_at(1e-9, test::chart("runtime"), what) == 1);
  CHECK(ui::repeat_at(1e9, test::chart("roofline"), what) == kernels::max_repeat);
  what.fusion = kernels::Fusion::unfused;
  CHECK_FALSE(ui::repeat_at(1, test::chart("roofline"), what));
  CHECK(ui::repeat_at(9, test::chart("runtime"), what) == 9);
}
