#include "ui/plot/output/presets.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>

#include "tests/figures/random_sessions.hpp"
#include "tests/figures/sample_sessions.hpp"
#include "tests/plot/recording_canvas.hpp"
#include "tests/text.hpp"
#include "ui/figures/figures.hpp"
#include "ui/plot/boxes.hpp"
#include "ui/plot/output/svg_canvas.hpp"

using plot::Format;
using plot::PictureSpec;
using plot::Preset;
using ui::page_of;

namespace {

std::vector<plot::Layout> layouts_of(const plot::Page& page, const PictureSpec& spec) {
  const plot::PictureSize size = size_of(spec, page.figures.size());
  plot::SvgCanvas canvas(size.width, size.height);
  return draw_page(page_of(page, spec), {0, 0, size.width, size.height}, style_of(spec), canvas);
}

std::vector<plot::PlacedText> texts_of(const std::vector<plot::Layout>& layouts) {
  std::vector<plot::PlacedText> texts;
  for (const plot::Layout& layout : layouts)
    texts.insert(texts.end(), layout.texts.begin(), layout.texts.end());
  return texts;
}

void check_page(const plot::Page& page, const PictureSpec& spec) {
  const plot::PictureSize size = size_of(spec, page.figures.size());
  const auto texts = texts_of(layouts_of(page, spec));
  REQUIRE(texts.size() >= 8);
  const plot::Rect whole{0, 0, size.width, size.height};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(texts[i].text);
    REQUIRE(plot::inside(texts[i].box, whole));
    // A hair less than touching, for rounding.
    const plot::Box own = texts[i].turned.grown(-0.01);
    for (std::size_t j = 0; j < i; ++j) {
      if (!plot::overlap(texts[i].box, texts[j].box)) continue;
      CAPTURE(texts[j].text);
      REQUIRE_FALSE(plot::overlap(own, texts[j].turned));
    }
  }
}

PictureSpec spec_of(const char* preset) { return {.preset = plot::preset_named(preset)}; }

std::string caption_of(const plot::Page& page, const PictureSpec& spec) {
  const auto layouts = layouts_of(page, spec);
  std::string text;
  for (const auto& line : layouts.back().texts) text += line.text + "\n";
  return text;
}

}  // namespace

TEST_CASE("In 200 random sessions no text leaves the page or touches another, at every preset") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const engine::Session one = test::random_session(seed), other = test::random_session(seed + 1);
    const std::vector<const engine::Session*> shown =
        seed % 4 == 0 ? std::vector{&one, &other} : std::vector{&one};
    const engine::Chart panel = test::sweep_charts()[seed % 4];
    const ui::View view{.x = seed % 2 == 0 ? ui::XAxis::repeat : ui::XAxis::both};
    const plot::Page single = page_of(shown, &panel, view), all = page_of(shown, {}, view);
    for (const Preset& preset : plot::presets()) {
      CAPTURE(preset.name);
      PictureSpec spec{.preset = &preset, .caption = seed % 5 != 0};
      if (seed % 3 == 0) spec.theme = plot::Theme::bw;
      check_page(single, spec);
      check_page(all, spec);
    }
  }
}

TEST_CASE("The same session gives the same bytes, at every preset and in every format") {
  const engine::Session session = test::cpu_session();
  for (const Preset& preset : plot::presets()) {
    for (const Format format : {Format::svg, Format::pdf, Format::png}) {
      const PictureSpec spec{.preset = &preset};
      const plot::Page page = page_of({&session}, &test::chart("roofline"), {});
      CHECK(render(page, spec, format) ==
            render(page_of({&session}, &test::chart("roofline"), {}), spec, format));
    }
  }
}

TEST_CASE("Presets have the sizes of what they are for") {
  CHECK(size_of(spec_of("web"), 4) == plot::PictureSize{1600, 1000});
  const plot::PictureSize slide = size_of(spec_of("slide"), 1);
  CHECK(slide.width / slide.height == doctest::Approx(16.0 / 9));
  CHECK(size_of(spec_of("paper"), 1).width == doctest::Approx(3.3 * 72));
  CHECK(size_of(spec_of("paper-wide"), 1).width == doctest::Approx(6.9 * 72));
  CHECK(plot::preset_named("paper")->dots_per_inch() == doctest::Approx(300));
  CHECK(plot::preset_named("Paper") == nullptr);
}

TEST_CASE("Further rows of figures make paper longer, and nothing else") {
  const double one = size_of(spec_of("paper"), 1).height;
  CHECK(size_of(spec_of("paper"), 4).height > 3 * one);
  CHECK(size_of(spec_of("paper-wide"), 2).height == size_of(spec_of("paper-wide"), 1).height);
  CHECK(size_of(spec_of("paper-wide"), 4).height > size_of(spec_of("paper-wide"), 2).height);
  CHECK(size_of(spec_of("slide"), 4) == size_of(spec_of("slide"), 1));
}

TEST_CASE("Type on paper is between 6 and 10 points, whatever the size") {
  const engine::Session session = test::cpu_session();
  for (const char* name : {"paper", "paper-wide"}) {
    for (const bool all : {false, true}) {
      const plot::Page page = page_of({&session}, all ? nullptr : &test::chart("roofline"), {});
      PictureSpec spec = spec_of(name);
      const plot::PictureSize size = size_of(spec, page.figures.size());
      test::RecordingCanvas canvas(size.width, size.height);
      draw_page(page, {0, 0, size.width, size.height}, style_of(spec), canvas);
      for (const auto& text : canvas.texts) {
        CAPTURE(text.text);
        CHECK(text.size > 6);
        CHECK(text.size < 10);
      }
    }
  }
}

TEST_CASE("A size of its own keeps the preset's type") {
  PictureSpec spec = spec_of("paper");
  spec.size = plot::PictureSize{640, 480};
  CHECK(size_of(spec, 4) == plot::PictureSize{640, 480});
  CHECK(style_of(spec).scale == style_of(spec_of("paper")).scale);
  CHECK_FALSE(style_of(spec).grows);
}

TEST_CASE("A small page tells device, clock, date and version; a large one all it knows") {
  const engine::Session session = test::cpu_session();
  const plot::Page page = page_of({&session}, &test::chart("roofline"), {});
  const std::string small = caption_of(page, spec_of("paper"));
  for (const char* part : {"AMD EPYC 9B14", "3.70\u00a0GHz", "2026-11-21", "Ridgepoint 0.1.0"}) {
    CAPTURE(part);
    CHECK(tests::contains(small, part));
  }
  CHECK_FALSE(tests::contains(small, "Linux 6.1.0"));
  CHECK(tests::contains(caption_of(page, spec_of("web")), "Linux 6.1.0"));
}

TEST_CASE("A caption that fits in no way ends in an ellipsis") {
  engine::Session session = test::cpu_session();
  session.device.name = std::string(300, 'W');
  CHECK(tests::contains(
      caption_of(page_of({&session}, &test::chart("flops"), {}), spec_of("paper")), "\u2026"));
}

TEST_CASE("Without its caption a page has a heading alone") {
  const engine::Session session = test::cpu_session();
  PictureSpec spec = spec_of("web");
  spec.caption = false;
  CHECK(caption_of(page_of({&session}, {}, {}), spec) ==
        "AMD EPYC 9B14: chain fma in fp32 and bf16\n");
}

TEST_CASE("A transparent PNG has an alpha channel, another has none") {
  const engine::Session session = test::cpu_session();
  PictureSpec spec = spec_of("web");
  const auto colour_type = [&] {
    return static_cast<int>(
        render(page_of({&session}, &test::chart("roofline"), {}), spec, Format::png).at(25));
  };
  CHECK(colour_type() == 2);
  spec.transparent = true;
  CHECK(colour_type() == 6);
}

TEST_CASE("A PNG for paper tells its resolution, and is as large in inches as the paper asks") {
  const engine::Session session = test::cpu_session();
  const plot::Page page = page_of({&session}, &test::chart("roofline"), {});
  const std::string paper = render(page, spec_of("paper"), Format::png);
  CHECK(paper.substr(37, 4) == "pHYs");
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8 | static_cast<unsigned char>(paper.at(at + i));
    return value;
  };
  CHECK(number(41) == 11811);  // pixels per metre: 300 dpi
  CHECK(number(16) == 990);
  CHECK(render(page, spec_of("web"), Format::png).find("pHYs") == std::string::npos);
}

TEST_CASE("In black and white every colour is a grey and series differ in all panels") {
  const plot::Style style = plot::bw_style();
  for (const plot::Colour& colour :
       {style.background, style.frame, style.text, style.text_dim, style.roof, style.roof_dim,
        style.cursor, style.accent, style.series_colours.front()}) {
    CHECK(colour.r == colour.g);
    CHECK(colour.g == colour.b);
  }
  for (unsigned seed = 0; seed < 50; ++seed) {
    const engine::Session session = test::random_session(seed);
    const plot::Figure figure =
        plot::in_black_and_white(ui::figure_of({&session}, test::chart("flops"), {}));
    std::set<std::string> names;
    std::set<std::tuple<plot::Marker, bool, plot::Dash>> looks;
    for (const plot::Series& series : figure.series) {
      names.insert(series.name);
      looks.insert({series.marker, series.filled, series.dash});
    }
    CHECK(looks.size() == names.size());
  }
}

TEST_CASE("Two series that differed in colour alone keep their markers in black and white") {
  plot::Figure figure;
  for (const char* name : {"fp32 fused", "bf16 fused", "fp32 fused"}) {
    plot::Series series;
    series.name = name;
    series.colour = name[0] == 'f' ? 0 : 1;
    figure.series.push_back(series);
  }
  const plot::Figure bw = plot::in_black_and_white(figure);
  CHECK(bw.series[0].marker == bw.series[1].marker);
  CHECK(bw.series[0].dash != bw.series[1].dash);
  CHECK(bw.series[0].dash == bw.series[2].dash);
}
