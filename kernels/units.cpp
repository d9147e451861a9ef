#include "kernels/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace units {
namespace {

constexpr std::array<Prefix, 10> si_prefixes{{{"n", 1e-9},
                                              {"\u00b5", 1e-6},
                                              {"m", 1e-3},
                                              {"", 1},
                                              {"k", 1e3},
                                              {"M", 1e6},
                                              {"G", 1e9},
                                              {"T", 1e12},
                                              {"P", 1e15},
                                              {"E", 1e18}}};
constexpr std::array<Prefix, 5> binary_prefixes{{{"", 1},
                                                 {"Ki", 1024.0},
                                                 {"Mi", 1024.0 * 1024},
                                                 {"Gi", 1024.0 * 1024 * 1024},
                                                 {"Ti", 1024.0 * 1024 * 1024 * 1024}}};
// Counts and rates start at one; times end at the second.
constexpr auto from_one = std::span(si_prefixes).subspan(3);
constexpr auto up_to_one = std::span(si_prefixes).first(4);

/// The largest prefix that leaves a number of at least 1, else the smallest.
const Prefix& prefix_for(double value, std::span<const Prefix> prefixes) {
  const Prefix* best = &prefixes.front();
  for (const Prefix& prefix : prefixes) {
    if (std::abs(value) >= prefix.scale) best = &prefix;
  }
  return *best;
}

/// With so many digits after the point. A table of results has a hundred thousand numbers: no
/// format string is read for each.
std::string_view in_digits(double value, std::chars_format format, int digits,
                           std::span<char> text) {
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, format, digits);
  return error == std::errc{} ? std::string_view(text.data(), end) : std::string_view();
}

double round_to_digits(double value, int digits) {
  std::array<char, 64> text;
  return parse_number(
             in_digits(value, std::chars_format::scientific, std::max(digits, 1) - 1, text))
      .value_or(value);
}

/// Exactly `digits` significant digits, but never fewer than the integer part has.
std::string significant(double value, int digits) {
  const double magnitude = std::abs(value);
  const int leading = magnitude > 0 ? static_cast<int>(std::floor(std::log10(magnitude))) : 0;
  std::array<char, 400> text;  // the largest double has 309 digits before the point
  const int after = std::clamp(digits - 1 - leading, 0, 17);
  return std::string(in_digits(value, std::chars_format::fixed, after, text));
}

std::string scaled(double value, std::span<const Prefix> prefixes, std::string_view unit,
                   int digits) {
  if (!std::isfinite(value)) return fmt::format("{} {}", value, unit);
  if (value == 0) return fmt::format("0 {}", unit);
  // Rounded first, so that 999.9 µs becomes 1.00 ms and not 1000 µs.
  const double rounded = round_to_digits(value, digits);
  const Prefix& prefix = prefix_for(rounded, prefixes);
  const double mantissa = std::abs(rounded / prefix.scale) < 1000 ? rounded : value;
  return fmt::format("{} {}{}", significant(mantissa / prefix.scale, digits), prefix.symbol, unit);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

/// Splits "5 us" into number and unit; the number is everything up to the trailing letters and
/// percent sign.
struct Quantity {
  std::string_view number;
  std::string_view unit;
};
Quantity split(std::string_view text) {
  text = trimmed(text);
  std::size_t start = text.size();
  const auto letter = [](char c) {
    const bool beyond_ascii = (static_cast<unsigned char>(c) & 0x80) != 0;  // as in "µs"
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || beyond_ascii;
  };
  while (start > 0 && letter(text[start - 1])) --start;
  return {trimmed(text.substr(0, start)), text.substr(start)};
}

/// The number before the unit times the unit's factor; nothing for a unit that is not in the list.
std::optional<double> parse_quantity(std::string_view text, std::span<const Prefix> accepted) {
  const auto [number_text, unit] = split(text);
  const auto value = parse_number(number_text);
  if (!value) return {};
  for (const Prefix& prefix : accepted) {
    if (unit == prefix.symbol) return *value * prefix.scale;
  }
  return {};
}

/// One character at the front of a text; `length` is 1 and `valid` false where there is none.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;
  bool valid = false;
};

Character first_of(std::string_view text) {
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};  // by length
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte < 0x80) return {byte, 1, true};
  const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
  if (byte < 0xC2 || byte > 0xF4 || length > text.size()) return {};
  std::uint32_t code = byte & (0xFFU >> (length + 1));
  for (const char next : text.substr(1, length - 1)) {
    if ((static_cast<unsigned char>(next) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (static_cast<unsigned char>(next) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < least[length] || code > 0x10FFFF || surrogate) return {};
  return {code, length, true};
}

/// Control characters (those of C1, of which U+009B begins a command as ESC [ does, included), line
/// separators, and the marks that turn the direction of writing.
bool obeyed_by_terminals(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string seconds(double s, int digits) { return scaled(s, up_to_one, "s", digits); }

std::string bytes_per_second(double rate, int digits) {
  return scaled(rate, from_one, "B/s", digits);
}

std::string flops(double n, bool integer, int digits) {
  return scaled(n, from_one, integer ? "OP" : "FLOP", digits);
}

std::string flops_per_second(double rate, bool integer, int digits) {
  return scaled(rate, from_one, integer ? "OP/s" : "FLOP/s", digits);
}

std::string hertz(double hz, int digits) { return scaled(hz, from_one, "Hz", digits); }

std::string bytes(double n) {
  if (!std::isfinite(n)) return fmt::format("{} B", n);
  const Prefix& prefix = prefix_for(n, binary_prefixes);
  const double mantissa = n / prefix.scale;
  if (mantissa == std::floor(mantissa)) return fmt::format("{:.0f} {}B", mantissa, prefix.symbol);
  return fmt::format("{} {}B", significant(mantissa, 3), prefix.symbol);
}

std::string count(double n) {
  if (!std::isfinite(n)) return fmt::format("{}", n);
  std::string shortest;
  const auto consider = [&](const Prefix& prefix) {
    const double mantissa = n / prefix.scale;
    const bool plain = prefix.symbol[0] == '\0';
    // Beyond four digits an exact number is harder to read than a rounded one.
    const double tenths = std::round(mantissa * 10);
    const bool exact = std::abs(tenths / 10 - mantissa) <= 1e-12 * std::abs(mantissa);
    if (!exact || std::abs(mantissa) >= 10000 || (plain && std::fmod(tenths, 10) != 0)) return;
    const std::string text = fmt::format("{:g}{}{}", tenths / 10, plain ? "" : " ", prefix.symbol);
    if (shortest.empty() || text.size() < shortest.size()) shortest = text;
  };
  for (const Prefix& prefix : from_one) consider(prefix);
  for (const Prefix& prefix : binary_prefixes) consider(prefix);
  return shortest.empty() ? std::string(trimmed(scaled(n, from_one, "", 3))) : shortest;
}

std::string percent(double share) {
  const double value = share * 100;
  if (std::isfinite(value) && std::abs(value) >= 99.5) return fmt::format("{:.0f} %", value);
  constexpr double least = 0.01;
  if (value > 0 && value < least) return "< 0.01 %";
  return fmt::format("{} %", number(value, 2));
}

std::string intensity(double flop_per_byte, bool integer, int digits) {
  return fmt::format("{} {}/byte", number(flop_per_byte, digits), integer ? "OP" : "FLOP");
}

std::string number(double value, int digits) {
  const double magnitude = std::abs(value);
  if (!std::isfinite(value) || value == 0) return fmt::format("{:g}", value);
  if (magnitude < 1e-4 || magnitude >= 1e6) return fmt::format("{:.{}g}", value, digits);
  std::string text = significant(round_to_digits(value, std::max(digits, 6)), digits);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

Prefix si_prefix(double value) {
  return std::isfinite(value) && value != 0 ? prefix_for(value, si_prefixes) : Prefix{"", 1};
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::optional<double> parse_seconds(std::string_view text) {
  // Keyboards have either of two signs: micro, and the Greek letter.
  constexpr std::array<Prefix, 7> accepted{{{"", 1},
                                            {"s", 1},
                                            {"ms", 1e-3},
                                            {"us", 1e-6},
                                            {"\u00b5s", 1e-6},
                                            {"\u03bcs", 1e-6},
                                            {"ns", 1e-9}}};
  const auto value = parse_quantity(text, accepted);
  return value && *value > 0 && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  constexpr double limit = 9007199254740992.0;  // 2^53: every whole number below is a double
  auto value = parse_quantity(text, from_one.first(binary_prefixes.size()));  // up to T
  if (!value) value = parse_quantity(text, binary_prefixes);
  if (!value || !(*value >= 1) || *value >= limit || *value != std::floor(*value)) return {};
  return static_cast<std::uint64_t>(*value);
}

std::optional<double> parse_share(std::string_view text) {
  constexpr std::array<Prefix, 2> accepted{{{"", 1}, {"%", 0.01}}};
  const auto value = parse_quantity(text, accepted);
  return value && *value > 0 && *value <= 1 ? value : std::nullopt;
}

std::string printable(std::string_view text, Lines lines) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_of(text);
    const bool kept = c.code == '\n' && lines == Lines::kept;
    if (!c.valid) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (kept || !obeyed_by_terminals(c.code)) {
      safe += text.substr(0, c.length);
    } else {
      safe += c.code < 0x100 ? fmt::format("\\x{:02x}", c.code) : fmt::format("\\u{:04x}", c.code);
    }
    text.remove_prefix(c.length);
  }
  return safe;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string capitalised(std::string words) {
  if (!words.empty() && words.front() >= 'a' && words.front() <= 'z')
    words.front() = static_cast<char>(words.front() - 'a' + 'A');
  return words;
}

}  // namespace units
