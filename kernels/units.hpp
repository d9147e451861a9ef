// The one file that turns SI doubles into text for people and back, and text of others into text
// that a terminal may show. Its own target: every layer may use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace units {

/// 0.00123 -> "1.23 ms". `digits` = significant digits. Picks ns, µs, ms, s.
std::string seconds(double s, int digits = 3);
/// 1.5e12 -> "1.50 TB/s".
std::string bytes_per_second(double rate, int digits = 3);
/// 4.29e9 -> "4.29 GFLOP"; `integer` -> "4.29 GOP".
std::string flops(double n, bool integer = false, int digits = 3);
/// 6.7e13 -> "67.0 TFLOP/s"; `integer` -> "67.0 TOP/s".
std::string flops_per_second(double rate, bool integer = false, int digits = 3);
/// 268435456 -> "256 MiB" (powers of 1024, exact multiples without fraction).
std::string bytes(double n);
/// 67108864 -> "64 Mi"; 1000000 -> "1 M"; whatever is exact and shortest, else 3 digits of powers
/// of 1000.
std::string count(double n);
/// 2.6e9 -> "2.60 GHz".
std::string hertz(double hz, int digits = 3);
/// 0.934 -> "93 %".
std::string percent(double share);
/// 3.25 -> "3.25 FLOP/byte"; `integer` -> "3.25 OP/byte".
std::string intensity(double flop_per_byte, bool integer = false, int digits = 3);
/// Up to `digits` significant digits, no exponent between 1e-4 and 1e6, no trailing zeros.
std::string number(double value, int digits = 4);
/// Prefix and scale for a value on an axis: {"G", 1e9}. Empty prefix near 1.
struct Prefix {
  const char* symbol;
  double scale;
};
Prefix si_prefix(double value);

/// "2.5", "1e6" -> value. Nothing when not a finite number from first to last character.
std::optional<double> parse_number(std::string_view text);
/// "2s", "100ms", "5 us", "5 µs", "0.5" (s) -> seconds. Nothing when it is not a positive finite
/// time.
std::optional<double> parse_seconds(std::string_view text);
/// "64Mi", "1M", "4096", "2G" -> count. Nothing when not a positive whole number below 2^53.
std::optional<std::uint64_t> parse_count(std::string_view text);
/// "1%", "0.01" -> 0.01. Nothing when not in (0, 1].
std::optional<double> parse_share(std::string_view text);

/// "1 core", "2 cores".
std::string counted(std::int64_t count, std::string_view noun);

/// Whether line feeds stay what they are.
enum class Lines { escaped, kept };
/// Text that is safe to show. Control characters, bytes that are no UTF-8, and characters that
/// change the direction or the line of the text become escapes: \x1b, \u202e.
std::string printable(std::string_view text, Lines lines = Lines::escaped);
/// The first `most` bytes of a text, less a character that would be cut in two, and "..." where
/// something is left out.
std::string shortened(std::string_view text, std::size_t most);

/// Columns that a text takes: its code points. What continues a character of UTF-8 takes none.
std::size_t width_of(std::string_view text);

/// With a capital letter at its start, where that is a small one of ASCII.
std::string capitalised(std::string words);

}  // namespace units
