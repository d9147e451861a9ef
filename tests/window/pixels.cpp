#include "tests/window/pixels.hpp"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <set>
#include <stdexcept>

namespace test {
namespace {

constexpr int block = 4;        // pixels: about a stroke of a letter and what is beside it
constexpr int colour_step = 5;  // of 255, between two means: a faint line one pixel wide
constexpr int most_blocks = 2;  // a digit covers more

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;

void require_sound(const Surface& surface, cairo_status_t status, const std::string& path) {
  if (surface && status == CAIRO_STATUS_SUCCESS) return;
  throw std::runtime_error(path + ": " + cairo_status_to_string(status));
}

using Colour = std::array<int, 3>;

/// Mean of the block whose upper left pixel this is.
Colour mean(const Pixels& picture, int left, int top) {
  Colour sum{};
  int count = 0;
  for (int y = top; y < std::min(top + block, picture.height); ++y) {
    for (int x = left; x < std::min(left + block, picture.width); ++x, ++count) {
      const std::uint32_t rgb =
          picture.rgb[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                      static_cast<std::size_t>(x)];
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<int>(rgb >> (8 * i) & 255);
    }
  }
  for (int& channel : sum) channel /= count;
  return sum;
}

bool alike(const Colour& a, const Colour& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > colour_step) return false;
  return true;
}

}  // namespace

Pixels read_png(const std::string& path) {
  const Surface surface(cairo_image_surface_create_from_png(path.c_str()), cairo_surface_destroy);
  require_sound(surface, cairo_surface_status(surface.get()), path);
  Pixels picture{cairo_image_surface_get_width(surface.get()),
                 cairo_image_surface_get_height(surface.get()),
                 {}};
  picture.rgb.reserve(static_cast<std::size_t>(picture.width) *
                      static_cast<std::size_t>(picture.height));
  const unsigned char* row = cairo_image_surface_get_data(surface.get());
  for (int y = 0; y < picture.height; ++y, row += cairo_image_surface_get_stride(surface.get())) {
    const auto* pixels = reinterpret_cast<const std::uint32_t*>(row);
    for (int x = 0; x < picture.width; ++x) picture.rgb.push_back(pixels[x] & 0xffffff);
  }
  return picture;
}

void write_png(const Pixels& picture, const std::string& path) {
  std::vector<std::uint32_t> pixels = picture.rgb;
  const Surface surface(cairo_image_surface_create_for_data(
                            reinterpret_cast<unsigned char*>(pixels.data()), CAIRO_FORMAT_RGB24,
                            picture.width, picture.height, 4 * picture.width),
                        cairo_surface_destroy);
  require_sound(surface, cairo_surface_write_to_png(surface.get(), path.c_str()), path);
}

std::size_t colours_in(const Pixels& picture) {
  return std::set<std::uint32_t>(picture.rgb.begin(), picture.rgb.end()).size();
}

std::optional<std::string> difference(const Pixels& expected, const Pixels& got) {
  if (expected.width != got.width || expected.height != got.height) {
    return fmt::format("is {}x{} pixels large, expected {}x{}", got.width, got.height,
                       expected.width, expected.height);
  }
  int blocks = 0, left = got.width, top = got.height, right = 0, bottom = 0;
  for (int y = 0; y < got.height; y += block) {
    for (int x = 0; x < got.width; x += block) {
      if (alike(mean(expected, x, y), mean(got, x, y))) continue;
      ++blocks;
      left = std::min(left, x);
      top = std::min(top, y);
      right = std::max(right, x + block);
      bottom = std::max(bottom, y + block);
    }
  }
  if (blocks <= most_blocks) return {};
  return fmt::format("differs in {} blocks of {}x{} pixels between ({}, {}) and ({}, {})", blocks,
                     block, block, left, top, right, bottom);
}

}  // namespace test
