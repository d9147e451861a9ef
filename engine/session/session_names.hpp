// How the enumerations of a session are spelled in files; one table each serves writing and
// reading.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

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
