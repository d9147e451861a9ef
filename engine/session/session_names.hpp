// How the enumerations of a session are spelled in files; one table each serves writing and
// reading.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/session/session.hpp"

namespace engine::names {

template <typename E, std::size_t N>
using Table = std::array<std::pair<std::string_view, E>, N>;

inline constexpr Table<Status, 3> statuses{
    {{"ok", Status::ok}, {"skipped", Status::skipped}, {"failed", Status::failed}}};
inline constexpr Table<Stop, 2> stops{
    {{"noise_goal", Stop::noise_goal}, {"time_limit", Stop::time_limit}}};
/// "spread" stands in older files: there points ended once the goal was beyond their time.
inline constexpr Table<Limit, 5> limits{{{"time", Limit::time},
                                         {"spread", Limit::time},
                                         {"samples", Limit::samples},
                                         {"others", Limit::others},
                                         {"stopped", Limit::stopped}}};
inline constexpr Table<RoofKind, 3> roof_kinds{{{"bandwidth", RoofKind::bandwidth},
                                                {"compute", RoofKind::compute},
                                                {"overhead", RoofKind::overhead}}};
/// What is read; source_word() says what is written.
inline constexpr Table<RoofSource, 3> roof_sources{{{"measured", RoofSource::measured},
                                                    {"datasheet", RoofSource::datasheet},
                                                    {"theoretical", RoofSource::datasheet}}};

/// The name of `value`, which the table holds.
template <const auto& table>
constexpr std::string_view of(decltype(table[0].second) value) {
  for (const auto& [name, entry] : table) {
    if (entry == value) return name;
  }
  return {};
}

/// For messages: "a", "b" or "c", without the names of older files.
template <const auto& table>
std::string choices() {
  std::vector<std::string> all;
  for (const auto& [name, value] : table)
    if (of<table>(value) == name) all.push_back(fmt::format("\"{}\"", name));
  const std::string last = all.back();
  all.pop_back();
  return fmt::format("{} or {}", fmt::join(all, ", "), last);
}

/// The value of that name, or nothing.
template <const auto& table>
constexpr auto parse(std::string_view text) {
  std::optional<std::decay_t<decltype(table[0].second)>> found;
  for (const auto& [name, entry] : table) {
    if (name == text) found = entry;
  }
  return found;
}

}  // namespace engine::names
