// Pictures as pixels: files, and how two of them differ as a person would see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace test {

struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint32_t> rgb;  ///< row by row, 0x00RRGGBB
};

/// Throws runtime_error when there is no such PNG.
Pixels read_png(const std::string& path);
void write_png(const Pixels&, const std::string& path);

/// How many different colours.
std::size_t colours_in(const Pixels&);

/// Where and how much `got` differs, in one clause; nothing when the two look alike. Compared are
/// the mean colours of 4x4 blocks, so that another rounding of edges does not count; a digit that
/// changes, or a grid line that is missing, does.
std::optional<std::string> difference(const Pixels& expected, const Pixels& got);

}  // namespace test
