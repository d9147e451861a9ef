// Where things lie in the window, checked against each other.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/window/display/user.hpp"

struct Named {
  std::string name;
  Place place;
};

/// By more than rounding.
inline bool overlap(const Place& a, const Place& b) {
  return a.x + a.w > b.x + 0.5 && b.x + b.w > a.x + 0.5 && a.y + a.h > b.y + 0.5 &&
         b.y + b.h > a.y + 0.5;
}

/// Every control and plot lies inside the window, and none on another.
inline void check_places(const nlohmann::json& map) {
  std::vector<Named> all;
  const auto add = [&](const std::string& name, const nlohmann::json& rect) {
    all.push_back({name, {rect[0], rect[1], rect[2], rect[3]}});
  };
  for (const auto& [name, control] : map.at("controls").items()) add(name, control.at("rect"));
  for (const auto& [name, plot] : map.at("plots").items()) add("plot " + name, plot.at("frame"));
  CHECK(all.size() > 15);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [name, place] = all[i];
    CAPTURE(name);
    CHECK(place.x >= 0);
    CHECK(place.y >= 0);
    CHECK(place.x + place.w <= map.at("window")[0].get<double>());
    CHECK(place.y + place.h <= map.at("window")[1].get<double>());
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      CAPTURE(all[j].name);
      CHECK_FALSE(overlap(place, all[j].place));
    }
  }
}
