#include "app/cli/picture_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "app/cli/exit_codes.hpp"
#include "app/cli/suggest.hpp"

namespace app {
namespace {

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

plot::PictureSize parse_size(const std::string& text, const plot::Preset& preset) {
  const std::size_t cross = text.find('x');
  const auto side = [&](std::string_view digits) -> double {
    const std::optional<int> pixels = whole_number(digits);
    if (pixels && *pixels >= preset.least_side() && *pixels <= most_pixels) return *pixels;
    throw Failure(Exit::usage,
                  fmt::format("--size '{}': expected WIDTHxHEIGHT in {}, each from {} to {}, "
                              "such as {}",
                              text, preset.unit(), preset.least_side(), most_pixels,
                              preset.printed ? "240x180" : "1600x1000"));
  };
  const double width = side(std::string_view(text).substr(0, cross));
  return {width, side(cross == std::string::npos ? "" : std::string_view(text).substr(cross + 1))};
}

double parse_scale(const std::string& text) {
  const std::optional<int> scale = whole_number(text);
  if (scale && *scale >= 1 && *scale <= most_scale) return *scale;
  throw Failure(Exit::usage, fmt::format("--scale '{}': expected a whole number from 1 to {}", text,
                                         most_scale));
}

[[noreturn]] void refuse(std::string_view option, const std::string& text,
                         const std::vector<std::string>& known) {
  throw Failure(Exit::usage, fmt::format("{} '{}': expected {} or {}{}", option, text,
                                         fmt::join(known.begin(), known.end() - 1, ", "),
                                         known.back(), did_you_mean(text, known)));
}

const engine::Chart* parse_chart(const std::string& text) {
  if (text == "all") return nullptr;
  if (const engine::Chart* chart = engine::find_chart(text)) return chart;
  std::vector<std::string> known;
  for (const engine::Chart& chart : engine::all_charts()) known.emplace_back(chart.id);
  known.emplace_back("all");
  refuse("--panel", text, known);
}

ui::XAxis parse_x_axis(const std::string& text) {
  if (const auto axis = ui::x_axis_named(text)) return *axis;
  refuse("--x-axis", text, {"repeat", "intensity", "both"});
}

const plot::Preset* parse_preset(const std::string& text) {
  if (const plot::Preset* preset = plot::preset_named(text)) return preset;
  std::vector<std::string> known;
  for (const plot::Preset& preset : plot::presets()) known.emplace_back(preset.name);
  refuse("--preset", text, known);
}

plot::Theme parse_theme(const std::string& text) {
  if (const auto theme = plot::theme_named(text)) return *theme;
  refuse("--theme", text, {plot::theme_names.begin(), plot::theme_names.end()});
}

/// Sides of a picture with as many pixels as Cairo can hold.
constexpr double most_png_pixels = 32767;

void refuse_too_large(const plot::PictureSpec& look) {
  if (!look.size) return;
  const double side = std::max(look.size->width, look.size->height) * plot::scale_of(look);
  if (side <= most_png_pixels) return;
  throw Failure(Exit::usage,
                fmt::format("--size at {:.3g} pixels per unit gives a side of {:.0f} pixels: "
                            "expected at most {:.0f}; use a smaller --size or --scale",
                            plot::scale_of(look), side, most_png_pixels));
}

/// A page of HTML is as large as its window, and in the colours of its reader's system or dark.
void refuse_for_html(const PictureText& picture) {
  const PictureText usual;
  const std::pair<const char*, bool> given[] = {{"--preset", picture.preset != usual.preset},
                                                {"--size", picture.size.has_value()},
                                                {"--scale", picture.scale.has_value()},
                                                {"--theme bw", picture.theme == "bw"},
                                                {"--transparent", picture.transparent}};
  for (const auto& [option, is_given] : given) {
    if (is_given)
      throw Failure(Exit::usage,
                    fmt::format("{} has no effect on a page of HTML: expected a picture (.png, "
                                ".svg or .pdf), or no {}",
                                option, option));
  }
}

}  // namespace

PictureOptions parse(const PictureText& text) {
  PictureOptions options;
  options.chart = parse_chart(text.panel);
  options.x = parse_x_axis(text.x_axis);
  options.look.preset = parse_preset(text.preset);
  if (text.size) options.look.size = parse_size(*text.size, *options.look.preset);
  if (text.scale) options.look.scale = parse_scale(*text.scale);
  options.look.theme = parse_theme(text.theme);
  options.look.transparent = text.transparent;
  options.look.caption = !text.no_caption;
  return options;
}

plot::Format picture_format(const std::string& option, const std::string& file_name,
                            const PictureText& typed, const PictureOptions& options) {
  const auto format = plot::format_of(file_name);
  if (!format) {
    throw Failure(Exit::usage, fmt::format("{} '{}': expected a file name that ends in .png, .svg, "
                                           ".pdf or .html",
                                           option, file_name));
  }
  if (*format == plot::Format::html) refuse_for_html(typed);
  if (options.look.scale && *format != plot::Format::png) {
    throw Failure(
        Exit::usage,
        fmt::format("--scale has no effect on '{}', which is sharp at any size: expected a .png",
                    file_name));
  }
  if (*format == plot::Format::png) refuse_too_large(options.look);
  if (const std::string why = plot::why_not(*format); !why.empty())
    throw Failure(Exit::failed, why);
  return *format;
}

plot::Page page_of(const std::vector<const engine::Session*>& sessions,
                   const PictureOptions& options) {
  return ui::page_of(sessions, options.chart, ui::View{.x = options.x});
}

}  // namespace app
