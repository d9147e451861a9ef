#include "ui/plot/output/presets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plot {
namespace {

constexpr double points_per_inch = 72;
/// What publishers ask of pictures made of pixels.
constexpr double print_scale = 300 / points_per_inch;
/// Type of 8 points where the style says 13: tick labels of 7.4 and labels along roofs of 7.0.
constexpr double print_type = 8.0 / 13.0;

constexpr Preset on_screen(std::string_view name, std::string_view help, PictureSize one_row,
                           double type) {
  return {name, help, one_row, 0, 2, type, false, 1};
}

/// In inches: as wide as a column of a page, or as its whole text.
constexpr Preset on_paper(std::string_view name, std::string_view help, PictureSize one_row,
                          double further_row, std::size_t columns) {
  const PictureSize points{one_row.width * points_per_inch, one_row.height * points_per_inch};
  return {name,    help,       points, further_row * points_per_inch,
          columns, print_type, true,   print_scale};
}

constexpr std::array all_presets{
    on_screen("web", "for a page or a README", {1600, 1000}, 1),
    on_screen("slide", "16:9, with type large enough to read from afar", {1920, 1080}, 1.45),
    on_paper("paper", "3.3 inches, a column of a paper", {3.3, 2.6}, 2.0, 1),
    on_paper("paper-wide", "6.9 inches, the whole text of a paper", {6.9, 3.6}, 2.4, 2)};

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

/// With a pHYs chunk (PNG specification, 11.3.4.3) behind its header: its physical size.
std::string with_resolution(std::string png, double pixels_per_inch) {
  constexpr std::size_t header = 8 + 4 + 4 + 13 + 4;  // signature, and IHDR, which comes first
  constexpr double metre_per_inch = 0.0254;
  const auto per_metre = static_cast<std::uint32_t>(std::lround(pixels_per_inch / metre_per_inch));
  constexpr char unit_is_metre = 1;
  return png.insert(header,
                    chunk("pHYs", big_endian(per_metre) + big_endian(per_metre) + unit_is_metre));
}

}  // namespace

Style style_of(Theme theme) {
  static constexpr std::array styles{light_style, dark_style, bw_style};
  return styles.at(static_cast<std::size_t>(theme))();
}

std::optional<Theme> theme_named(std::string_view name) {
  const auto found = std::ranges::find(theme_names, name);
  if (found == theme_names.end()) return {};
  return static_cast<Theme>(found - theme_names.begin());
}

double Preset::dots_per_inch() const { return pixels * points_per_inch; }

std::span<const Preset> presets() { return all_presets; }

const Preset* preset_named(std::string_view name) {
  const auto found = std::ranges::find(all_presets, name, &Preset::name);
  return found == all_presets.end() ? nullptr : &*found;
}

PictureSize size_of(const Preset& preset, std::size_t figures) {
  const std::size_t rows =
      (std::max<std::size_t>(figures, 1) + preset.columns - 1) / preset.columns;
  return {preset.one_row.width,
          preset.one_row.height + preset.further_row * static_cast<double>(rows - 1)};
}

PictureSize size_of(const PictureSpec& spec, std::size_t figures) {
  return spec.size.value_or(size_of(*spec.preset, figures));
}

double scale_of(const PictureSpec& spec) { return spec.scale.value_or(spec.preset->pixels); }

Style style_of(const PictureSpec& spec) {
  Style style = style_of(spec.theme);
  style.scale = spec.preset->type;
  style.transparent = spec.transparent;
  if (spec.preset->printed) {
    style.grows = false;
    style.title_size = style.font_size;  // a paper has its own headings
  }
  return style;
}

Page page_of(Page page, const PictureSpec& spec) {
  if (!spec.title) page.title.clear();
  if (spec.caption) return page;
  page.caption.clear();
  page.brief_caption.clear();
  return page;
}

std::string render(const Page& page, const PictureSpec& spec, Format format) {
  const PictureSize size = size_of(spec, page.figures.size());
  std::string bytes =
      render(page_of(page, spec), size.width, size.height, style_of(spec), format, scale_of(spec));
  const bool has_resolution = format == Format::png && spec.preset->printed;
  return has_resolution ? with_resolution(std::move(bytes), scale_of(spec) * points_per_inch)
                        : bytes;
}

std::string svg_element(const Page& page, const PictureSpec& spec, const std::string& ids) {
  const PictureSize size = size_of(spec, page.figures.size());
  return svg_element(page_of(page, spec), size.width, size.height, style_of(spec), ids);
}

}  // namespace plot
