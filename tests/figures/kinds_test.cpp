// Bars, stacked bars and lanes: what stands where, and what a table says of it.
#include <doctest/doctest.h>

#include "tests/figures/sample_sessions.hpp"
#include "tests/text.hpp"
#include "ui/figures/figures.hpp"

using engine::Chart;
using kernels::Dtype;

namespace {

/// One fp32 and two bf16 points, on vector and matrix units.
engine::Session session() {
  engine::Session session = test::cpu_session();
  session.points.clear();
  const auto add = [&](Dtype dtype, kernels::Units units, double seconds) {
    engine::Point& point = session.points.emplace_back();
    point.what = {.dtype = dtype, .units = units, .elements = 1 << 20, .repeat = 4};
    point.work = kernels::work_of(point.what);
    point.seconds = {seconds, 0.9 * seconds, 1.2 * seconds, {seconds, seconds}, {}};
  };
  add(Dtype::fp32, kernels::Units::vector, 4);
  add(Dtype::bf16, kernels::Units::vector, 2);
  add(Dtype::bf16, kernels::Units::matrix, 1);
  return session;
}

Chart bars(engine::Kind kind = engine::Kind::bars) {
  Chart chart{.id = "bars", .title = "Bars"};
  chart.kind = kind;
  chart.x = engine::labels::dtype;
  chart.y = engine::metrics::runtime;
  chart.series = chart.colour = engine::labels::units;
  return chart;
}

/// Two lanes of a point called "serial".
engine::Session timeline() {
  engine::Session session;
  engine::Point& point = session.points.emplace_back();
  point.label = "serial";
  point.seconds.median = 3;
  point.spans = {{"copy", "in", 0, 1}, {"compute", "kernel", 1, 2}, {"copy", "out", 2, 3}};
  return session;
}

}  // namespace

TEST_CASE("Bars stand beside each other over their word, from zero, with value and interval") {
  const engine::Session one = session();
  const plot::Figure figure = ui::figure_of({&one}, bars(), {});
  CHECK(figure.x.words == std::vector<std::string>{"fp32", "bf16"});
  CHECK_FALSE(figure.y.log);
  CHECK(figure.y.low == 0);
  REQUIRE(figure.series.size() == 2);
  CHECK(figure.series[0].name == "vector");
  const plot::Points &vector = *figure.series[0].points, &matrix = *figure.series[1].points;
  CHECK(vector.y == std::vector<double>{4, 2});
  CHECK(vector.x[0] == 0);  // alone over its word
  CHECK(vector.x[1] < 1);
  CHECK(matrix.x[0] > 1);
  CHECK(matrix.x[0] - vector.x[1] == doctest::Approx(figure.series[0].bar));
  CHECK(vector.low == std::vector<double>{0.9 * 4, 0.9 * 2});
  CHECK(vector.labels == std::vector<std::string>{"4.00 s", "2.00 s"});
}

TEST_CASE("Bars that differ a hundredfold stand on a log axis") {
  engine::Session one = session();
  one.points[0].seconds.median = 400;
  CHECK(ui::figure_of({&one}, bars(), {}).y.log);
}

TEST_CASE("A hidden group of bars leaves its place to the others") {
  const engine::Session one = session();
  ui::View view;
  view.hidden.insert(ui::figure_of({&one}, bars(), {}).series[1].id);
  const plot::Figure figure = ui::figure_of({&one}, bars(), view);
  CHECK(figure.series[1].hidden);
  CHECK(figure.series[0].points->x == std::vector<double>{0, 1});
}

TEST_CASE("Stacked bars begin where the one below ends, and a table has their own heights") {
  const engine::Session one = session();
  const Chart chart = bars(engine::Kind::stacked_bars);
  const plot::Figure figure = ui::figure_of({&one}, chart, {});
  REQUIRE(figure.series.size() == 2);
  CHECK(figure.series[1].points->from == std::vector<double>{2});
  CHECK(figure.series[1].points->y == std::vector<double>{3});
  const std::string csv = ui::csv_of(ui::page_of({&one}, &chart, {}));
  CHECK(tests::contains(csv, "\"matrix\",\"\",\"Time of one run (s)\",\"bf16\",1,,"));
}

TEST_CASE("Lanes lie below each other as they are met; spans of one name share a colour") {
  const engine::Session one = timeline();
  Chart chart{.id = "lanes", .title = "Lanes", .kind = engine::Kind::lanes};
  const plot::Figure figure = ui::figure_of({&one}, chart, {});
  CHECK(figure.y.words == std::vector<std::string>{"compute", "copy"});
  REQUIRE(figure.series.size() == 3);
  CHECK(figure.series[0].name == "in");
  REQUIRE(figure.series[0].spans.size() == 1);
  CHECK(figure.series[0].spans[0].lane == 1);  // the first lane lies on top
  CHECK(figure.series[1].spans[0].lane == 0);
  CHECK(figure.series[1].spans[0].begin == 1);
  CHECK(figure.x.unit == "s");
  CHECK_FALSE(figure.x.log);
  CHECK(figure.x.low < 0.01);
  CHECK(figure.x.high > 3);
  chart.series = engine::labels::label;
  CHECK(ui::figure_of({&one}, chart, {}).y.words.back() == "serial: copy");
}

TEST_CASE("Lanes of what the worker did are those of the newest run, whatever its lab") {
  engine::Session session = timeline();
  for (const std::uint64_t run : {1, 2}) {
    engine::Point point = session.points.front();
    point.run = run;
    point.lab = run == 1 ? "fma" : "overhead";
    point.phases = {{run == 1 ? "verify" : "measure", "fp32 fused", 0, 1}};
    session.points.push_back(point);
  }
  Chart chart{.id = "lanes", .title = "Lanes", .lab = "fma", .kind = engine::Kind::lanes};
  chart.spans = &engine::Point::phases;
  CHECK(ui::figure_of({&session}, chart, {}).y.words == std::vector<std::string>{"verify"});
  chart.every_lab = true;
  CHECK(ui::figure_of({&session}, chart, {}).y.words == std::vector<std::string>{"measure"});
}

TEST_CASE("Kinds without points say so") {
  const engine::Session none;
  for (const engine::Kind kind :
       {engine::Kind::bars, engine::Kind::stacked_bars, engine::Kind::lanes}) {
    Chart chart = bars(kind);
    chart.empty = "Nothing yet.";
    CHECK(ui::figure_of({&none}, chart, {}).empty_text == "Nothing yet.");
  }
}

TEST_CASE("A line of one point is drawn, where the chart asks for no more") {
  engine::Session one = session();
  one.points.resize(1);
  Chart chart = bars(engine::Kind::lines);
  chart.x = engine::metrics::working_set;
  chart.envelope = true;
  CHECK(ui::figure_of({&one}, chart, {}).series.size() == 1);
  chart.least_points = 2;
  CHECK(ui::figure_of({&one}, chart, {}).series.empty());
}

TEST_CASE("A lab's own notes and curves are guides and thin lines") {
  const engine::Session one = test::cpu_session();
  Chart chart = test::chart("flops");
  chart.notes = {{engine::Note::At::x, 8, 0, "two waves"}, {engine::Note::At::y, 0, 1e11, "half"}};
  chart.curves = {{"a fit", {1, 10}, {1e9, 1e10}}};
  const plot::Figure figure = ui::figure_of({&one}, chart, {});
  REQUIRE(figure.guides.size() == 1);
  CHECK(figure.guides[0].x == 8);
  CHECK(std::ranges::count(figure.roofs, "a fit", &plot::Roof::label) == 1);
  CHECK(std::ranges::count(figure.roofs, "half", &plot::Roof::label) == 1);
}
