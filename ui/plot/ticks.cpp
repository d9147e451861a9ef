#include "ui/plot/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "kernels/units.hpp"

namespace plot {
namespace {

constexpr std::string_view minus = "\u2212";

/// A label in fixed notation without trailing zeros beyond `decimals`, with a proper minus sign.
std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return value < 0 && !zero ? std::string(minus) + text : text;
}

std::string superscript(int exponent) {
  static constexpr std::string_view digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                                "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text = exponent < 0 ? "\u207b" : "";
  for (const char digit : std::to_string(std::abs(exponent))) text += digits[digit - '0'];
  return text;
}

/// Decimals that show a power of ten, or a multiple of it, exactly.
int decimals_for(double step) {
  return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
}

bool is_plain(double value) { return value >= 0.99e-3 && value <= 1.01e4; }

/// How the labels of one axis write numbers.
struct Notation {
  enum class Kind { plain, prefixed, power } kind = Kind::plain;
  units::Prefix prefix{"", 1};  // plain: left to the axis title
  std::string_view unit{};      // prefixed: on every label, where a prefix alone would not be read

  std::string decade(double value) const {
    if (kind == Kind::prefixed) {
      const units::Prefix own = units::si_prefix(value * 1.0001);
      const double mantissa = value / own.scale;
      return fmt::format("{} {}{}", fixed(mantissa, decimals_for(mantissa)), own.symbol, unit);
    }
    const double scaled = value / prefix.scale;
    if (kind == Kind::plain) return fixed(scaled, decimals_for(scaled));
    const int exponent = static_cast<int>(std::floor(std::log10(value) + 1e-9));
    const double factor = value / std::pow(10.0, exponent);
    const std::string power = "10" + superscript(exponent);
    return factor > 1.5 ? fmt::format("{:.0f}\u00b7{}", factor, power) : power;
  }
};

/// Characters that the labels 1, 2 and 5 of all decades need under one prefix; a fraction, and a
/// number of five digits, read worse than they are long.
int label_length(const Axis& axis, double scale) {
  const int first = static_cast<int>(std::floor(std::log10(axis.low / scale)));
  const int last = static_cast<int>(std::floor(std::log10(axis.high / scale) + 1e-9));
  int length = 0;
  for (int exponent = first; exponent <= last; ++exponent) {
    const int one = exponent < 0 ? 3 - exponent : 1 + exponent + (exponent > 3 ? 2 : 0);
    for (const double multiple : {1.0, 2.0, 5.0}) {
      const double value = multiple * std::pow(10.0, exponent) * scale;
      if (value >= axis.low * (1 - 1e-9) && value <= axis.high * (1 + 1e-9)) length += one;
    }
  }
  return length;
}

/// The prefix for the axis title: the one with the shortest labels; seconds know no kiloseconds.
units::Prefix common_prefix(const Axis& axis) {
  const bool time = axis.unit == "s";
  if (!axis.log) {
    const units::Prefix prefix =
        units::si_prefix(std::max(std::abs(axis.low), std::abs(axis.high)));
    return time && prefix.scale > 1 ? units::Prefix{"", 1} : prefix;
  }
  units::Prefix best{"", 1};
  int shortest = std::numeric_limits<int>::max();
  const double middle = std::clamp(std::sqrt(axis.low) * std::sqrt(axis.high), 1e-12, 1e21);
  for (const double near : {1.0, 1e-3, 1e3}) {
    const units::Prefix prefix = units::si_prefix(middle * near);
    const int length = label_length(axis, prefix.scale);
    if (length >= shortest || (time && prefix.scale > 1)) continue;
    best = prefix;
    shortest = length;
  }
  return best;
}

Notation notation_of(const Axis& axis, bool decades) {
  Notation notation;
  if (axis.unit == "%") {
    notation.prefix = {"", 0.01};
  } else if (axis.si_prefix) {
    const units::Prefix prefix = common_prefix(axis);
    const bool common = !axis.unit.empty() &&
                        is_plain(std::max(axis.low, 1e-300) / prefix.scale * 10) &&
                        is_plain(axis.high / prefix.scale / 10);
    if (!decades || common) {
      notation.prefix = prefix;
    } else {
      const bool has_prefix = axis.low >= 1e-9 && axis.high < 1e21;
      notation.kind = has_prefix ? Notation::Kind::prefixed : Notation::Kind::power;
      if (has_prefix && axis.unit == "s" && axis.high < 1e3) notation.unit = axis.unit;
    }
  } else if (decades && !(is_plain(axis.low * 10) && is_plain(axis.high / 10))) {
    notation.kind = Notation::Kind::power;
  }
  return notation;
}

std::string unit_text(const Axis& axis, const Notation& notation) {
  if (axis.unit.empty() || !notation.unit.empty()) return {};
  return notation.prefix.symbol + axis.unit;
}

/// The smallest 1, 2 or 5 times a power of ten that is no smaller than `wanted`.
double nice_step(double wanted) {
  const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= wanted * (1 - 1e-9)) return factor * decade;
  }
  return 10 * decade;
}

/// What the labels of a linear axis write behind a number, where all are so small that zeros would
/// fill them; else 1.
struct Power {
  double scale = 1;
  std::string text{};
};
Power power_of(const Axis& axis, const Notation& notation) {
  constexpr double small = 1e-4;
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high)) / notation.prefix.scale;
  if (!(largest > 0 && largest < small)) return {};
  const int exponent = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  return {std::pow(10.0, exponent), "\u00b710" + superscript(exponent)};
}

Ticks linear_ticks(const Axis& axis, double length, double label_space) {
  Ticks result;
  const Notation notation = notation_of(axis, false);
  result.unit = unit_text(axis, notation);
  const double range = axis.high - axis.low;
  const double most = std::clamp(length / std::max(label_space, 1.0), 1.0, 100.0);
  const double step = nice_step(range / most);
  // Below a part in 10^12 doubles and labels can no longer tell neighbours apart.
  if (!(step > 1e-12 * std::max(std::abs(axis.low), std::abs(axis.high)))) return result;
  const Power power = power_of(axis, notation);
  const double scale = notation.prefix.scale * power.scale;
  const int decimals = decimals_for(step / scale);
  const double first = std::ceil(axis.low / step - 1e-9);
  for (int i = 0; i <= 101; ++i) {
    const double value = (first + i) * step;
    if (value > axis.high + 1e-9 * range) break;
    const bool bare = !power.text.empty() && std::abs(value) < 0.5 * step;
    result.ticks.push_back({std::clamp(value, axis.low, axis.high),
                            bare ? "0" : fixed(value / scale, decimals) + power.text, 1});
  }
  return result;
}

/// Nine ticks for each decade. Every so many decades are named, and of few decades 2 and 5, too.
Ticks decade_ticks(const Axis& axis, double length, double label_space) {
  const double decades = std::log10(axis.high) - std::log10(axis.low);
  const double per_decade = length / decades;
  const int stride = static_cast<int>(
      std::clamp(std::ceil(label_space / std::max(per_decade, 1e-3)), 1.0, 1000.0));
  // Fewer than three decades carry a label: there is room, and need, for 2 and 5.
  const double least = std::ceil(std::log10(axis.low)), most = std::floor(std::log10(axis.high));
  const bool label_2_5 = (decades < 2 || most - least < 2) && 0.3 * per_decade >= label_space;
  const double fade = std::clamp((per_decade - 24) / 120, 0.0, 1.0);  // of the minor grid lines
  Ticks result;
  const Notation notation = notation_of(axis, true);
  result.unit = unit_text(axis, notation);
  const int first = static_cast<int>(std::floor(std::log10(axis.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(axis.high) + 1e-9));
  for (int exponent = first; exponent <= last; ++exponent) {
    const bool labelled = exponent % stride == 0;
    for (int multiple = 1; multiple <= 9; ++multiple) {
      const double value = multiple * std::pow(10.0, exponent);
      if (value < axis.low * (1 - 1e-9) || value > axis.high * (1 + 1e-9)) continue;
      const bool named = multiple == 1 ? labelled : label_2_5 && (multiple == 2 || multiple == 5);
      const double weight = named ? 1 : (stride > 1 && multiple > 1 ? 0 : 0.6 * fade);
      if (weight <= 0.02) continue;
      result.ticks.push_back(
          {std::clamp(value, axis.low, axis.high), named ? notation.decade(value) : "", weight});
    }
  }
  return result;
}

/// Of memory: every power of two a tick, every few of them named, each with its unit.
Ticks size_ticks(const Axis& axis, double length, double label_space) {
  constexpr double wider = 1.4;  // "256 KiB" beside "1000"
  const double first = std::ceil(std::log2(axis.low) - 1e-9);
  const double last = std::floor(std::log2(axis.high) + 1e-9);
  const double per_doubling = length / std::log2(axis.high / axis.low);
  double stride = 1;
  for (const double wanted : {1.0, 2.0, 5.0, 10.0}) {
    stride = wanted;
    if (stride * per_doubling >= wider * label_space) break;
  }
  Ticks result;
  constexpr double most = 400;  // beyond every memory: lines that nothing tells apart
  for (double power = first; power <= last && last - first <= most; ++power) {
    const double value = std::exp2(power);
    const bool named = power >= 0 && std::fmod(power, stride) == 0;
    result.ticks.push_back({std::clamp(value, axis.low, axis.high),
                            named ? units::bytes(value) : "", named ? 1 : 0.4});
  }
  return result;
}

Ticks word_ticks(const Axis& axis) {
  Ticks result;
  for (std::size_t i = 0; i < axis.words.size(); ++i) {
    const double value = static_cast<double>(i);
    if (value >= axis.low && value <= axis.high) result.ticks.push_back({value, axis.words[i], 0});
  }
  return result;
}

}  // namespace

Axis sane(Axis axis) {
  // Beyond these a double has no room for a margin, or for the distance between two limits.
  constexpr double most = 1e300;
  constexpr double least = 1e-300;
  const bool finite = std::isfinite(axis.low) && std::isfinite(axis.high) && axis.low < axis.high &&
                      std::abs(axis.low) <= most && std::abs(axis.high) <= most;
  const bool usable = finite && (axis.log ? axis.low >= least && axis.high / axis.low > 1 + 1e-9
                                          : axis.high - axis.low >= least);
  if (usable) return axis;
  axis.low = axis.log ? 1 : 0;
  axis.high = axis.log ? 10 : 1;
  return axis;
}

Ticks ticks_of(const Axis& asked, double length, double label_space) {
  const Axis axis = sane(asked);
  if (!axis.words.empty()) return word_ticks(axis);
  if (!axis.log) return linear_ticks(axis, length, label_space);
  const bool sizes = axis.unit == "B";
  Ticks result =
      sizes ? size_ticks(axis, length, label_space) : decade_ticks(axis, length, label_space);
  const auto labels = std::count_if(result.ticks.begin(), result.ticks.end(),
                                    [](const Tick& tick) { return !tick.label.empty(); });
  // Zoomed in between two decades: evenly spaced round numbers say more.
  const bool narrow = axis.high / axis.low < 20;
  return labels < 2 && narrow ? linear_ticks(axis, length, label_space) : result;
}

std::string title_of(const Axis& axis, const Ticks& ticks) {
  if (ticks.unit.empty()) return axis.title;
  return axis.title.empty() ? ticks.unit : fmt::format("{} ({})", axis.title, ticks.unit);
}

}  // namespace plot
