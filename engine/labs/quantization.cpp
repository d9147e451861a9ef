// The lab `quantization`: products just below and above multiples of a tile, and the rounds of
// tiles that the cores take.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/products.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/matmul/matmul.hpp"

namespace engine {
namespace {

using kernels::By;

constexpr LabKnob depth =
    LabKnob::number("depth", "Columns of A and rows of B, the same for all.", "1024", 16, 16384);
constexpr LabKnob tiles =
    LabKnob::numbers("tiles",
                     "Tiles along each side of C; sizes are measured around them. auto: on a CPU "
                     "three numbers, the first of which is the most that all cores compute in one "
                     "round, but at least 3; on a GPU from there over three rounds.",
                     "auto", 1, 256);

/// How far from the predicted step a measured one may be that still is it.
constexpr double about = 0.15;
/// The least that two tiles at once on a multiprocessor take, in times of one; less is no step.
constexpr double least_pair = 1 + about;

std::uint64_t tile_of(const kernels::DeviceInfo& device) {
  return static_cast<std::uint64_t>(std::max(device.product_tile, 1));
}

std::uint64_t waves_of(kernels::MatmulSize size, const kernels::DeviceInfo& device) {
  return kernels::matmul_waves(size, device.multiprocessors, tile_of(device));
}

/// The largest square of tiles in one wave, and the next two: teeth of tiles, and of waves. On few
/// cores so many tiles that the border between them matters.
std::vector<std::uint64_t> teeth_of(const kernels::DeviceInfo& device) {
  const auto cores = static_cast<double>(std::max(device.multiprocessors, 1));
  const auto first = std::max<std::uint64_t>(3, static_cast<std::uint64_t>(std::sqrt(cores)));
  return {first, first + 1, first + 2};
}

/// On a GPU, where nobody says: every number of tiles over three borders of waves, and around each
/// border half a tile less, one row and column more, and half a tile more.
std::vector<std::uint64_t> sizes_over_waves(const kernels::DeviceInfo& device) {
  constexpr int borders = 3;
  const std::uint64_t tile = tile_of(device), first = teeth_of(device).front();
  const auto waves = [&](std::uint64_t along_side) {
    const std::uint64_t side = along_side * tile;
    return waves_of({.m = side, .n = side, .k = 1}, device);
  };
  std::vector<std::uint64_t> sizes{(first - 1) * tile};
  std::uint64_t along = first;
  for (int passed = 0; passed < borders; ++along) {
    const std::uint64_t size = along * tile;
    const bool border = waves(along + 1) > waves(along);
    if (border && sizes.back() != size - tile / 2) sizes.push_back(size - tile / 2);
    sizes.push_back(size);
    if (!border) continue;
    sizes.insert(sizes.end(), {size + 1, size + tile / 2});
    ++passed;
  }
  sizes.push_back(along * tile);
  return sizes;
}

/// Up to each number of tiles in halves of a tile, and one more row and column.
std::vector<std::uint64_t> sizes_of(const Spec& spec, const kernels::DeviceInfo& device) {
  if (device.kind == "cuda" && is_automatic(spec, tiles)) return sizes_over_waves(device);
  const std::vector<std::uint64_t> borders = numbers_of(spec, tiles, teeth_of(device));
  const std::uint64_t tile = tile_of(device);
  std::vector<std::uint64_t> sizes;
  for (const std::uint64_t border : borders) {
    const std::uint64_t size = border * tile;
    if (border != borders.front()) sizes.push_back(size - tile / 2);
    sizes.push_back(size);
    if (border != borders.back()) sizes.push_back(size + 1);
  }
  return sizes;
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  refuse_both_units(spec);
  refuse_several_dtypes(spec);
  const std::uint64_t k = number_of(spec, depth);
  const LabKnob& chosen = is_automatic(spec, tiles) ? depth : tiles;
  Plan plan;
  for (const std::uint64_t size : sizes_of(spec, place.info)) {
    kernels::Case what =
        kernels::matmul_case(spec.dtypes.front(), units_of(spec), {size, size, k}, spec.data);
    what.shape = {{std::string(kernels::edges_axis), std::string(kernels::whole_edges)}};
    ask_both(plan, place, spec, chosen, what);
  }
  return plan;
}

double waves_of(const Results& results, const Point& point) {
  return static_cast<double>(waves_of(kernels::matmul_size(point.what), results.session.device));
}

double median_of_all(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

/// Seconds of waves. A multiprocessor may compute two tiles at once, in less than twice the time of
/// one; so waves come in pairs.
struct Staircase {
  double one = 0, two = 0;  ///< seconds of a wave, and of a pair

  double at(double waves) const {
    return std::floor(waves / 2) * two + (std::fmod(waves, 2) > 0 ? one : 0);
  }
};

/// The medians of the points with one and two waves of a GPU; else two times one, the median over
/// all sizes.
Staircase staircase_of(const Results& results, const Points& points) {
  std::vector<double> each, of_one, of_two;
  for (const Point* point : points) {
    const double seconds = point->seconds.median, waves = waves_of(results, *point);
    each.push_back(seconds / waves);
    if (waves == 1) of_one.push_back(seconds);
    if (waves == 2) of_two.push_back(seconds);
  }
  const double one = median_of_all(of_one), two = median_of_all(of_two), wave = median_of_all(each);
  const bool pairs = results.session.device.kind == "cuda" && one > 0 && two > 0;
  return pairs ? Staircase{one, two} : Staircase{wave, 2 * wave};
}

/// What waves take at every size between the points, and what that is per second.
Curve predicted(const Results& results, const Points& points, bool rate) {
  Curve curve{"waves of tiles"};
  if (points.empty()) return curve;
  const Staircase stairs = staircase_of(results, points);
  kernels::MatmulSize size = kernels::matmul_size(points.front()->what);
  const std::uint64_t last = kernels::matmul_size(points.back()->what).m;
  const kernels::Case& what = points.front()->what;
  for (; size.m <= last; ++size.m) {
    size.n = size.m;
    const double seconds = stairs.at(static_cast<double>(waves_of(size, results.session.device)));
    const double flops = kernels::work_of(kernels::with_size(what, size)).flops;
    curve.add(static_cast<double>(size.m), rate ? flops / seconds : seconds);
  }
  return curve;
}

const Point* at_size(const Points& points, std::uint64_t size) {
  const auto found = std::ranges::find_if(
      points, [&](const Point* point) { return kernels::matmul_size(point->what).m == size; });
  return found == points.end() ? nullptr : *found;
}

std::vector<Chart> charts(const Results& results) {
  const Points points = products_of(results, By::own);
  const std::uint64_t tile = tile_of(results.session.device);
  const auto chart = [&](const char* id, const char* title, Metric y, bool rate) {
    y.log = false;
    Chart one = over_sizes(id, title, "Rows and columns of C", y);
    std::get<Metric>(one.x).log = false;
    if (points.size() > 1) one.curves.push_back(predicted(results, points, rate));
    for (const Point* point : points) {
      const std::uint64_t size = kernels::matmul_size(point->what).m;
      if (size % tile == 0 && at_size(points, size + 1) != nullptr)
        one.notes.push_back(
            {Note::At::x, static_cast<double>(size), 0, fmt::format("{} tiles", size / tile)});
    }
    return one;
  };
  return {chart("quantization", "FLOP/s around whole tiles", metrics::flops, true),
          chart("quantization-runtime", "Runtime around whole tiles", metrics::runtime, false)};
}

/// Whole tiles, one row and column more, and the waves of both.
struct Border {
  const Point *whole, *more;
  double from, to;
};

std::vector<Border> borders_of(const Results& results, const Points& points) {
  std::vector<Border> borders;
  for (const Point* point : points) {
    const std::uint64_t size = kernels::matmul_size(point->what).m;
    const Point* more = at_size(points, size + 1);
    if (size % tile_of(results.session.device) == 0 && more != nullptr)
      borders.push_back({point, more, waves_of(results, *point), waves_of(results, *more)});
  }
  return borders;
}

/// A pair of waves in times of one, by the points on neither side of a border: what is judged must
/// not predict itself. Nothing where these have not both an odd and an even number of waves.
std::optional<double> pair_beyond(const Results& results, const Points& points,
                                  const Border& border) {
  std::vector<double> of_one, of_pair;
  const auto others = [&](bool odd, auto&& add) {
    for (const Point* point : points) {
      const double waves = waves_of(results, *point);
      const bool beside = waves == border.from || waves == border.to;
      if (!beside && is_sure(*point) && (std::fmod(waves, 2) > 0) == odd)
        add(point->seconds.median, std::floor(waves / 2));
    }
  };
  others(false, [&](double seconds, double pairs) { of_pair.push_back(seconds / pairs); });
  const double two = median_of_all(of_pair);
  others(true, [&](double seconds, double pairs) { of_one.push_back(seconds - pairs * two); });
  const double one = median_of_all(of_one);
  if (!(one > 0) || !(two > 0)) return std::nullopt;
  return std::clamp(two / one, least_pair, 2.0);
}

/// The factor at a border where a pair of waves takes so many times as long as one.
double factor_at(const Border& border, double pair) {
  const Staircase stairs{1, pair};
  return stairs.at(border.to) / stairs.at(border.from);
}

/// The largest step between neighbours with the same waves, where there should be none.
double step_within(const Results& results, const Points& points) {
  double largest = 1;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point &below = *points[i - 1], &above = *points[i];
    if (waves_of(results, below) != waves_of(results, above)) continue;
    if (!is_sure(below) || !is_sure(above)) continue;
    const Interval step = times_as_long(above, below);
    largest = std::max(largest, step.low.value_or(step.median));
  }
  return largest;
}

/// As large as predicted. Where waves differ there must be a step, too: half of the predicted one,
/// and more than any between.
Says judge_step(const Interval& here, const Border& border, double factor, double between) {
  const double least = factor * (1 - about), most = factor * (1 + about);
  if (border.from == border.to) return judge(here, least, most);
  return judge(here, std::max({least, (1 + factor) / 2, between}), most);
}

/// Whether some pair of waves explains a step that whole waves do not.
bool pairs_may_explain(const Interval& here, const Border& border, double between) {
  const auto [low, high] = std::minmax({factor_at(border, least_pair), factor_at(border, 2)});
  return border.from != border.to &&
         judge(here, std::max(low, between), high * (1 + about)) != Says::differs;
}

/// Adds a row for each border, and judges it. Returns whether more borders could tell more.
bool judge_borders(const Results& results, const Points& points, const std::vector<Border>& borders,
                   LabVerdict& verdict) {
  const double between = step_within(results, points);
  const bool gpu = results.session.device.kind == "cuda";
  bool too_few = false;
  for (const Border& border : borders) {
    const auto pair = gpu ? pair_beyond(results, points, border) : std::nullopt;
    const double factor = factor_at(border, pair.value_or(2));
    const Interval here = times_as_long(*border.more, *border.whole);
    const std::uint64_t size = kernels::matmul_size(border.whole->what).m;
    Says says = judge_step(here, border, factor, between);
    if (says == Says::differs && gpu && !pair && pairs_may_explain(here, border, between)) {
      says = Says::cannot_say;
      too_few = true;
    }
    verdict.rows.push_back({fmt::format("{} to {} rows: {:.0f} to {:.0f} waves", size, size + 1,
                                        border.from, border.to),
                            Interval{factor}, here, "x", says});
  }
  return too_few;
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Points points = products_of(results, By::own);
  const std::vector<Border> borders = borders_of(results, points);
  if (borders.empty())
    return cannot_say("Measure a multiple of the tile, and one more row and column.");
  const bool too_few = judge_borders(results, points, borders, verdict);
  const Staircase stairs = staircase_of(results, points);
  if (stairs.two < 2 * (1 - about) * stairs.one)
    verdict.inform("two tiles at once on a multiprocessor, against one",
                   Interval{stairs.two / stairs.one}, "x");
  Points behind;
  for (const Border& border : borders) behind.insert(behind.end(), {border.whole, border.more});
  verdict.conclude(
      "One more row and column costs as much as the extra tiles that it needs.",
      "Runtimes do not follow the waves of tiles.", behind,
      too_few ? "Two tiles at once may explain a step: measure more borders of waves." : scattered);
  return verdict;
}

}  // namespace

extern constinit const Lab quantization_lab{
    .name = "quantization",
    .title = "Tiles and waves",
    .group = "Compute",
    .question = "What does one more row and column cost?",
    .about =
        "A matrix product is computed in tiles of C, here of 64 x 64 elements on a CPU and of 128 "
        "x 128 on a GPU. One row and column more than a multiple of the tile needs another row and "
        "column of tiles (tile quantization). The cores (multiprocessors) compute whole tiles in "
        "rounds, and in the last round some may be idle (wave quantization). So the runtime is a "
        "staircase and the FLOP/s are a sawtooth. Our kernel computes tiles at the edge whole; a "
        "library may do otherwise. The dashed line is the number of rounds times the median time "
        "of one; on a GPU, where a multiprocessor can compute two tiles at once in less than twice "
        "the time, the rounds come in pairs.",
    .needs =
        "On a CPU 7 sizes around 3, 4 and 5 tiles: whole tiles, one row and column more, and half "
        "a tile less. On a GPU whole tiles over three borders of rounds, and around each border "
        "half a tile less, one row and column more, and half a tile more: 20 sizes on 132 "
        "multiprocessors. By our kernel and by a library. The verdict compares whole tiles with "
        "one row and column more, where both were measured.",
    .claim = {"The runtime follows the whole tiles, and how they divide among the cores.",
              "Efficient Deep Learning Systems, tile and wave quantization"},
    .reads = {"dtype", "units", "data"},
    .knobs = {depth, tiles},
    .why_not = why_no_products,
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .on_matrix_units = true,
    .time = 10,
};

}  // namespace engine
