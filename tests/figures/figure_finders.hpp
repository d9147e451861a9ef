// What tests look for in figures of sessions.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "ui/figures/figures.hpp"

namespace test {

inline constexpr std::uint64_t elements = std::uint64_t{64} << 20;

inline const plot::Series* find_series(const plot::Figure& figure, const std::string& name,
                                       bool faded = false) {
  const auto found = std::ranges::find_if(
      figure.series, [&](const plot::Series& s) { return s.name == name && s.faded == faded; });
  return found == figure.series.end() ? nullptr : &*found;
}

/// The first one whose label begins so.
inline const plot::Roof* find_roof(const plot::Figure& figure, std::string_view beginning) {
  const auto found = std::ranges::find_if(
      figure.roofs, [&](const plot::Roof& r) { return r.label.starts_with(beginning); });
  return found == figure.roofs.end() ? nullptr : &*found;
}

inline const plot::Mark* find_mark(const plot::Figure& figure, plot::Mark::Kind kind) {
  const auto found = std::ranges::find(figure.marks, kind, &plot::Mark::kind);
  return found == figure.marks.end() ? nullptr : &*found;
}

}  // namespace test
