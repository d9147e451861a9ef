#include "app/picture_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "app/exit_codes.hpp"
#include "app/suggest.hpp"

namespace app {
namespace {

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void parse_size(const std::string& text, PictureOptions& options) {
  const std::size_t cross = text.find('x');
  const auto side = [&](std::string_view digits) -> int {
    const std::optional<int> pixels = whole_number(digits);
    if (pixels && *pixels >= least_pixels && *pixels <= most_pixels) return *pixels;
    throw Failure(Exit::usage,
                  fmt::format("--size '{}': expected WIDTHxHEIGHT in pixels, each from {} to {}, "
                              "such as 1600x1000",
                              text, least_pixels, most_pixels));
  };
  options.width = side(std::string_view(text).substr(0, cross));
  options.height = side(cross == std::string::npos ? "" : std::string_view(text).substr(cross + 1));
}

}  // namespace

PictureOptions parse(const PictureText& text) {
  PictureOptions options;
  if (text.panel != "all") {
    options.panel = ui::panel_named(text.panel);
    if (!options.panel) {
      throw Failure(
          Exit::usage,
          fmt::format("--panel '{}': expected roofline, runtime, flops, bandwidth, levels or all{}",
                      text.panel,
                      did_you_mean(text.panel, {"roofline", "runtime", "flops", "bandwidth",
                                                "levels", "all"})));
    }
  }
  parse_size(text.size, options);
  if (text.theme != "light" && text.theme != "dark") {
    throw Failure(Exit::usage, fmt::format("--theme '{}': expected light or dark{}", text.theme,
                                           did_you_mean(text.theme, {"light", "dark"})));
  }
  options.dark = text.theme == "dark";
  return options;
}

plot::Format picture_format(const std::string& option, const std::string& file_name) {
  if (const auto format = plot::format_of(file_name)) return *format;
  throw Failure(Exit::usage,
                fmt::format("{} '{}': expected a file name that ends in .png, .svg or .pdf", option,
                            file_name));
}

std::string picture_of(const std::vector<const engine::Session*>& sessions,
                       const PictureOptions& options, plot::Format format) {
  const plot::Page page = ui::page_of(sessions, options.panel, ui::View{});
  const plot::Style style = options.dark ? plot::dark_style() : plot::light_style();
  return plot::render(page, options.width, options.height, style, format);
}

}  // namespace app
