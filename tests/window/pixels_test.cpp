// What counts as another picture of the window, and what does not.
#include "tests/window/pixels.hpp"

#include <doctest/doctest.h>

#include "tests/cli/program.hpp"

using test::difference;
using test::Pixels;

namespace {

Pixels grey(int width, int height) {
  return {width, height,
          std::vector<std::uint32_t>(static_cast<std::size_t>(width * height), 0x606060)};
}

void fill(Pixels& picture, int left, int top, int width, int height, std::uint32_t colour) {
  for (int y = top; y < top + height; ++y)
    for (int x = left; x < left + width; ++x)
      picture.rgb[static_cast<std::size_t>(y * picture.width + x)] = colour;
}

}  // namespace

TEST_CASE("a picture does not differ from itself, written and read again") {
  const TemporaryFolder folder;
  Pixels picture = grey(100, 60);
  fill(picture, 10, 20, 30, 10, 0x12ab34);
  write_png(picture, folder / "a.png");
  CHECK(difference(picture, test::read_png(folder / "a.png")) == std::nullopt);
}

TEST_CASE("edges that are rounded otherwise look alike") {
  const Pixels expected = grey(200, 100);
  Pixels got = expected;
  fill(got, 0, 0, 200, 100, 0x636062);
  CHECK(difference(expected, got) == std::nullopt);
  got = expected;
  fill(got, 50, 36, 2, 2, 0xffffff);
  CHECK(difference(expected, got) == std::nullopt);
}

TEST_CASE("a faint line that is missing and another digit are differences") {
  const Pixels expected = grey(200, 100);
  Pixels got = expected;
  fill(got, 0, 50, 200, 1, 0x787878);
  CHECK(difference(expected, got) != std::nullopt);
  got = expected;
  fill(got, 80, 40, 2, 9, 0xffffff);  // a "1"
  CHECK(difference(expected, got) != std::nullopt);
}

TEST_CASE("a short word that is missing or moved is a difference, with its place") {
  const Pixels expected = grey(200, 100);
  Pixels got = expected;
  for (int x = 80; x < 104; x += 3) fill(got, x, 40, 1, 8, 0xffffff);
  const auto differs = difference(expected, got);
  REQUIRE(differs);
  CHECK(*differs == "differs in 12 blocks of 4x4 pixels between (80, 40) and (104, 48)");
}

TEST_CASE("another size is a difference, and no picture is an error with the path") {
  CHECK(difference(grey(10, 10), grey(10, 11)) == "is 10x11 pixels large, expected 10x10");
  CHECK_THROWS_WITH(test::read_png("nowhere.png"), "nowhere.png: file not found");
}
