// How many times faster: only what was measured alike is compared.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/figures/sample_sessions.hpp"
#include "ui/figures/figures.hpp"

using kernels::Case;
using kernels::Fusion;

namespace {

Case fp32(Fusion fusion) {
  Case what;
  what.fusion = fusion;
  what.elements = std::uint64_t{64} << 20;
  return what;
}

engine::Session roofs_only() {
  engine::Session session = test::cpu_session();
  session.points.clear();
  return session;
}

std::vector<std::string> names(const plot::Figure& figure) {
  std::vector<std::string> all;
  for (const plot::Series& series : figure.series) all.push_back(series.name);
  return all;
}

}  // namespace

TEST_CASE("the best speed-up is the highest point of its line, marked where that is not sure") {
  engine::Session session = roofs_only();
  test::add_sweep(session, fp32(Fusion::fused), 1, 16, 0.9);
  test::add_sweep(session, fp32(Fusion::unfused), 1, 16, 0.9);
  const auto best = [&] {
    const plot::Figure figure = ui::figure_of({&session}, test::chart("speedup"), {});
    const auto mark = std::ranges::find(figure.marks, plot::Mark::Kind::best, &plot::Mark::kind);
    REQUIRE(mark != figure.marks.end());
    return *mark;
  };
  for (engine::Point& point : session.points) point.seconds.samples.resize(7, point.seconds.median);
  CHECK(best().x == 16);
  for (engine::Point& point : session.points) point.disturbed = point.what.repeat == 16;
  CHECK(best().x == 16);
  CHECK(best().label.ends_with(", not sure"));
  for (engine::Point& point : session.points) point.disturbed = point.what.repeat == 2;
  CHECK(best().x == 16);
  CHECK(best().label.find("not sure") == std::string::npos);
  for (engine::Point& point : session.points) point.seconds.samples.resize(1);
  CHECK(best().label.find("not sure") != std::string::npos);
}

TEST_CASE("fused over unfused is the quotient of their runtimes where both were measured") {
  engine::Session session = roofs_only();
  test::add_sweep(session, fp32(Fusion::fused), 1, 64, 0.9);
  test::add_sweep(session, fp32(Fusion::unfused), 1, 16, 0.9);
  const plot::Figure figure = ui::figure_of({&session}, test::chart("speedup"), {});
  REQUIRE(names(figure) == std::vector<std::string>{"fp32: fused over unfused"});
  const plot::Points& points = *figure.series.front().points;
  CHECK(points.x == std::vector<double>{1, 2, 4, 8, 16});
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const auto at = [&](Fusion fusion) -> const engine::Seconds& {
      return std::ranges::find_if(session.points,
                                  [&](const engine::Point& point) {
                                    return point.what.fusion == fusion &&
                                           static_cast<double>(point.what.repeat) == points.x[i];
                                  })
          ->seconds;
    };
    CHECK(points.y[i] == at(Fusion::unfused).median / at(Fusion::fused).median);
    CHECK(points.low[i] == at(Fusion::unfused).low / at(Fusion::fused).high);
    CHECK(points.high[i] == at(Fusion::unfused).high / at(Fusion::fused).low);
  }
  CHECK(points.y.front() == doctest::Approx(1));
  CHECK(points.y.back() > 10);
  REQUIRE(figure.marks.size() == 1);
  CHECK(figure.marks[0].y == *std::ranges::max_element(points.y));
  CHECK(figure.marks[0].label.starts_with("at best "));
}

TEST_CASE("the speed-up lies over the x axis of the runtime, whichever that is") {
  const engine::Session session = test::cpu_session();
  for (const ui::XAxis axis : {ui::XAxis::repeat, ui::XAxis::intensity}) {
    ui::View view;
    view.x = axis;
    const plot::Figure runtime = ui::figure_of({&session}, test::chart("runtime"), view);
    const plot::Figure speedup = ui::figure_of({&session}, test::chart("speedup"), view);
    CHECK(speedup.x.low == runtime.x.low);
    CHECK(speedup.x.high == runtime.x.high);
    CHECK(speedup.x.title == runtime.x.title + (axis == ui::XAxis::intensity ? ", fused" : ""));
  }
}

TEST_CASE("points that differ in elements, op or data are not compared") {
  for (const int difference : {0, 1, 2}) {
    engine::Session session = roofs_only();
    test::add_sweep(session, fp32(Fusion::fused), 1, 8, 0.9);
    Case other = fp32(Fusion::unfused);
    if (difference == 0) other.elements /= 2;
    if (difference == 1) other.ops = kernels::Op::mul;
    if (difference == 2) other.data = kernels::Data::zeros;
    test::add_sweep(session, other, 1, 8, 0.9);
    const plot::Figure figure = ui::figure_of({&session}, test::chart("speedup"), {});
    CHECK(figure.series.empty());
    CHECK_FALSE(figure.empty_text.empty());
  }
}

TEST_CASE("matrix over vector units, and the newest run of each side") {
  engine::Session session = roofs_only();
  Case tile = fp32(Fusion::fused);
  tile.family = kernels::Family::tile;
  tile.dtype = kernels::Dtype::bf16;
  test::add_sweep(session, tile, 1, 8, 0.1);
  test::add_sweep(session, tile, 2, 8, 0.5);
  tile.units = kernels::Units::matrix;
  test::add_sweep(session, tile, 3, 8, 0.5);
  const plot::Figure figure = ui::figure_of({&session}, test::chart("speedup"), {});
  REQUIRE(names(figure) == std::vector<std::string>{"bf16 fused: matrix over vector"});
  CHECK(figure.series.front().filled);
  CHECK(figure.series.front().core == plot::Core::none);
  const auto seconds = [&](std::uint64_t run) {
    return std::ranges::find(session.points, run, &engine::Point::run)->seconds.median;
  };
  CHECK(figure.series.front().points->y.front() == seconds(2) / seconds(3));
}

TEST_CASE("the first session is compared with every other one, by device or by date") {
  engine::Session a = roofs_only();
  a.created = "2026-11-21T10:00:00Z";
  test::add_sweep(a, fp32(Fusion::fused), 1, 8, 0.9);
  engine::Session b = a;
  b.created = "2026-11-22T11:30:00Z";
  for (engine::Point& point : b.points) point.seconds.median *= 2;
  CHECK(names(ui::figure_of({&a, &b}, test::chart("speedup"), {})) ==
        std::vector<std::string>{"fp32 fused: 2026-11-21 10:00 UTC over 2026-11-22 11:30 UTC"});
  b.device.name = "another CPU";
  const plot::Figure figure = ui::figure_of({&a, &b}, test::chart("speedup"), {});
  REQUIRE(names(figure) ==
          std::vector<std::string>{"fp32 fused: " + a.device.name + " over another CPU"});
  for (const double times : figure.series.front().points->y) CHECK(times == doctest::Approx(2));
}

TEST_CASE("a speed-up hidden in the legend stays listed") {
  const engine::Session session = test::cpu_session();
  ui::View view;
  view.hidden.insert(ui::figure_of({&session}, test::chart("speedup"), view).series.front().id);
  const plot::Figure figure = ui::figure_of({&session}, test::chart("speedup"), view);
  CHECK(figure.series.front().hidden);
}

TEST_CASE("lines of several ops, sizes, devices and sessions differ in name and in id") {
  engine::Session here = roofs_only();
  for (const kernels::Op op : {kernels::Op::fma, kernels::Op::mul}) {
    for (const std::uint64_t elements : {std::uint64_t{1} << 20, std::uint64_t{64} << 20}) {
      for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
        Case what = fp32(fusion);
        what.ops = op;
        what.elements = elements;
        test::add_sweep(here, what, 1, 8, 0.9);
      }
    }
  }
  const engine::Session again = here;
  engine::Session there = here;
  there.device.name = "another CPU";
  const plot::Figure figure = ui::figure_of({&here, &again, &there}, test::chart("speedup"), {});
  std::set<std::string> all_names, ids;
  for (const plot::Series& series : figure.series) {
    all_names.insert(series.name);
    ids.insert(series.id);
  }
  CHECK(figure.series.size() == 12 + 16);  // 4 within each session, 8 between it and each other
  CHECK(all_names.size() == figure.series.size());
  CHECK(ids.size() == figure.series.size());
}

TEST_CASE("At the slider's place the speed-up stands with its value, on screen alone") {
  engine::Session session = roofs_only();
  test::add_sweep(session, fp32(Fusion::unfused), 1, 8, 0.5);
  test::add_sweep(session, fp32(Fusion::fused), 1, 8, 0.5);
  Case at = fp32(Fusion::fused);
  at.repeat = 4;
  const auto factors = [&](const ui::View& view) {
    const plot::Overlay overlay = ui::overlay_of({&session}, test::chart("speedup"), view);
    return std::ranges::count_if(overlay.marks, [](const plot::Mark& mark) {
      return mark.kind == plot::Mark::Kind::probe && mark.x == 4 && mark.label.ends_with("x");
    });
  };
  CHECK(factors({.cursor = at}) == 1);
  CHECK(factors({.cursor = at, .probes = false}) == 0);
  CHECK(factors({}) == 0);
  at.repeat = 5;
  CHECK(factors({.cursor = at}) == 0);
}

TEST_CASE("Beside other speed-ups the value at the slider says whose it is, where a word can") {
  engine::Session session = test::cpu_session(), other = test::cpu_session();
  other.created = "2026-11-20T10:00:00Z";
  Case at = fp32(Fusion::fused);
  at.repeat = 4;
  const auto labels = [&](const std::vector<const engine::Session*>& sessions) {
    std::multiset<std::string> found;
    for (const plot::Mark& mark :
         ui::overlay_of(sessions, test::chart("speedup"), {.cursor = at}).marks) {
      if (mark.kind == plot::Mark::Kind::probe)
        found.insert(mark.label.substr(0, mark.label.find_last_of(' ')));
    }
    return found;
  };
  CHECK(labels({&session}) == std::multiset<std::string>{"bf16", "fp32"});
  // "fp32: fused over unfused" of two sessions: a dot alone.
  CHECK(labels({&session, &other}) == std::multiset<std::string>{"", "", "", "", "bf16 fused",
                                                                 "bf16 unfused", "fp32 fused",
                                                                 "fp32 unfused"});
}

TEST_CASE("Against FLOP/byte no value is that of another repeat") {
  const engine::Session session = test::cpu_session();
  const auto values = [&](Fusion fusion, ui::XAxis axis) {
    Case at = fp32(fusion);
    at.repeat = 8;
    const plot::Overlay overlay =
        ui::overlay_of({&session}, test::chart("speedup"), {.x = axis, .cursor = at});
    return std::ranges::count_if(
        overlay.marks, [](const plot::Mark& mark) { return mark.kind == plot::Mark::Kind::probe; });
  };
  CHECK(values(Fusion::unfused, ui::XAxis::repeat) == 2);
  CHECK(values(Fusion::unfused, ui::XAxis::intensity) == 0);
  CHECK(values(Fusion::fused, ui::XAxis::intensity) > 0);
}

TEST_CASE("Lines of two sessions say once which session they are of") {
  engine::Session session = test::cpu_session(), other = test::cpu_session();
  other.created = "2026-11-20T10:00:00Z";
  const plot::Figure figure = ui::figure_of({&session, &other}, test::chart("speedup"), {});
  for (const plot::Series& series : figure.series) {
    CAPTURE(series.name);
    const std::size_t first = series.name.find("2026-11-20");
    CHECK((first == std::string::npos ||
           series.name.find("2026-11-20", first + 1) == std::string::npos));
  }
  const auto between = [&](const char* fusion) {
    return std::ranges::find_if(figure.series, [&](const plot::Series& series) {
      return series.name.starts_with(fmt::format("fp32 {}: ", fusion)) &&
             series.name.find(" over ") != std::string::npos;
    });
  };
  REQUIRE(between("fused") != figure.series.end());
  REQUIRE(between("unfused") != figure.series.end());
  CHECK(between("fused")->marker != between("unfused")->marker);
}
