#include "engine/knob_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/session/session_file.hpp"
#include "engine/spec.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

constexpr std::size_t most_numbers = 1000;
// Finer steps than 1 % give nothing but repeated whole numbers.
constexpr double least_factor = 1.01;
constexpr double largest_factor = 4096;

// ---- several whole numbers: ranges and lists, both ways

/// What is read, and its limits.
struct Wanted {
  std::string_view knob, whole;
  std::uint64_t low, high;
  bool one = false;

  [[noreturn]] void refuse_with(std::string_view expected) const { refuse(knob, whole, expected); }
  /// A range within the limits: "1:1024:x2".
  std::string range() const { return fmt::format("{}:{}:x2", low, std::min(high, low * 1024)); }
};

std::uint64_t parse_one(std::string_view text, const Wanted& wanted) {
  const auto value = all_digits(text) ? units::parse_count(text) : std::nullopt;
  if (!value || *value < wanted.low || *value > wanted.high) {
    const std::string limits = fmt::format("from {} to {}", wanted.low, wanted.high);
    if (wanted.one) wanted.refuse_with("a whole number " + limits);
    wanted.refuse_with(fmt::format("whole numbers {}, such as {} or {},{},{}", limits,
                                   wanted.range(), wanted.low, wanted.low + 1, wanted.low + 2));
  }
  return *value;
}

/// x2: each number times this; +8: each number plus this.
struct Step {
  double factor = 1, summand = 0;
  double after(double value) const { return value * factor + summand; }
};

Step parse_step(std::string_view text, const Wanted& wanted) {
  if (text.empty() || (text.front() != 'x' && text.front() != '+')) {
    wanted.refuse_with("a factor after start:stop, such as x2 in " + wanted.range());
  }
  const std::string_view digits = text.substr(1);
  const bool plain =
      !digits.empty() && digits.find_first_not_of("0123456789.") == std::string_view::npos;
  const auto value = plain ? units::parse_number(digits) : std::nullopt;
  if (text.front() == '+') {
    if (!value || *value < 1)
      wanted.refuse_with("a step of at least +1 after start:stop, such as +8 in 8:64:+8");
    return {1, *value};
  }
  if (!value || *value < least_factor || *value > largest_factor) {
    wanted.refuse_with("a factor from x1.01 to x4096 after start:stop, such as x2 in " +
                       wanted.range());
  }
  return {*value, 0};
}

void add_range(std::string_view range, const Wanted& wanted, std::set<std::uint64_t>& numbers) {
  const auto parts = split(range, ':');
  if (parts.size() == 1) {
    numbers.insert(parse_one(parts[0], wanted));
    return;
  }
  if (parts.size() != 3) wanted.refuse_with("start:stop:factor, such as " + wanted.range());
  const std::uint64_t start = parse_one(parts[0], wanted);
  const std::uint64_t stop = parse_one(parts[1], wanted);
  const Step step = parse_step(parts[2], wanted);
  if (start > stop)
    wanted.refuse_with("a start that is not above the stop, such as " + wanted.range());
  // However long the text, no more are kept than the limit that the caller checks.
  for (double value = static_cast<double>(start);
       value < static_cast<double>(stop) && numbers.size() <= most_numbers;
       value = step.after(value)) {
    numbers.insert(static_cast<std::uint64_t>(std::llround(value)));
  }
  numbers.insert(stop);
}

std::vector<std::uint64_t> parse_numbers(const Wanted& wanted) {
  std::set<std::uint64_t> numbers;
  for (const std::string_view range : split(wanted.whole, ',')) add_range(range, wanted, numbers);
  if (numbers.size() > most_numbers) {
    wanted.refuse_with(fmt::format("at most {} different numbers", most_numbers));
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace

void refuse(std::string_view knob, std::string_view given, std::string_view expected) {
  constexpr std::size_t longest = 40;
  const std::string shown =
      given.empty() ? "''" : units::printable(units::shortened(given, longest));
  throw BadInput(fmt::format("--{} {}: expected {}", knob, shown, expected));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::uint64_t> parse_repeats(std::string_view text) {
  return parse_numbers({"repeat", text, 1, kernels::max_repeat});
}

std::vector<std::uint64_t> numbers_of(const LabKnob& knob, std::string_view text) {
  return parse_numbers({knob.name, text, knob.low, knob.high, knob.kind == LabKnob::Kind::number});
}

std::string repeats_text(const std::vector<std::uint64_t>& repeats) {
  if (repeats.size() > 2 && repeats.front() > 0 && std::is_sorted(repeats.begin(), repeats.end())) {
    const double factor = static_cast<double>(repeats[1]) / static_cast<double>(repeats[0]);
    const std::string range = fmt::format("{}:{}:x{}", repeats.front(), repeats.back(), factor);
    if (factor >= least_factor && factor <= largest_factor &&
        repeats.back() <= kernels::max_repeat && parse_repeats(range) == repeats) {
      return range;
    }
  }
  return fmt::format("{}", fmt::join(repeats, ","));
}

}  // namespace engine
