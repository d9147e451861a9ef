#include <array>
#include <cstdint>

#include "ui/plot/output/svg_canvas.hpp"

namespace plot {
namespace {

/// Of an em; the advances below count in them.
constexpr double units_per_em = 2048;

// Advances from the table hmtx of DejaVuSans.ttf and DejaVuSans-Bold.ttf, version 2.37 (the Debian
// package fonts-dejavu-core): U+0020 to U+007E, then U+00A0 to U+00FF.
using Latin = std::array<std::uint16_t, 95 + 96>;
constexpr Latin regular_latin{
    651,  821,  942,  1716, 1303, 1946, 1597, 563,  799,  799,  1024, 1716, 651,  739,  651,  690,
    1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 690,  690,  1716, 1716, 1716, 1087,
    2048, 1401, 1405, 1430, 1577, 1294, 1178, 1587, 1540, 604,  604,  1343, 1141, 1767, 1532, 1612,
    1235, 1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403, 799,  690,  799,  1716, 1024,
    1024, 1255, 1300, 1126, 1300, 1260, 721,  1300, 1298, 569,  569,  1186, 569,  1995, 1298, 1253,
    1300, 1300, 842,  1067, 803,  1298, 1212, 1675, 1212, 1212, 1075, 1303, 690,  1303, 1716,  //
    651,  821,  1303, 1303, 1303, 1303, 690,  1024, 1024, 2048, 965,  1253, 1716, 739,  2048, 1024,
    1024, 1716, 821,  821,  1024, 1303, 1303, 651,  1024, 821,  965,  1253, 1985, 1985, 1985, 1087,
    1401, 1401, 1401, 1401, 1401, 1401, 1995, 1430, 1294, 1294, 1294, 1294, 604,  604,  604,  604,
    1587, 1532, 1612, 1612, 1612, 1612, 1612, 1716, 1612, 1499, 1499, 1499, 1499, 1251, 1239, 1290,
    1255, 1255, 1255, 1255, 1255, 1255, 2011, 1126, 1260, 1260, 1260, 1260, 569,  569,  569,  569,
    1253, 1298, 1253, 1253, 1253, 1253, 1253, 1716, 1253, 1298, 1298, 1298, 1298, 1212, 1300, 1212};
constexpr Latin bold_latin{
    713,  934,  1067, 1716, 1425, 2052, 1786, 627,  936,  936,  1071, 1716, 778,  850,  778,  748,
    1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 819,  819,  1716, 1716, 1716, 1188,
    2048, 1585, 1561, 1503, 1700, 1399, 1399, 1681, 1714, 762,  762,  1587, 1305, 2038, 1714, 1741,
    1501, 1741, 1577, 1475, 1397, 1663, 1585, 2259, 1579, 1483, 1485, 936,  748,  936,  1716, 1024,
    1024, 1382, 1466, 1214, 1466, 1389, 891,  1466, 1458, 702,  702,  1362, 702,  2134, 1458, 1407,
    1466, 1466, 1010, 1219, 979,  1458, 1335, 1892, 1321, 1335, 1192, 1458, 748,  1458, 1716,  //
    713,  934,  1425, 1425, 1303, 1425, 748,  1024, 1024, 2048, 1155, 1323, 1716, 850,  2048, 1024,
    1024, 1716, 897,  897,  1024, 1507, 1303, 778,  1024, 897,  1155, 1323, 2120, 2120, 2120, 1188,
    1585, 1585, 1585, 1585, 1585, 1585, 2222, 1503, 1399, 1399, 1399, 1399, 762,  762,  762,  762,
    1716, 1714, 1741, 1741, 1741, 1741, 1741, 1716, 1741, 1663, 1663, 1663, 1663, 1483, 1511, 1473,
    1382, 1382, 1382, 1382, 1382, 1382, 2146, 1214, 1389, 1389, 1389, 1389, 702,  702,  702,  702,
    1407, 1458, 1407, 1407, 1407, 1407, 1407, 1716, 1407, 1458, 1458, 1458, 1458, 1335, 1466, 1335};

struct Advance {
  char32_t first, last;
  std::uint16_t regular, bold;
};
/// From the same table: combining accents, and what figures write beyond Latin-1.
constexpr std::array others{
    Advance{0x0300, 0x036f, 0, 0},       Advance{0x0394, 0x0394, 1401, 1585},
    Advance{0x03a9, 0x03a9, 1565, 1741}, Advance{0x03b1, 0x03b1, 1350, 1407},
    Advance{0x03bb, 0x03bb, 1212, 1296}, Advance{0x03bc, 0x03bc, 1303, 1507},
    Advance{0x03c0, 0x03c0, 1233, 1620}, Advance{0x03c3, 0x03c3, 1298, 1595},
    Advance{0x2009, 0x2009, 409, 409},   Advance{0x2013, 0x2013, 1024, 1024},
    Advance{0x2018, 0x2019, 651, 778},   Advance{0x201c, 0x201d, 1061, 1346},
    Advance{0x2022, 0x2022, 1208, 1309}, Advance{0x202f, 0x202f, 409, 409},
    Advance{0x2070, 0x2070, 821, 897},   Advance{0x2074, 0x2079, 821, 897},
    Advance{0x207b, 0x207b, 1081, 1081}, Advance{0x2080, 0x2089, 821, 897},
    Advance{0x20ac, 0x20ac, 1303, 1425}, Advance{0x2190, 0x2193, 1716, 1716},
    Advance{0x2212, 0x2212, 1716, 1716}, Advance{0x221e, 0x221e, 1706, 1706},
    Advance{0x2248, 0x2248, 1716, 1716}, Advance{0x2260, 0x2260, 1716, 1716},
    Advance{0x2264, 0x2265, 1716, 1716}};

/// Other letters are below one em, ideographs one em and pictures up to 1.25 (Noto Color Emoji).
constexpr char32_t first_ideograph = 0x2e80;
constexpr double widest_letter = units_per_em, widest_picture = 1.25 * units_per_em;

double advance_of(char32_t c, bool bold) {
  const Latin& latin = bold ? bold_latin : regular_latin;
  if (c >= 0x20 && c <= 0x7e) return latin[c - 0x20];
  if (c >= 0xa0 && c <= 0xff) return latin[c - 0xa0 + 95];
  for (const Advance& other : others) {
    if (c >= other.first && c <= other.last) return bold ? other.bold : other.regular;
  }
  return c < first_ideograph ? widest_letter : widest_picture;
}

/// The first character of valid UTF-8, which it takes off.
char32_t take_character(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  if (lead < 0x80) return lead;
  char32_t c = lead & (lead < 0xe0 ? 0x1fU : lead < 0xf0 ? 0x0fU : 0x07U);
  while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xc0) == 0x80) {
    c = c << 6 | (static_cast<unsigned char>(text.front()) & 0x3fU);
    text.remove_prefix(1);
  }
  return c;
}

}  // namespace

double text_width(std::string_view text, bool bold) {
  double width = 0;
  while (!text.empty()) width += advance_of(take_character(text), bold);
  return width / units_per_em;
}

}  // namespace plot
