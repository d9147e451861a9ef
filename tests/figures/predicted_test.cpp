// What figures say of points that are not measured, or only at the slider.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/figures/figure_finders.hpp"
#include "tests/figures/sample_sessions.hpp"
#include "ui/figures/figures.hpp"

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

TEST_CASE("What another device would do is drawn dotted, stays in view and is called predicted") {
  const engine::Session session = test::cpu_session();
  engine::Session other;
  other.device.name = "Other";
  engine::Roof dram;
  dram.name = "DRAM copy";
  dram.kind = engine::RoofKind::bandwidth;
  dram.rate = 4.8e12;
  dram.source = engine::RoofSource::datasheet;
  engine::Roof fp32;
  fp32.name = "fp32 FMA";
  fp32.dtype = Dtype::fp32;
  fp32.units = kernels::Units::vector;
  fp32.rate = 67e12;
  fp32.source = engine::RoofSource::datasheet;
  other.roofs = {dram, fp32};
  const Case cursor{.elements = elements, .repeat = 8};
  const View view{.cursor = cursor, .what_if = other};

  const Figure roofline = figure_of({&session}, test::chart("roofline"), view);
  const plot::Roof* ghost = find_roof(roofline, "Other: fp32 FMA 67.0 TFLOP/s (datasheet)");
  REQUIRE(ghost != nullptr);
  CHECK(ghost->dash == plot::Dash::dotted);
  CHECK(ghost->x.front() == doctest::Approx(67e12 / 4.8e12));
  CHECK(roofline.y.high > 67e12);

  engine::Session int32 = session;
  for (engine::Point& point : int32.points) point.what.dtype = Dtype::int32;
  CHECK(find_roof(figure_of({&int32}, test::chart("roofline"), view), "Other: ") == nullptr);

  const Figure runtime = figure_of({&session}, test::chart("runtime"), view);
  const plot::Roof* predicted = find_roof(runtime, "fp32 fused on Other (at most)");
  REQUIRE(predicted != nullptr);
  const double fastest = 2 * 4.0 * elements / 4.8e12;  // s to read and write every element once
  CHECK(predicted->y.front() == doctest::Approx(fastest));
  CHECK(runtime.y.low < fastest);
  CHECK(find_roof(runtime, "bf16 fused on Other") == nullptr);  // its sheet has no such rate
  const auto there = [&](const View& seen, const Case& what) {
    return ui::what_if(seen, session, what);
  };
  REQUIRE(there(view, cursor));
  CHECK(there(view, cursor)->seconds == doctest::Approx(fastest));
  CHECK(there(view, cursor)->reach == 0);
  CHECK_FALSE(there({}, cursor));
  CHECK_FALSE(there(view, {.elements = 4096, .repeat = 8}));  // launches would matter
  CHECK_FALSE(there(view, {.dtype = Dtype::int32, .elements = elements}));
  const auto says_where = [](const Mark& mark) {
    return mark.label.starts_with("at most ") && mark.label.ends_with(" on Other");
  };
  CHECK(std::ranges::count_if(overlay_of({&session}, test::chart("runtime"), view).marks,
                              says_where) == 1);
  const auto page = ui::page_of({&session}, &test::chart("runtime"), view);
  CHECK(page.caption.back().starts_with("Dotted: predicted for Other"));
}

TEST_CASE("What another device would do keeps the share of the roof that the kernel reaches here") {
  engine::Session session = test::cpu_session();
  for (engine::Point& point : session.points) {
    if (point.what.repeat == 1) point.share = engine::Share{"DRAM copy", {0.8, {}, {}}};
  }
  engine::Session other;
  other.device.name = "Other";
  other.roofs = {
      test::bandwidth("DRAM copy", 4.8e12, engine::RoofSource::datasheet),
      test::compute(Dtype::fp32, kernels::Units::vector, 67e12, engine::RoofSource::datasheet)};
  const Case cursor{.elements = elements, .repeat = 8};
  View view{.cursor = cursor, .what_if = other};
  const double slower = 2 * 4.0 * elements / 4.8e12 / 0.8;
  const auto there = ui::what_if(view, session, cursor);
  REQUIRE(there);
  CHECK(there->seconds == doctest::Approx(slower));
  CHECK(there->reach == 0.8);
  const Figure runtime = figure_of({&session}, test::chart("runtime"), view);
  const plot::Roof* ghost = find_roof(runtime, "fp32 fused on Other (at most)");
  REQUIRE(ghost != nullptr);
  CHECK(ghost->y.front() == doctest::Approx(slower));

  // The datasheet says nothing of the bandwidth of a cache.
  CHECK_FALSE(ui::what_if_fits_cache(view, cursor));
  view.what_if->device.l2_bytes = 8.0 * elements;
  CHECK(ui::what_if_fits_cache(view, cursor));
  CHECK_FALSE(ui::what_if(view, session, cursor));
  CHECK(find_roof(figure_of({&session}, test::chart("runtime"), view), "fp32 fused on Other") ==
        nullptr);
}

TEST_CASE("What is predicted says for which dtype of several, and for which kernel of none") {
  engine::Session session = test::cpu_session();
  const auto labels = [&](Case cursor) {
    std::string all;
    for (const Mark& mark :
         overlay_of({&session}, test::chart("flops"), {.cursor = cursor}).marks) {
      if (mark.kind == Mark::Kind::predicted) all += mark.label;
    }
    return all;
  };
  const std::string of_chain = labels({.elements = elements, .repeat = 8});
  CHECK(of_chain.starts_with("predicted fp32 "));
  CHECK(of_chain.find("chain") == std::string::npos);
  CHECK(labels({.family = kernels::Family::tile, .elements = elements, .repeat = 8})
            .starts_with("predicted fp32 tile "));
  std::erase_if(session.points, [](const engine::Point& point) {
    return point.what.dtype != kernels::Dtype::fp32;
  });
  CHECK(labels({.elements = elements, .repeat = 8}).find("fp32") == std::string::npos);
}

namespace {

/// The labels of what stands out at the slider: none, or one.
std::string label_at_slider(const engine::Session& session, const View& view) {
  std::string all;
  for (const Mark& mark : overlay_of({&session}, test::chart("runtime"), view).marks) {
    if (mark.kind == Mark::Kind::probe && !mark.faded) all += mark.label;
  }
  return all;
}

engine::Point with_seconds(engine::Point point, double seconds) {
  point.seconds.median = seconds;
  return point;
}

}  // namespace

TEST_CASE("At the slider's place the point that was measured last stands out with its value") {
  engine::Session session = test::cpu_session();
  const Case what{.elements = elements, .repeat = 16};
  const View view{.cursor = what};
  const auto found = std::ranges::find(session.points, what, &engine::Point::what);
  REQUIRE(found != session.points.end());
  found->seconds.median = 0.25;
  CHECK(label_at_slider(session, view) == "250 ms");
  CHECK(label_at_slider(session, {}).empty());
  CHECK(label_at_slider(session, {.cursor = what, .probes = false}).empty());
  engine::Point swept = *found;
  const std::string id = ui::series_id(session, swept);
  CHECK(label_at_slider(session, {.cursor = what, .hidden = {id}}).empty());

  engine::Point probe = with_seconds(swept, 0.5);
  probe.probe = true;
  session.points.push_back(probe);
  CHECK(label_at_slider(session, view) == "500 ms");
  swept.run += 1;
  session.points.push_back(with_seconds(swept, 0.125));
  CHECK(label_at_slider(session, view) == "125 ms");
  // A newer run of another dtype takes nothing from it.
  swept.run += 1;
  swept.what.dtype = kernels::Dtype::fp64;
  session.points.push_back(swept);
  CHECK(label_at_slider(session, view) == "125 ms");
  std::erase_if(session.points, [&](const engine::Point& point) { return point.what == what; });
  CHECK(label_at_slider(session, view).empty());
}

TEST_CASE("Probes are marks with their value and no part of a line") {
  engine::Session session = test::cpu_session();
  engine::Point probe = test::point_at_roofs(session, {.elements = elements, .repeat = 11}, 0.5);
  probe.probe = true;
  session.points.push_back(probe);
  probe.what.repeat = 13;
  probe.work = kernels::work_of(probe.what);
  session.points.push_back(probe);
  for (const engine::Chart& panel : test::sweep_charts()) {
    // The slider has left 11 for 13.
    const Figure figure = figure_of({&session}, panel, {.cursor = probe.what});
    CHECK(find_series(figure, "fp32 fused")->points->size() == 11);
    const plot::Overlay overlay = overlay_of({&session}, panel, {.cursor = probe.what});
    std::vector<Mark> probes;
    std::ranges::copy_if(overlay.marks, std::back_inserter(probes),
                         [](const Mark& m) { return m.kind == Mark::Kind::probe; });
    REQUIRE(probes.size() == 2);
    CHECK(probes[0].faded);
    CHECK_FALSE(probes[1].faded);
    CHECK_FALSE(probes[1].label.empty());
  }
}

TEST_CASE("The cursor stands at its case in every panel, with what the roofs predict there") {
  const engine::Session session = test::cpu_session();
  const Case what{.elements = elements, .repeat = 16};
  const View view{.cursor = what};
  const kernels::Work work = kernels::work_of(what);
  const double seconds = engine::predict(session, what, work).seconds();
  const auto check = [&](const engine::Chart& panel, double x, double y) {
    const plot::Overlay overlay = overlay_of({&session}, panel, view);
    REQUIRE(overlay.cursor);
    CHECK(overlay.cursor->x == doctest::Approx(x));
    REQUIRE_FALSE(overlay.marks.empty());
    const Mark* mark = &overlay.marks.back();
    CHECK(mark->kind == Mark::Kind::predicted);
    CHECK(mark->x == doctest::Approx(x));
    CHECK(mark->y == doctest::Approx(y));
  };
  check(test::chart("roofline"), 4, work.flops / seconds);
  check(test::chart("runtime"), 16, seconds);
  check(test::chart("flops"), 16, work.flops / seconds);
  check(test::chart("bandwidth"), 16, work.bytes / seconds);
}

TEST_CASE("A cursor without elements, or without roofs, predicts nothing") {
  engine::Session session = test::cpu_session();
  CHECK_FALSE(overlay_of({&session}, test::chart("runtime"), {.cursor = Case{}}).cursor);
  session.roofs.clear();
  const plot::Overlay overlay = overlay_of({&session}, test::chart("runtime"),
                                           {.cursor = Case{.elements = elements, .repeat = 16}});
  CHECK(overlay.cursor);
  CHECK(std::ranges::find(overlay.marks, Mark::Kind::predicted, &Mark::kind) ==
        overlay.marks.end());
}

TEST_CASE("The attainable line bends exactly where one roof takes over from the other") {
  const engine::Session session = test::cpu_session();
  const Figure figure = figure_of({&session}, test::chart("flops"), {});
  const auto thin = std::ranges::find_if(figure.roofs, &plot::Roof::thin);
  REQUIRE(thin != figure.roofs.end());
  CHECK(thin->y.back() == doctest::Approx(237e9));
  CHECK(thin->y.front() == doctest::Approx(35.1e9 / 4));
  for (std::size_t i = 0; i < thin->x.size(); ++i) {
    CHECK(thin->y[i] == doctest::Approx(std::min(237e9, 35.1e9 / 4 * thin->x[i])));
    if (i > 0) CHECK(thin->x[i] > thin->x[i - 1]);
  }
  CHECK(std::ranges::find_if(thin->x, [](double x) { return x == 27 || x == 28; }) !=
        thin->x.end());
}
