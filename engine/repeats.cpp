// The text of the intensity knob: ranges and lists of repeats, both ways.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/knob_text.hpp"
#include "engine/spec.hpp"
#include "engine/units.hpp"

namespace engine {
namespace {

constexpr std::string_view repeats_expected = "whole numbers from 1 to 4096, as 1:1024:x2 or 1,2,3";
static_assert(kernels::max_repeat == 4096, "the sentence above names the limit");
constexpr std::size_t most_repeats = 1000;
// Finer steps than 1 % give nothing but repeated whole numbers.
constexpr double least_factor = 1.01;

std::uint64_t parse_repeat(std::string_view text, std::string_view whole) {
  const auto value = all_digits(text) ? units::parse_count(text) : std::nullopt;
  if (!value || *value > kernels::max_repeat) refuse("repeat", whole, repeats_expected);
  return *value;
}

double parse_factor(std::string_view text, std::string_view whole) {
  if (text.empty() || text.front() != 'x') {
    refuse("repeat", whole, "a factor such as x2 after start:stop, as 1:1024:x2");
  }
  const std::string_view digits = text.substr(1);
  const bool plain =
      !digits.empty() && digits.find_first_not_of("0123456789.") == std::string_view::npos;
  const auto factor = plain ? units::parse_number(digits) : std::nullopt;
  if (!factor || *factor < least_factor || *factor > static_cast<double>(kernels::max_repeat)) {
    refuse("repeat", whole, "a factor from x1.01 to x4096 after start:stop, as 1:1024:x2");
  }
  return *factor;
}

// A set, so that no text, however long, holds more than max_repeat numbers.
void add_range(std::string_view range, std::string_view whole, std::set<std::uint64_t>& repeats) {
  const auto parts = split(range, ':');
  if (parts.size() == 1) {
    repeats.insert(parse_repeat(parts[0], whole));
    return;
  }
  if (parts.size() != 3) refuse("repeat", whole, "start:stop:factor, as 1:1024:x2");
  const std::uint64_t start = parse_repeat(parts[0], whole);
  const std::uint64_t stop = parse_repeat(parts[1], whole);
  const double factor = parse_factor(parts[2], whole);
  if (start > stop) refuse("repeat", whole, "a start that is not above the stop, as 1:1024:x2");
  for (double value = static_cast<double>(start); value < static_cast<double>(stop);
       value *= factor) {
    repeats.insert(static_cast<std::uint64_t>(std::llround(value)));
  }
  repeats.insert(stop);
}

}  // namespace

std::vector<std::uint64_t> parse_repeats(std::string_view text) {
  std::set<std::uint64_t> repeats;
  for (const std::string_view range : split(text, ',')) add_range(range, text, repeats);
  if (repeats.size() > most_repeats) {
    refuse("repeat", text, fmt::format("at most {} different numbers", most_repeats));
  }
  return {repeats.begin(), repeats.end()};
}

std::string repeats_text(const std::vector<std::uint64_t>& repeats) {
  if (repeats.size() > 2 && repeats.front() > 0 && std::is_sorted(repeats.begin(), repeats.end())) {
    const double factor = static_cast<double>(repeats[1]) / static_cast<double>(repeats[0]);
    const std::string range = fmt::format("{}:{}:x{}", repeats.front(), repeats.back(), factor);
    if (factor >= least_factor && factor <= static_cast<double>(kernels::max_repeat) &&
        repeats.back() <= kernels::max_repeat && parse_repeats(range) == repeats) {
      return range;
    }
  }
  return fmt::format("{}", fmt::join(repeats, ","));
}

}  // namespace engine
