#include "ui/plot/output/png_resolution.hpp"

#include <zlib.h>

#include <cmath>
#include <cstdint>

namespace plot {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

/// Length, name, contents, and the checksum of the last two.
std::string chunk(const std::string& name, const std::string& contents) {
  const std::string body = name + contents;
  const auto* bytes = reinterpret_cast<const Bytef*>(body.data());
  const uLong checksum = crc32(0, bytes, static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(contents.size())) + body +
         big_endian(static_cast<std::uint32_t>(checksum));
}

}  // namespace

std::string with_resolution(std::string png, double pixels_per_inch) {
  constexpr std::size_t header = 8 + 4 + 4 + 13 + 4;  // signature, and IHDR, which comes first
  constexpr double metre_per_inch = 0.0254;
  const auto per_metre = static_cast<std::uint32_t>(std::lround(pixels_per_inch / metre_per_inch));
  constexpr char unit_is_metre = 1;
  return png.insert(header,
                    chunk("pHYs", big_endian(per_metre) + big_endian(per_metre) + unit_is_metre));
}

}  // namespace plot
