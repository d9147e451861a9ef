#include "tests/plot/random_figures.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tests/plot/dice.hpp"

namespace test {
namespace {

plot::Series random_series(Dice& dice, int number, double x_scale, double y_scale) {
  plot::Series series;
  series.name = fmt::format("series {}{}", number,
                            dice.chance(0.2) ? " with a rather long name, 64 Mi elements" : "");
  series.colour = dice.upto(8);
  series.marker = static_cast<plot::Marker>(dice.upto(4));
  series.filled = dice.chance(0.5);
  series.faded = dice.chance(0.2);
  series.hidden = dice.chance(0.1);
  const int count = dice.upto(40);
  plot::Points points;
  for (int i = 0; i < count; ++i) {
    const double x = x_scale * std::pow(1.5, i),
                 y = y_scale * dice.log_between(0.1, 10) * std::min(x / x_scale, 50.0);
    points.x.push_back(x);
    points.y.push_back(y);
    points.low.push_back(y / dice.between(1, 2));
    points.high.push_back(y * dice.between(1, 2));
  }
  series.points = std::move(points);
  return series;
}

void add_roofs(plot::Figure& figure, Dice& dice, double bandwidth, double y_scale) {
  const int roofs = dice.upto(5);
  for (int i = 0; i < roofs; ++i) {
    const double rate = y_scale * dice.log_between(1, 1e3), ridge = rate / bandwidth;
    plot::Roof roof{
        fmt::format("roof number {} at {:.3g} (measured)", i, rate),
        fmt::format("roof {}", i),
        fmt::format("roof number {} at {:.3g} (measured), {:.3g} (datasheet)", i, rate, rate * 1.1),
        plot::Dash::solid,
        dice.chance(0.2),
        dice.upto(4) == 0,
        dice.upto(8) - 1,
        {ridge * 1e-6, ridge, ridge * 1e6},
        {rate * 1e-6, rate, rate}};
    if (dice.chance(0.4)) roof.dash = plot::Dash::dashed;
    figure.roofs.push_back(roof);
    const auto kind = static_cast<plot::Mark::Kind>(dice.upto(4));
    figure.marks.push_back(
        {ridge, rate, fmt::format("mark {}", i), kind, dice.upto(8) - 1, dice.chance(0.2)});
  }
}

}  // namespace

plot::Figure random_figure(unsigned seed) {
  Dice dice(seed);
  plot::Figure figure;
  figure.title = dice.chance(0.8) ? "A figure of random things" : "";
  figure.x.title = "Arithmetic intensity";
  figure.x.unit = dice.chance(0.7) ? "FLOP/byte" : "";
  figure.x.si_prefix = dice.chance(0.3);
  figure.y.title = "Performance";
  figure.y.unit = dice.chance(0.7) ? "FLOP/s" : "s";
  const double x_scale = dice.log_between(1e-3, 1e3), y_scale = dice.log_between(1e-9, 1e15);
  const int series = dice.upto(dice.chance(0.2) ? 20 : 6);
  for (int i = 0; i < series; ++i)
    figure.series.push_back(random_series(dice, i, x_scale, y_scale));
  add_roofs(figure, dice, y_scale / x_scale, y_scale);
  if (dice.chance(0.5)) {
    figure.regions.push_back({"bandwidth-bound",
                              plot::Regime::bandwidth,
                              {x_scale * 1e-3, x_scale * 10},
                              {y_scale * 1e-3, y_scale * 10}});
    figure.regions.push_back({"compute-bound",
                              plot::Regime::compute,
                              {x_scale * 10, x_scale * 1e5},
                              {y_scale * 10, y_scale * 10},
                              true});
  }
  if (dice.chance(0.5))
    figure.empty_text = "Nothing measured yet: a sentence with a remedy, long enough to be broken.";
  if (seed % 3 == 0)
    figure.above =
        plot::AxisAbove{"Arithmetic intensity, fused", "FLOP/byte", dice.log_between(1e-3, 1e3)};
  plot::fit(figure);
  if (dice.chance(0.3)) {
    figure.x.low *= dice.log_between(0.5, 3);
    figure.x.high = figure.x.low * dice.log_between(1.01, 1e4);
    figure.y.low *= dice.log_between(0.5, 3);
    figure.y.high = figure.y.low * dice.log_between(1.01, 1e9);
  }
  return figure;
}

Size random_size(unsigned seed) {
  Dice dice(seed ^ 0x9e3779b9U);
  return {dice.log_between(40, 2000), dice.log_between(30, 1400)};
}

}  // namespace test
