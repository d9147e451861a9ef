// The legend, and what is drawn over a figure: the cursor and its labels.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/plot/drawn.hpp"
#include "tests/plot/random_figures.hpp"

using plot::Figure;
using plot::Layout;
using plot::Vec;
using test::check_texts;
using test::drawn;
using test::has_text;
using test::RecordingCanvas;
using test::rising;

TEST_CASE("The legend lies inside the plot where it is empty and above the plot where it is not") {
  const Figure sparse = rising(6, 4);
  RecordingCanvas canvas(800, 500);
  const Layout inside = drawn(sparse, canvas);
  REQUIRE_FALSE(inside.legend.empty());
  CHECK(inside.plot.contains({inside.legend[0].box.x, inside.legend[0].box.y}));
  Figure crowded = sparse;
  plot::Points everywhere = *sparse.series[0].points;
  for (int i = 0; i < 3000; ++i) {
    everywhere.x.push_back(std::pow(10.0, 3 * ((i * 7919) % 3000) / 3000.0));
    everywhere.y.push_back(1e9 * std::pow(10.0, 3 * ((i * 104729) % 3000) / 3000.0));
  }
  crowded.series[0].points = everywhere;
  fit(crowded);
  const Layout above = drawn(crowded, canvas);
  REQUIRE_FALSE(above.legend.empty());
  CHECK(above.legend[0].box.bottom() <= above.plot.y);
}

TEST_CASE("The legend says what signs mean, but names every series first") {
  Figure figure = rising(6, 2);
  const auto has = [&](std::string_view text, double width) {
    RecordingCanvas canvas(width, 300);
    return has_text(drawn(figure, canvas, width, 300), text);
  };
  CHECK_FALSE(has("doubtful", 800));
  figure.keys = {{plot::Key::Sign::doubtful, "doubtful"},
                 {plot::Key::Sign::faded, "an earlier run"}};
  CHECK(has("doubtful", 800));
  CHECK(has("an earlier run", 800));
  figure.series.push_back(figure.series[0]);
  figure.series[1].name = "another series with a long name";
  for (double width = 200; width < 800; width += 20) {
    CAPTURE(width);
    if (has("doubtful", width)) CHECK(has(figure.series[1].name, width));
  }
}

TEST_CASE("A legend elsewhere leaves the whole figure to the plot") {
  const Figure figure = rising(6, 4);
  RecordingCanvas canvas(800, 500);
  const plot::Rect where{0, 0, 800, 500};
  const Layout layout = draw(figure, where, plot::dark_style(), canvas, plot::Legend::elsewhere);
  CHECK(layout.legend.empty());
  CHECK_FALSE(layout.legend_box);
  CHECK_FALSE(has_text(layout, figure.series[0].name));
}

TEST_CASE("A sample in a legend has the dashes, the marker and the colour of its line") {
  const plot::Style style = plot::light_style();
  for (const plot::Dash dash : {plot::Dash::solid, plot::Dash::dashed, plot::Dash::dotted}) {
    RecordingCanvas canvas(100, 20);
    draw_sample(plot::Series{.colour = 3, .dash = dash}, {0, 0, plot::sample_width(style), 20},
                style, canvas);
    REQUIRE(canvas.paths.size() == 1);
    CHECK(canvas.paths[0].dash == dash);
    CHECK(canvas.paths[0].colour == style.series_colours[3]);
    // A dash shows on each side of the marker.
    const double beside = plot::sample_width(style) / 2 - style.marker_size;
    CHECK(beside > 5 * style.line_width);
  }
}

TEST_CASE("A doubtful point has a dashed outline in its series' own colour, and no other") {
  Figure figure = rising(6, 1);
  plot::Points points = *figure.series[0].points;
  const auto paths = [&](bool doubtful, bool faded) {
    points.flagged.assign(points.x.size(), 0);
    points.flagged[2] = doubtful ? 1 : 0;
    figure.series[0].points = points;
    figure.series[0].faded = faded;
    RecordingCanvas canvas(800, 500);
    drawn(figure, canvas);
    return canvas.paths;
  };
  const plot::Style style = plot::dark_style();
  const std::size_t sound = paths(false, false).size();
  CHECK(paths(true, false).size() > sound + 3);
  for (const bool faded : {false, true}) {
    for (const auto& path : paths(true, faded)) {
      CHECK_FALSE(path.colour == style.accent);
      for (const plot::Colour& regime : style.regime_colours) CHECK_FALSE(path.colour == regime);
    }
  }
}

/// A cursor somewhere in the figure, what was measured there and what is predicted.
plot::Overlay overlay_at(const Figure& figure, double share) {
  const double x = figure.x.low * std::pow(figure.x.high / figure.x.low, share);
  const double y = figure.y.low * std::pow(figure.y.high / figure.y.low, share);
  plot::Overlay overlay{plot::Cursor{x, "the cursor's label"}, {}};
  overlay.marks.push_back({x, y, "measured", plot::Mark::Kind::probe});
  overlay.marks.push_back({x, 0.9 * y, "predicted 12 GFLOP/s", plot::Mark::Kind::predicted});
  return overlay;
}

TEST_CASE("Texts of an overlay keep off those of the figure and of each other") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Figure figure = test::random_figure(seed);
    const test::Size size = test::random_size(seed);
    RecordingCanvas canvas(size.w, size.h);
    Layout layout = draw(figure, {0, 0, size.w, size.h}, plot::dark_style(), canvas);
    const plot::Overlay overlay = overlay_at(figure, 0.01 * (seed % 100));
    const auto texts = draw_overlay(overlay, figure, layout, plot::dark_style(), canvas);
    layout.texts.insert(layout.texts.end(), texts.begin(), texts.end());
    check_texts(layout);
    CHECK(canvas.all_finite());
    CHECK(canvas.open_clips() == 0);
  }
}

TEST_CASE("The cursor's line runs from top to bottom, but not through texts") {
  Figure figure = rising(6, 4);
  figure.roofs.push_back({.label = "a roof with a label", .x = {1e-3, 1e6}, .y = {1e11, 1e11}});
  RecordingCanvas canvas(800, 500);
  const Layout layout = drawn(figure, canvas);
  for (double share = 0.01; share < 1; share += 0.01) {
    CAPTURE(share);
    RecordingCanvas over(800, 500);
    draw_overlay({overlay_at(figure, share).cursor, {}}, figure, layout, plot::light_style(), over);
    REQUIRE_FALSE(over.paths.empty());
    CHECK(over.paths.front().points.front().y >= layout.plot.y);
    CHECK(over.paths.back().points.back().y <= layout.plot.bottom() + 1e-6);
    for (const auto& path : over.paths) {
      for (const plot::PlacedText& text : layout.texts) {
        const Vec from = path.points.front(), to = path.points.back();
        const bool beside = from.x < text.box.x || from.x > text.box.right();
        CHECK((beside || to.y <= text.box.y + 1e-6 || from.y >= text.box.bottom() - 1e-6));
      }
    }
  }
}
