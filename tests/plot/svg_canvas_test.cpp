// The canvas of SVG: what it writes, and that readers cannot misread it.
#include "ui/plot/output/svg_canvas.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "tests/plot/random_figures.hpp"
#include "tests/text.hpp"
#include "ui/plot/output/document.hpp"
#include "ui/plot/output/picture.hpp"

using plot::Align;
using plot::Colour;
using plot::Dash;
using plot::SvgCanvas;
using plot::Vec;
using tests::contains;

namespace {

constexpr Colour black{0, 0, 0, 1}, glass{1, 0.5F, 0, 0.25F};

/// The elements that `draw` makes, without those around them.
template <typename Draw>
std::string drawn(const Draw& draw) {
  SvgCanvas canvas(100, 50);
  draw(canvas);
  const std::string svg = canvas.finish();
  const std::size_t from = svg.find(">\n") + 2;
  return svg.substr(from, svg.rfind("</svg>") - from);
}

std::string line(std::vector<Vec> points, Dash dash = Dash::solid, double width = 2) {
  return drawn([&](SvgCanvas& c) { c.path(points, black, width, dash, false); });
}

std::string written(std::string_view words) {
  return drawn([&](SvgCanvas& c) { c.text({1, 2}, words, 10, black, Align::left, 0, false); });
}

/// Walks over XML; says where it is not well-formed, or nothing.
class Checked {
 public:
  explicit Checked(std::string_view xml) : rest_(xml) {}

  std::string problem() {
    while (!rest_.empty() && problem_.empty()) rest_.front() == '<' ? tag() : content();
    if (problem_.empty() && !open_.empty()) problem_ = "not closed: " + open_.back();
    return problem_;
  }

 private:
  void content() {
    const std::size_t end = std::min(rest_.find('<'), rest_.size());
    check(rest_.substr(0, end));
    rest_.remove_prefix(end);
  }

  /// Text, or the value of an attribute.
  void check(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if ((c < 0x20 && c != '\n') || c == '<' || c == '>') problem_ = std::string(text);
      if (c != '&') continue;
      const std::string_view entity = text.substr(i, text.find(';', i) - i + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;")
        problem_ = std::string(text);
    }
  }

  void tag() {
    const std::size_t end = rest_.find('>');
    if (end == std::string_view::npos) {
      problem_ = "a tag does not end";
      return;
    }
    std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (inside.starts_with('?')) return;
    if (inside.starts_with('/')) {
      if (open_.empty() || open_.back() != inside.substr(1))
        problem_ = "closes " + std::string(inside);
      if (!open_.empty()) open_.pop_back();
      return;
    }
    const bool empty = inside.ends_with('/');
    if (empty) inside.remove_suffix(1);
    const std::string_view name = inside.substr(0, inside.find(' '));
    if (!empty) open_.emplace_back(name);
    attributes(inside.substr(name.size()));
  }

  void attributes(std::string_view text) {
    while (!text.empty() && problem_.empty()) {
      const std::size_t quote = text.find("=\"");
      const std::size_t end = quote == text.npos ? quote : text.find('"', quote + 2);
      if (text.front() != ' ' || end == text.npos) {
        problem_ = "attributes: " + std::string(text);
        return;
      }
      check(text.substr(quote + 2, end - quote - 2));
      text.remove_prefix(end + 1);
    }
  }

  std::string_view rest_;
  std::vector<std::string> open_;
  std::string problem_;
};

}  // namespace

TEST_CASE("Numbers have at most two decimals, and none that say nothing") {
  CHECK(
      contains(line({{1.005, 2}, {3.14159, -0.001}, {-7.5, 0.126}}), "\"M1 2L3.14 0L-7.5 0.13\""));
  CHECK(contains(line({{0.999, 10.999}, {12.04, 100}}), "\"M1 11L12.04 100\""));
}

TEST_CASE("Level and upright lines name the end alone, and a path leaves out what is no number") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(contains(line({{1, 2}, {9, 2}, {nan, 3}, {9, 7}}), "d=\"M1 2H9V7\""));
  CHECK(line({{nan, nan}}).empty());
  CHECK(contains(line({{0, 1e300}, {1, 2}}), "M0 1000000000L1 2"));
}

TEST_CASE("Lines that look alike and follow each other are one path") {
  const std::array<Vec, 2> one{{{0, 0}, {1, 1}}}, other{{{5, 5}, {6, 7}}};
  const auto both = [&](double width, Colour colour) {
    return drawn([&](SvgCanvas& c) {
      c.path(one, black, 2, Dash::solid, false);
      c.path(other, colour, width, Dash::solid, false);
    });
  };
  CHECK(both(2, black) == "<path d=\"M0 0L1 1M5 5L6 7\" stroke=\"#000\" stroke-width=\"2\"/>\n");
  CHECK(contains(both(3, black), "stroke-width=\"2\"/>\n<path"));
  CHECK(contains(both(2, glass), "stroke=\"#ff8000\" stroke-opacity=\"0.25\""));
}

TEST_CASE("Strokes keep their order between other shapes") {
  const std::array<Vec, 2> stroke{{{0, 0}, {1, 1}}};
  const std::string body = drawn([&](SvgCanvas& c) {
    c.path(stroke, black, 1, Dash::solid, false);
    c.dot({2, 2}, 1, black);
    c.path(stroke, black, 1, Dash::solid, false);
  });
  CHECK(body.find("<path") < body.find("<circle"));
  CHECK(body.find("<circle") < body.rfind("<path"));
}

TEST_CASE("Dashes follow the width, and a dotted line has round dots") {
  const std::vector<Vec> ends{{0, 0}, {9, 1}};
  CHECK_FALSE(contains(line(ends), "dash"));
  CHECK(contains(line(ends, Dash::dashed), "stroke-dasharray=\"8 6\""));
  CHECK(
      contains(line(ends, Dash::dotted, 1), "stroke-linecap=\"round\" stroke-dasharray=\"0 2.5\""));
  CHECK(contains(line(ends, Dash::dash_dotted), "stroke-dasharray=\"8 6 2 6\""));
}

TEST_CASE("Areas, dots and rings carry their colours") {
  const std::array<Vec, 4> box{{{1, 1}, {4, 1}, {4, 3}, {1, 3}}};
  CHECK(drawn([&](SvgCanvas& c) { c.fill(box, glass); }) ==
        "<path d=\"M1 1H4V3H1Z\" fill=\"#ff8000\" fill-opacity=\"0.25\"/>\n");
  CHECK(drawn([](SvgCanvas& c) {
          c.dot({1, 2}, 3, black);
        }) == "<circle cx=\"1\" cy=\"2\" r=\"3\" fill=\"#000\"/>\n");
  CHECK(drawn([](SvgCanvas& c) { c.dot({1, 2}, 0, black); }).empty());
  CHECK(drawn([](SvgCanvas& c) {
          c.ring({1, 2}, 4, 1, black, {1, 1, 1, 1});
        }) ==
        "<circle cx=\"1\" cy=\"2\" r=\"3.5\" fill=\"#fff\" stroke=\"#000\" stroke-width=\"1\"/>\n");
}

TEST_CASE("Text stays text, with its anchor, its weight and its turn") {
  CHECK(written("64 Mi") ==
        "<text x=\"1\" y=\"5.46\" font-size=\"10\" fill=\"#000\">64 Mi</text>\n");
  const std::string turned = drawn([](SvgCanvas& c) {
    c.text({10, 20}, "up", 10, black, Align::centre, -std::numbers::pi / 2, true);
  });
  CHECK(contains(turned, "transform=\"translate(10 20) rotate(-90)\" y=\"3.46\""));
  CHECK(contains(turned, "font-weight=\"bold\" text-anchor=\"middle\""));
  SvgCanvas canvas(10, 10);
  CHECK(contains(canvas.finish(), "font-family=\"DejaVu Sans, Verdana,"));
}

TEST_CASE("Markup, control characters and broken UTF-8 in a text are only shown") {
  CHECK(contains(written("<script>alert(1)</script>"), ">&lt;script&gt;alert(1)&lt;/script&gt;<"));
  CHECK(contains(written("a & \"b\""), ">a &amp; &quot;b&quot;<"));
  CHECK(contains(written("bell\a, \xff, \u202e"), ">bell\\x07, \\xff, \\u202e<"));
  CHECK(contains(written("no \uffff, \ufffe"), ">no \ufffd, \ufffd<"));
}

TEST_CASE("Clips have ids that begin as asked, and one around everything has none") {
  SvgCanvas canvas(100, 50, "roofline-");
  canvas.push_clip({0, 0, 100, 50});
  canvas.push_clip({10, 20, 30, 5});
  canvas.dot({1, 2}, 3, black);
  canvas.pop_clip();
  canvas.pop_clip();
  const std::string svg = canvas.finish();
  CHECK(contains(svg,
                 "<clipPath id=\"roofline-clip1\"><path d=\"M10 20H40V25H10Z\"/></clipPath>\n"
                 "<g clip-path=\"url(#roofline-clip1)\">\n<circle"));
  CHECK_FALSE(contains(svg, "clip2"));
  CHECK(Checked(svg).problem().empty());
}

TEST_CASE("Pictures of random figures are well-formed XML, whatever their texts are") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    plot::Figure figure = test::random_figure(seed);
    figure.title = "</text><script>\"&'\x01\xc3(\uffff";
    figure.keys = {{plot::Key::Sign::doubtful, "]]> & <"}};
    for (plot::Series& series : figure.series) series.name += " <b>&amp;";
    const plot::Page page{"<&>", {figure}, {"--> <!-- \x02"}};
    const std::string svg = render(page, 900, 600, plot::light_style(), plot::Format::svg);
    CHECK(Checked(svg).problem() == "");
    CHECK_FALSE(contains(svg, "<script"));
    CHECK_FALSE(contains(svg, "nan"));
  }
}

TEST_CASE("The widths of texts are those of DejaVu Sans") {
  if (!std::filesystem::exists("/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf")) {
    MESSAGE("skipped: DejaVu Sans is not where Debian's fonts-dejavu-core puts it");
    return;
  }
  plot::Document pdf(10, 10, "");  // measures with Cairo
  std::vector<std::string> characters{"\u2212", "\u207b", "\u2074", "\u2079", "\u03bc", "\u2013",
                                      "\u2192", "\u2264", "\u2265", "\u20ac", "\u2022", "e\u0301"};
  for (char c = ' '; c <= '~'; ++c) characters.emplace_back(1, c);
  for (int c = 0xa0; c <= 0xff; ++c)
    characters.push_back({static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))});
  characters.emplace_back("NVIDIA H200, 64 Mi elements \u00b7 fp32 FMA, \u00b5s");
  for (const std::string& text : characters) {
    CAPTURE(text);
    for (const bool bold : {false, true}) {
      CHECK(plot::text_width(text, bold) ==
            doctest::Approx(pdf.canvas().text_extent(text, 1000, bold).x / 1000).epsilon(1e-3));
    }
  }
  // Of all others only that they are not wider than it says.
  for (const char* text : {"\u0416", "\u0152", "\u2203", "\u65e5", "\U0001f600"})
    CHECK(plot::text_width(text, false) >= 0.9);
  const Vec extent = pdf.canvas().text_extent("Hg", 1000, false);
  CHECK((plot::text_ascent + plot::text_descent) * 1000 == doctest::Approx(extent.y).epsilon(1e-3));
}

TEST_CASE("A layout leaves room for a font that is two percent wider") {
  SvgCanvas canvas(10, 10);
  for (const char* text : {"Roofline", "64 Mi elements"})
    CHECK(canvas.text_extent(text, 20, true).x >= 1.02 * 20 * plot::text_width(text, true));
}
