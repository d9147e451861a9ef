#include "ui/plot/output/png_resolution.hpp"

#include <cmath>
#include <cstdint>

namespace plot {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

/// CRC-32 as the PNG specification has it (annex D): the polynomial, bits reversed.
std::uint32_t checksum_of(const std::string& bytes) {
  std::uint32_t sum = 0xffffffff;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xedb88320U : 0);
  }
  return ~sum;
}

/// Length, name, contents, and the checksum of the last two.
std::string chunk(const std::string& name, const std::string& contents) {
  const std::string body = name + contents;
  return big_endian(static_cast<std::uint32_t>(contents.size())) + body +
         big_endian(checksum_of(body));
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
