#include "ui/series_cache.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/plot/sample_sessions.hpp"

using ui::Panel;
using ui::Seen;
using ui::XAxis;

namespace {

const plot::SharedPoints& points_of(ui::SeriesCache& cache, const std::vector<Seen>& seen,
                                    std::size_t line) {
  return cache.lines(seen, Panel::flops, XAxis::repeat).at(line).series.points;
}

}  // namespace

TEST_CASE("A session that did not change keeps its points, whatever changes beside it") {
  engine::Session first = test::cpu_session(), second = test::cpu_session();
  second.device.name = "another device";
  ui::SeriesCache cache;
  const std::size_t own = cache.measured({{&first, 1}}).groups.size();
  const plot::SharedPoints of_first = points_of(cache, {{&first, 1}, {&second, 1}}, 0);
  const plot::SharedPoints of_second = points_of(cache, {{&first, 1}, {&second, 1}}, own);
  for (engine::Point& point : first.points) point.seconds.median *= 2;
  CHECK_FALSE(points_of(cache, {{&first, 2}, {&second, 1}}, 0).same_as(of_first));
  CHECK(points_of(cache, {{&first, 2}, {&second, 1}}, own).same_as(of_second));
  CHECK(points_of(cache, {{&second, 1}}, 0).same_as(of_second));
}

TEST_CASE("Of a session that changed, the lines that came out the same keep their points") {
  engine::Session session = test::cpu_session();
  ui::SeriesCache cache;
  const std::vector<plot::SharedPoints> before{points_of(cache, {{&session, 1}}, 0),
                                               points_of(cache, {{&session, 1}}, 1)};
  const engine::Point* changed = cache.measured({{&session, 1}}).groups.at(1).points.front();
  for (engine::Point& point : session.points) {
    if (&point == changed) point.seconds.median *= 2;
  }
  CHECK(points_of(cache, {{&session, 2}}, 0).same_as(before[0]));
  CHECK_FALSE(points_of(cache, {{&session, 2}}, 1).same_as(before[1]));
}

TEST_CASE("Figures of a cache are those made without one") {
  engine::Session session = test::cpu_session();
  ui::SeriesCache cache;
  std::uint64_t version = 0;
  for (const double factor : {1.0, 1.5, 0.5}) {
    for (engine::Point& point : session.points) point.seconds.median *= factor;
    ++version;
    for (const Panel panel : {Panel::roofline, Panel::runtime, Panel::speedup}) {
      const plot::Figure kept = ui::figure_of({{&session, version}}, panel, {}, cache);
      const plot::Figure anew = ui::figure_of({&session}, panel, {});
      REQUIRE(kept.series.size() == anew.series.size());
      for (std::size_t i = 0; i < kept.series.size(); ++i)
        CHECK(kept.series[i].points->y == anew.series[i].points->y);
      CHECK(kept.marks.size() == anew.marks.size());
      CHECK(kept.roofs.size() == anew.roofs.size());
      CHECK(kept.y.high == anew.y.high);
    }
  }
}
