// The legend: in a free corner, else in rows above the plot, or above all figures of a page.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ui/plot/scene.hpp"

namespace plot {
namespace {

constexpr double text_share = 0.92;  // of the font size
constexpr double swatch_gap = 0.4;   // em
constexpr double row = 1.45;         // em
constexpr double gap = 1.4;          // em between entries of a row
constexpr double least_plot = 9.5;   // em that rows above it leave: below, labels get rare
constexpr int most_rows = 4;
constexpr std::size_t most_looked_at = 500;  // series: of a fleet no legend names more

/// Every series once, except earlier runs that a newer one of the same name stands for; then
/// earlier runs of other names; last, what other signs mean.
std::vector<LegendItem> items_of(const Figure& figure) {
  const std::size_t size = std::min(figure.series.size(), most_looked_at);
  const std::span<const Series> first(figure.series.data(), size);
  std::unordered_set<std::string_view> named;
  for (const Series& series : first) {
    if (!series.faded) named.insert(series.name);
  }
  std::vector<LegendItem> items;
  std::unordered_set<std::string_view> listed;
  for (std::size_t i = 0; i < size; ++i) {
    const Series& series = first[i];
    if (series.name.empty() || (series.faded && named.contains(series.name))) continue;
    if (listed.insert(series.name).second) items.push_back({i, series.name, {}});
  }
  // Where there is no room for all, the newest are named.
  std::ranges::stable_partition(
      items, [&](const LegendItem& item) { return !figure.series[item.series].faded; });
  for (const Key& key : figure.keys) items.push_back({figure.series.size(), key.text, {}, &key});
  return items;
}

double width_of(Scene& scene, const LegendItem& item) {
  const double em = scene.em();
  return sample_width(scene.style) + swatch_gap * em + scene.extent(item.text, text_share * em).x;
}

/// One column within a box at the origin; its size, or nothing where the plot is too low for it.
std::optional<Rect> stack(Scene& scene, std::vector<LegendItem>& items) {
  const double em = scene.em(), pad = 0.5 * em;
  const double height = 2 * pad + static_cast<double>(items.size()) * row * em;
  if (height > 0.55 * scene.layout.plot.h) return {};
  double width = 0, at = pad;
  for (LegendItem& item : items) {
    item.box = {pad, at, width_of(scene, item), row * em};
    width = std::max(width, item.box.w);
    at += item.box.h;
  }
  for (LegendItem& item : items) item.box.w = width;
  return Rect{0, 0, width + 2 * pad, at + pad};
}

/// The corner, or failing that the place along an edge, with nothing beneath it.
std::optional<Rect> free_corner(Scene& scene, const Rect& size) {
  const Rect& plot = scene.layout.plot;
  const double inset = 0.7 * scene.em();
  const double left = plot.x + inset, right = plot.right() - inset - size.w;
  const double top = plot.y + inset, bottom = plot.bottom() - inset - size.h;
  if (right < left || bottom < top || size.w > 0.5 * plot.w) return {};
  map_occupancy(scene);
  for (const double slide : {0.0, 0.25, 0.5}) {
    const double dx = slide * (right - left);
    for (const Vec at : {Vec{right - dx, bottom}, Vec{left + dx, top}, Vec{left + dx, bottom},
                         Vec{right - dx, top}}) {
      const Rect box{at.x, at.y, size.w, size.h};
      if (scene.layout.occupancy.under(box_of(box).grown(0.3 * scene.em()), 0) == 0) return box;
    }
  }
  return {};
}

/// As many in each row as in the others, one below the other, where they fit `width` so.
void align(Scene& scene, std::vector<LegendItem>& items, double width, std::size_t rows) {
  const double em = scene.em();
  const std::size_t columns = (items.size() + rows - 1) / rows;
  std::vector<double> widths(columns, 0.0);
  for (std::size_t i = 0; i < items.size(); ++i)
    widths[i % columns] = std::max(widths[i % columns], items[i].box.w);
  std::vector<double> lefts{0};
  for (const double own : widths) lefts.push_back(lefts.back() + own + gap * em);
  if (lefts.back() - gap * em > width) return;
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].box.x = lefts[i % columns];
    items[i].box.y = static_cast<double>(i / columns) * row * em;
  }
}

/// Lines up from left to right as many as find room in at most `most` rows of `width`; in the last
/// row `reserved` is kept free. How many did, and in how many rows.
std::pair<std::size_t, int> fill_rows(Scene& scene, std::vector<LegendItem>& items, double width,
                                      int most, double reserved) {
  const double em = scene.em();
  double at = 0;
  int line = 0;
  std::size_t shown = 0;
  for (LegendItem& item : items) {
    const double room = width - (line + 1 == most ? reserved : 0);
    const double own = width_of(scene, item);
    if (at > 0 && at + own > room) {
      at = 0;
      ++line;
    }
    if (line >= most || own > width) break;
    item.box = {at, line * row * em, own, row * em};
    at += own + gap * em;
    ++shown;
  }
  return {shown, std::min(line + 1, most)};
}

/// In at most `most` rows of `width`; what finds no room is counted in a last entry.
double flow(Scene& scene, std::vector<LegendItem>& items, double width, int most) {
  const double em = scene.em();
  auto [shown, rows] = fill_rows(scene, items, width, most, 0);
  if (shown == items.size()) {
    align(scene, items, width, static_cast<std::size_t>(rows));
  } else {
    const double more =
        sample_width(scene.style) + (swatch_gap + gap) * em +
        scene.extent(items.size() < 100 ? "+99 more" : "+9999 more", text_share * em).x;
    std::tie(shown, rows) = fill_rows(scene, items, width, most, more);
    const std::size_t unseen =
        scene.figure.series.size() - std::min(scene.figure.series.size(), most_looked_at);
    scene.legend_rest = fmt::format("+{} more", items.size() - shown + unseen);
    items.resize(shown);
    const double own = scene.extent(scene.legend_rest, text_share * em).x;
    if (shown > 0) {
      const Rect& last = items.back().box;
      items.push_back({scene.figure.series.size(),
                       scene.legend_rest,
                       {last.right() + gap * em, last.y, own, row * em}});
    }
  }
  return items.empty() ? 0 : rows * row * em;
}

/// The scene's entries, without those of signs rather than without the name of a series.
double flow_all_series(Scene& scene, double width, int most) {
  std::vector<LegendItem> items = scene.legend;
  const auto flow_again = [&] {
    scene.legend_rest.clear();
    scene.legend = items;
    return items.empty() ? 0 : flow(scene, scene.legend, width, most);
  };
  double height = flow_again();
  while (!scene.legend_rest.empty() && items.back().key != nullptr) {
    items.pop_back();
    height = flow_again();
  }
  return height;
}

void move_items(std::vector<LegendItem>& items, double dx, double dy) {
  for (LegendItem& item : items) {
    item.box.x += dx;
    item.box.y += dy;
  }
}

/// The entries' texts and click areas, once their boxes are final.
void place_items(Scene& scene) {
  const double em = scene.em(), size = text_share * em;
  const auto around = std::exchange(scene.layout.legend_box, {});  // its own texts may lie there
  for (const LegendItem& item : scene.legend) {
    const bool is_series = item.series < scene.figure.series.size();
    const bool hidden = is_series && scene.figure.series[item.series].hidden;
    const Vec extent = scene.extent(item.text, size);
    const double left =
        item.box.x +
        (is_series || item.key != nullptr ? sample_width(scene.style) + swatch_gap * em : 0);
    const Colour colour = hidden || !is_series ? scene.style.text_dim : scene.style.text;
    const Box box{{left + extent.x / 2, item.box.y + item.box.h / 2}, extent.x, extent.y, 0};
    scene.place({std::string(item.text), box, size, colour, false, false, {}, Align::left},
                scene.layout.frame);
    if (is_series) scene.layout.legend.push_back({item.box, item.series});
  }
  scene.layout.legend_box = around;
}

}  // namespace

bool lacks_in_legend(const Scene& scene) {
  const auto is_series = [&](const LegendItem& item) {
    return item.series < scene.figure.series.size();
  };
  return std::ranges::count_if(scene.legend, is_series) <
         std::ranges::count_if(items_of(scene.figure), is_series);
}

std::optional<Figure> series_of_all(std::span<const Figure> figures) {
  const auto look = [](const Series& series) {
    return std::tuple(series.colour, series.marker, series.filled, series.core, series.dash);
  };
  Figure all;
  std::unordered_map<std::string_view, decltype(look(Series()))> looks;
  for (const Figure& figure : figures) {
    for (const Key& key : figure.keys)
      if (std::ranges::find(all.keys, key) == all.keys.end()) all.keys.push_back(key);
    for (const Series& series : figure.series) {
      if (series.name.empty()) continue;
      const auto known = looks.try_emplace(series.name, look(series)).first;
      if (known->second != look(series)) return std::nullopt;
      all.series.push_back(series);
    }
  }
  return all;
}

double draw_legend(Scene& scene, double most_height) {
  if (!(scene.em() > 0)) return 0;
  const auto most = static_cast<int>(most_height / (row * scene.em()));
  if (most < 1) return 0;
  const Rect& frame = scene.layout.frame;
  scene.legend = items_of(scene.figure);
  const double height = flow_all_series(scene, frame.w, most);
  if (height == 0 || lacks_in_legend(scene)) return 0;
  move_items(scene.legend, frame.x, frame.y);
  place_items(scene);
  paint_legend(scene);
  paint_texts(scene);
  return height;
}

void lay_out_legend(Scene& scene) {
  if (scene.legend_elsewhere) return;
  const Rect before = scene.layout.plot;
  scene.legend = items_of(scene.figure);
  if (scene.legend.empty() || before.w < 9 * scene.em() || before.h < 7 * scene.em()) {
    scene.legend.clear();
    return;
  }
  const auto size = stack(scene, scene.legend);
  if (const auto corner = size ? free_corner(scene, *size) : std::nullopt) {
    scene.layout.legend_box = *corner;
    move_items(scene.legend, corner->x, corner->y);
  } else {
    const double room = (before.h / scene.em() - least_plot) / row;
    const int most = std::clamp(static_cast<int>(room), 1, most_rows);
    const double height = flow_all_series(scene, before.w, most);
    if (height == 0 || before.h - height < 4 * scene.em()) {
      scene.legend.clear();
      return;
    }
    lay_out_frame(scene, height);
    const double foot = scene.layout.plot.y - scene.above_height - 0.2 * scene.em();
    move_items(scene.legend, scene.layout.plot.x, foot - height);
  }
  place_items(scene);
}

void paint_legend(Scene& scene) {
  if (scene.layout.legend_box) {
    const auto corners = box_of(*scene.layout.legend_box).corners();
    if (!scene.style.transparent) scene.canvas.fill(corners, faded(scene.style.background, 0.9F));
    scene.canvas.path(corners, scene.style.grid, scene.px(1), Dash::solid, true);
  }
  for (const LegendItem& item : scene.legend) {
    const Rect sample{item.box.x, item.box.y + 0.2 * item.box.h, sample_width(scene.style),
                      0.6 * item.box.h};
    if (item.key != nullptr) draw_sample(*item.key, sample, scene.style, scene.canvas);
    if (item.series < scene.figure.series.size())
      draw_sample(scene.figure.series[item.series], sample, scene.style, scene.canvas);
  }
}

}  // namespace plot
