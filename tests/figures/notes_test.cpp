// The notes on a series: its best point, the knee of its runtime, and the numbers as a table.
#include <doctest/doctest.h>

#include <algorithm>

#include "engine/verdict/knee.hpp"
#include "tests/figures/sample_sessions.hpp"
#include "tests/text.hpp"
#include "ui/figures/figures.hpp"

using plot::Mark;
using tests::contains;
using ui::figure_of;

namespace {

std::vector<Mark> marks_of(const plot::Figure& figure, Mark::Kind kind) {
  std::vector<Mark> found;
  std::ranges::copy_if(figure.marks, std::back_inserter(found),
                       [kind](const Mark& mark) { return mark.kind == kind; });
  return found;
}

/// Repeats 1, 2, 4 ... with these runtimes and intervals of a share to both sides.
engine::Session timed(const std::vector<double>& seconds, double share) {
  engine::Session session = test::cpu_session();
  session.points.clear();
  test::add_sweep(session, {.elements = 1 << 20}, 1, std::uint64_t{1} << (seconds.size() - 1), 1);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    engine::Seconds& own = session.points[i].seconds;
    own.median = seconds[i];
    own.low = seconds[i] * (1 - share);
    own.high = seconds[i] * (1 + share);
  }
  return session;
}

std::vector<Mark> knees_of(const std::vector<double>& seconds, double share) {
  const engine::Session session = timed(seconds, share);
  return marks_of(figure_of({&session}, test::chart("runtime"), {}), Mark::Kind::knee);
}

}  // namespace

TEST_CASE("The best point of every series carries its value where higher is better") {
  const engine::Session session = test::cpu_session();
  for (const engine::Chart& panel :
       {test::chart("roofline"), test::chart("flops"), test::chart("bandwidth")}) {
    const plot::Figure figure = figure_of({&session}, panel, {});
    const std::vector<Mark> best = marks_of(figure, Mark::Kind::best);
    REQUIRE(best.size() == figure.series.size());
    for (std::size_t i = 0; i < best.size(); ++i) {
      CHECK(best[i].y == *std::ranges::max_element(figure.series[i].points->y));
      const bool unfused = figure.series[i].name.find("unfused") != std::string::npos;
      CHECK(best[i].label.starts_with(unfused ? "unfused best " : "fused best "));
    }
  }
  CHECK(marks_of(figure_of({&session}, test::chart("runtime"), {}), Mark::Kind::best).empty());
}

TEST_CASE("Where several kernels are shown, the best point of a series says whose it is") {
  engine::Session session = test::cpu_session();
  std::erase_if(session.points, [](const engine::Point& point) {
    return point.what.dtype != kernels::Dtype::fp32;
  });
  kernels::Case tile = session.points.front().what;
  tile.family = kernels::Family::tile;
  test::add_sweep(session, tile, session.points.front().run, 8, 0.5);
  std::vector<std::string> labels;
  for (const Mark& mark :
       marks_of(figure_of({&session}, test::chart("flops"), {}), Mark::Kind::best))
    labels.push_back(mark.label.substr(0, mark.label.find(" best ")));
  std::ranges::sort(labels);
  CHECK(labels == std::vector<std::string>{"fused chain", "fused tile", "unfused chain"});
}

TEST_CASE("Hidden series and earlier runs carry no notes") {
  const engine::Session session = test::gpu_session();
  const auto best = [&](const ui::View& view) {
    return marks_of(figure_of({&session}, test::chart("flops"), view), Mark::Kind::best).size();
  };
  CHECK(best({}) == 4);
  CHECK(best({.hidden = {ui::series_id(session, session.points.front())}}) == 3);
}

TEST_CASE("The knee is where the flat part meets the line on which every op costs the same") {
  const std::vector<Mark> knees = knees_of({1, 1.05, 1.02, 1.3, 2.6}, 0.01);
  REQUIRE(knees.size() == 1);
  CHECK(knees[0].x == doctest::Approx(1.025 / (2.6 / 16)));  // of repeat 1 and 2, and of 16
  CHECK(knees[0].y == 1.02);
  CHECK(knees[0].label == "knee at 6.31 ops (6.22 to 6.4)");
  CHECK(knees[0].short_label == "knee at 6.31 ops");
}

TEST_CASE("The interval of a knee comes from undisturbed points alone") {
  engine::Session session = timed({1, 1, 1, 1.1, 2, 4}, 0.01);
  const auto label = [&] {
    const auto knees =
        marks_of(figure_of({&session}, test::chart("runtime"), {}), Mark::Kind::knee);
    REQUIRE(knees.size() == 1);
    return knees[0].label;
  };
  CHECK(label().starts_with("knee at 8 ops ("));
  for (engine::Point& point : session.points) point.disturbed = point.what.repeat >= 16;
  CHECK(label() == "knee at 8 ops");
}

TEST_CASE("Without points beyond twice the knee it is the first one that rises by more than 10 %") {
  const std::vector<Mark> knees = knees_of({1, 1, 1.02, 1.3}, 0.01);
  REQUIRE(knees.size() == 1);
  CHECK(knees[0].x == 8);
  CHECK(knees[0].label == "runtime starts to rise at 8 ops");
}

TEST_CASE("An unfused line has no knee, as every op is a kernel of its own") {
  engine::Session session = timed({1, 1, 1, 2, 4, 8}, 0.01);
  for (engine::Point& point : session.points) point.what.fusion = kernels::Fusion::unfused;
  CHECK(marks_of(figure_of({&session}, test::chart("runtime"), {}), Mark::Kind::knee).empty());
}

TEST_CASE("One slow point in the flat part is no knee") {
  const std::vector<Mark> knees = knees_of({1, 1.5, 1, 1, 2, 4}, 0.01);
  REQUIRE(knees.size() == 1);
  CHECK(knees[0].x == doctest::Approx(8));
}

TEST_CASE("Without a flat part, or without a rise, there is no knee") {
  CHECK(knees_of({1, 2, 4, 8}, 0.01).empty());
  CHECK(knees_of({1, 1, 1.04, 1.02}, 0.01).empty());
  CHECK(knees_of({1}, 0.01).empty());
}

TEST_CASE("A lucky first point does not hide the floor of those behind it") {
  const auto knees = knees_of({0.6, 1, 1.01, 1, 2, 4}, 0.01);
  REQUIRE(knees.size() == 1);
  CHECK(knees[0].x == doctest::Approx(8).epsilon(0.01));
}

TEST_CASE("What rises behind its first point has no other floor") {
  CHECK(knees_of({0.6, 1, 2, 4, 8}, 0.01).empty());
  CHECK(knees_of({0.6, 1, 1.05, 4, 8}, 0.01).empty());    // two are no floor
  CHECK(knees_of({0.6, 1.5, 1, 1.02, 5}, 0.01).empty());  // nor are uneven ones
  CHECK(knees_of({1, 1.12, 1.22, 1.34, 1.48}, 0.001).empty());
}

TEST_CASE("Against FLOP/byte the knee is told in FLOP/byte") {
  const engine::Session session = timed({1, 1, 1, 2}, 0.01);
  const auto knees = marks_of(
      figure_of({&session}, test::chart("runtime"), {.x = ui::XAxis::intensity}), Mark::Kind::knee);
  REQUIRE(knees.size() == 1);
  CHECK(knees[0].label == "knee at 1 FLOP/byte (0.986 to 1.01)");
}

TEST_CASE("The flat part of one point is that point") {
  const engine::Session session = timed({3}, 0.1);
  const std::vector<const engine::Point*> points{&session.points.front()};
  CHECK(engine::flat_part(points).last == 0);
  CHECK(engine::flat_part(points).seconds == 3);
}

TEST_CASE("The table of a page holds every value of its visible series and roofs") {
  engine::Session session = test::cpu_session();
  session.device.name = "a \"quoted\", named device";
  const plot::Page page = ui::page_of({&session}, {}, {});
  const std::string csv = ui::csv_of(page);
  CHECK(csv.starts_with("panel,kind,name,x_axis,y_axis,x,y,y_low,y_high\r\n"));
  CHECK(contains(csv,
                 "\"Roofline\",\"roof\",\"DRAM copy (measured)\",\"Arithmetic intensity "
                 "(FLOP/byte)\",\"Performance (FLOP/s)\","));
  CHECK(contains(csv,
                 "\"Runtime\",\"series\",\"fp32 fused\",\"Ops per element\",\"Time of one run "
                 "(s)\",1,"));
  CHECK(contains(csv, "\"roof\",\"fp32 FMA (datasheet)\","));
  std::size_t rows = 1;
  for (const plot::Figure& figure : page.figures) {
    for (const plot::Series& series : figure.series) rows += series.points->size();
    for (const plot::Roof& roof : figure.roofs) rows += roof.thin ? 0 : roof.x.size();
  }
  CHECK(static_cast<std::size_t>(std::ranges::count(csv, '\n')) == rows);
}

TEST_CASE("One sample has no interval in the table") {
  engine::Session session = timed({1}, 0.1);
  session.points[0].seconds.samples = {1};
  CHECK(contains(ui::csv_of(ui::page_of({&session}, &test::chart("runtime"), {})), ",1,1,,\r\n"));
}
