#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "ui/plot/output/presets.hpp"

namespace plot {
namespace {

constexpr std::array all_dashes{Dash::solid, Dash::dashed, Dash::dotted, Dash::dash_dotted};
constexpr std::array markers{Marker::circle, Marker::square, Marker::triangle, Marker::diamond};

/// What a series looks like where all are of one colour.
struct Look {
  Marker marker;
  bool filled;
  Dash dash;
  auto operator<=>(const Look&) const = default;
};

/// What lies `step` places behind `start` in a list that ends in its beginning.
template <typename List>
auto after(const List& list, typename List::value_type start, std::size_t step) {
  const auto first = static_cast<std::size_t>(std::ranges::find(list, start) - list.begin());
  return list[(first + step) % list.size()];
}

/// All looks, the nearest first: another dash, then another filling, then another marker.
std::vector<Look> looks_from(const Look& own) {
  std::vector<Look> looks;
  for (std::size_t m = 0; m < markers.size(); ++m) {
    const Marker marker = own.marker == Marker::none ? own.marker : after(markers, own.marker, m);
    for (const bool filled : {own.filled, !own.filled}) {
      for (std::size_t d = 0; d < all_dashes.size(); ++d)
        looks.push_back({marker, filled, after(all_dashes, own.dash, d)});
    }
  }
  return looks;
}

}  // namespace

Figure in_black_and_white(Figure figure) {
  std::set<Look> taken;
  std::map<std::string, Look> by_name;
  for (Series& series : figure.series) {
    const Look own{series.marker, series.filled, series.dash};
    auto known = by_name.find(series.name);
    if (known == by_name.end()) {
      const std::vector<Look> looks = looks_from(own);
      const auto free =
          std::ranges::find_if(looks, [&](const Look& look) { return !taken.contains(look); });
      known = by_name.emplace(series.name, free == looks.end() ? own : *free).first;
      taken.insert(known->second);
    }
    series.marker = known->second.marker;
    series.filled = known->second.filled;
    series.dash = known->second.dash;
  }
  return figure;
}

}  // namespace plot
