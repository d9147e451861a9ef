// What a picture is made for: how large it is and its type, in which colours, with what around it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/plot/output/picture.hpp"

namespace plot {

enum class Theme : std::uint8_t { light, dark, bw };
inline constexpr std::array<std::string_view, 3> theme_names{"light", "dark", "bw"};
Style style_of(Theme);
std::optional<Theme> theme_named(std::string_view);

struct PictureSize {
  double width = 0, height = 0;
  bool operator==(const PictureSize&) const = default;
};

/// A size and the type that goes with it.
struct Preset {
  std::string_view name, help;
  PictureSize one_row;  ///< of a single row of figures; pixels, or points when printed
  double further_row;   ///< that much higher for each row more
  std::size_t columns;  ///< figures in a row
  double type;          ///< factor on texts, lines and markers
  bool printed;         ///< the size of paper: points, and type that stays as large as it reads
  double pixels;        ///< of a PNG for each pixel or point

  /// The smallest side of a picture, in its unit: below, labels do not fit.
  int least_side() const { return printed ? 72 : 200; }
  std::string_view unit() const { return printed ? "points" : "pixels"; }
  /// Pixels of a PNG to the inch.
  double dots_per_inch() const;
};

/// The first is what pictures are without a word about it.
std::span<const Preset> presets();
const Preset* preset_named(std::string_view);
/// The size that a preset gives to a page of so many figures.
PictureSize size_of(const Preset&, std::size_t figures);

/// Everything that can be asked of a picture beyond what it shows.
struct PictureSpec {
  const Preset* preset = &presets().front();
  std::optional<PictureSize> size{};  ///< in place of the preset's
  std::optional<double> scale{};      ///< pixels of a PNG for each unit, in place of the preset's
  Theme theme = Theme::light;
  bool transparent = false;  ///< nothing behind the figures
  bool title = true;         ///< a heading above them
  bool caption = true;       ///< what was measured, on what and when, below them

  bool operator==(const PictureSpec&) const = default;
};

PictureSize size_of(const PictureSpec&, std::size_t figures);
double scale_of(const PictureSpec&);
Style style_of(const PictureSpec&);
/// The page with what is asked for around its figures.
Page page_of(Page, const PictureSpec&);

/// Without colour, for paper and printers that know only black: the same figure with series that
/// differ in marker, filling or dash wherever they differed in colour. Each keeps its marker as
/// long as there are dashes left for it; series of one name stay alike.
Figure in_black_and_white(Figure);

/// The bytes of the picture, and the element <svg> alone. Both throw as those with sizes do.
std::string render(const Page&, const PictureSpec&, Format);
std::string svg_element(const Page&, const PictureSpec&, const std::string& ids);

}  // namespace plot
