#include "ui/plot/output/picture.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>

#include "tests/plot/random_figures.hpp"
#include "ui/plot/output/document.hpp"
#include "ui/plot/output/svg_canvas.hpp"

using plot::Format;

namespace {

plot::Page sample() {
  return {"A page", {test::random_figure(3), test::random_figure(8)}, {"one line", "another line"}};
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

}  // namespace

TEST_CASE("The ending of a file name decides the format") {
  CHECK(plot::format_of("a.png") == Format::png);
  CHECK(plot::format_of("dir.svg/A.SVG") == Format::svg);
  CHECK(plot::format_of("x.pdf") == Format::pdf);
  CHECK(plot::format_of("x.Html") == Format::html);
  CHECK_FALSE(plot::format_of("png"));
  CHECK_FALSE(plot::format_of("a.jpg"));
  CHECK_FALSE(plot::format_of(""));
}

TEST_CASE("A picture drawn twice is byte-identical, in every format") {
  for (const Format format : {Format::png, Format::svg, Format::pdf}) {
    const std::string first = render(sample(), 900, 600, plot::light_style(), format);
    render(sample(), 300, 200, plot::dark_style(), format);
    CHECK(first == render(sample(), 900, 600, plot::light_style(), format));
    CHECK(first.size() > 5000);
  }
}

TEST_CASE("A PNG has the size asked for, times the scale") {
  const std::string png = render(sample(), 400, 300, plot::light_style(), Format::png, 2);
  CHECK(png.substr(1, 3) == "PNG");
  CHECK(big_endian(png, 16) == 800);
  CHECK(big_endian(png, 20) == 600);
}

TEST_CASE("SVG and PDF begin and end as they must") {
  const std::string svg = render(sample(), 400, 300, plot::light_style(), Format::svg);
  CHECK(svg.starts_with("<?xml"));
  CHECK(svg.find("width=\"400pt\"") != std::string::npos);
  CHECK(svg.ends_with("</svg>\n"));
  const std::string pdf = render(sample(), 400, 300, plot::light_style(), Format::pdf);
  CHECK(pdf.starts_with("%PDF-"));
  CHECK(pdf.find("%%EOF") != std::string::npos);
}

TEST_CASE("A size that cannot be drawn is refused with a sentence") {
  for (const auto& [w, h] :
       {std::pair{0.0, 100.0}, {100.0, 0.0}, {-5.0, 10.0}, {1e6, 10.0}, {10.0, 1e300}}) {
    CHECK_THROWS_AS(render(sample(), w, h, plot::light_style(), Format::png), std::runtime_error);
    CHECK_THROWS_AS(render(sample(), w, h, plot::light_style(), Format::svg), std::runtime_error);
  }
  CHECK_THROWS_AS(render(sample(), 10, 10, plot::light_style(), Format::png, 0),
                  std::runtime_error);
}

TEST_CASE("Layouts in real fonts keep every text inside its figure") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    plot::SvgCanvas canvas(700, 450);
    const auto layouts = draw_page({"", {test::random_figure(seed)}, {}}, {0, 0, 700, 450},
                                   plot::light_style(), canvas);
    REQUIRE(layouts.size() == 2);
    for (const auto& text : layouts[0].texts) {
      CAPTURE(text.text);
      CHECK(text.box.x >= layouts[0].frame.x - 1e-6);
      CHECK(text.box.y >= layouts[0].frame.y - 1e-6);
      CHECK(text.box.right() <= layouts[0].frame.right() + 1e-6);
      CHECK(text.box.bottom() <= layouts[0].frame.bottom() + 1e-6);
    }
  }
}

namespace {

std::string document() {
  plot::Document pdf(300, 400, "A document");
  const auto write = [&](const char* words) {
    pdf.canvas().text({10, 20}, words, 12, {0, 0, 0, 1}, plot::Align::left, 0, false);
  };
  pdf.link("end", [&] { write("Go to the end"); });
  pdf.next_page();
  pdf.add_place("end", "The end");
  write("It ends here");
  return pdf.finish();
}

}  // namespace

TEST_CASE("A document has pages, and links to places in it") {
  const std::string bytes = document();
  CHECK(bytes.starts_with("%PDF-1."));
  CHECK(bytes.find("/Count 2") != std::string::npos);
  CHECK(bytes.find("(The end)") != std::string::npos);
  CHECK(bytes == document());
}
