#include "tests/plot/golden.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "tests/files.hpp"
#include "ui/plot/output/svg_canvas.hpp"

namespace test {
namespace {

/// Pixels that two mathematical libraries may disagree by, rounding included.
constexpr double tolerance = 0.15;

std::optional<std::string> read(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  return tests::read_file(file);
}

bool starts_number(std::string_view text) {
  return !text.empty() &&
         (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-');
}

/// Line by line, numbers within the tolerance; the first line that differs, or nothing.
std::optional<std::string> difference(std::string_view expected, std::string_view got) {
  std::size_t line = 1;
  while (!expected.empty() && !got.empty()) {
    double wanted = 0, found = 0;
    const auto one = std::from_chars(expected.data(), expected.data() + expected.size(), wanted);
    const auto other = std::from_chars(got.data(), got.data() + got.size(), found);
    if (starts_number(expected) && starts_number(got) && one.ec == std::errc{} &&
        other.ec == std::errc{}) {
      if (std::abs(wanted - found) > tolerance) break;
      expected.remove_prefix(static_cast<std::size_t>(one.ptr - expected.data()));
      got.remove_prefix(static_cast<std::size_t>(other.ptr - got.data()));
      continue;
    }
    if (expected[0] != got[0]) break;
    line += expected[0] == '\n' ? 1 : 0;
    expected.remove_prefix(1);
    got.remove_prefix(1);
  }
  if (expected.empty() && got.empty()) return {};
  return fmt::format("line {}: expected \"{}\", got \"{}\"", line, expected.substr(0, 60),
                     got.substr(0, 60));
}

void compare(const std::string& name, const std::string& svg) {
  const std::filesystem::path file = std::filesystem::path("goldens") / (name + ".svg");
  const std::optional<std::string> golden = read(file);
  const char* update = std::getenv("RIDGEPOINT_UPDATE_GOLDENS");
  if (!golden || (update != nullptr && std::string_view(update) == "1")) {
    tests::write_text(file, svg);
    if (!golden)
      FAIL_CHECK("there was no golden " << file << "; it has been written: look at it and add it");
    return;
  }
  const std::optional<std::string> differs = difference(*golden, svg);
  const std::filesystem::path written = std::filesystem::temp_directory_path() / (name + ".svg");
  if (differs) tests::write_text(written, svg);
  CHECK_MESSAGE(!differs, file << " differs in " << differs.value_or("nothing")
                               << "; the new picture is " << written
                               << "; RIDGEPOINT_UPDATE_GOLDENS=1 accepts it");
}

}  // namespace

void check_golden(const std::string& name, const plot::Page& page, double width, double height,
                  const plot::Style& style) {
  plot::SvgCanvas canvas(width, height);
  draw_page(page, {0, 0, width, height}, style, canvas);
  compare(name, canvas.finish());
}

void check_golden(const std::string& name, const std::array<Shown, 4>& shown, double width,
                  double height, const plot::Style& style) {
  plot::SvgCanvas canvas(width, height);
  const double w = width / 2, h = height / 2;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const plot::Rect where{i % 2 == 0 ? 0 : w, i < 2 ? 0 : h, w, h};
    const plot::Layout layout = draw(shown[i].figure, where, style, canvas);
    draw_overlay(shown[i].overlay, shown[i].figure, layout, style, canvas);
  }
  compare(name, canvas.finish());
}

void check_golden(const std::string& name, const plot::Page& page, const plot::PictureSpec& spec) {
  const plot::PictureSize size = size_of(spec, page.figures.size());
  check_golden(name, page_of(page, spec), size.width, size.height, style_of(spec));
}

}  // namespace test
