// The second scale of x: what so many ops per element are in FLOP/byte.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "ui/figures/parts.hpp"

namespace ui {
namespace {

bool alike(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(a); }

/// FLOP/byte for each repeat of a fused case; nothing where it does not grow in proportion.
std::optional<double> intensity_per_repeat(kernels::Case what) {
  const auto at = [&](std::uint64_t repeat) {
    what.repeat = repeat;
    return kernels::work_of(what).intensity() / static_cast<double>(repeat);
  };
  const double once = at(1);
  return once > 0 && alike(once, at(kernels::max_repeat)) ? std::optional(once) : std::nullopt;
}

/// Whose FLOP/byte are read: the slider's fused case where shown, else the first with a scale.
const kernels::Case* spokesman(const std::vector<kernels::Case>& shown, const View& view) {
  const auto speaks = [](const kernels::Case& what) {
    return what.fusion == kernels::Fusion::fused && intensity_per_repeat(what);
  };
  const auto slider = view.cursor ? std::ranges::find(shown, *view.cursor) : shown.end();
  if (slider != shown.end() && speaks(*slider)) return &*slider;
  const auto first = std::ranges::find_if(shown, speaks);
  return first != shown.end() ? &*first : nullptr;
}

/// Of the visible lines, the slider and what it left.
std::vector<kernels::Case> cases_of(const Plotted& plotted) {
  std::vector<kernels::Case> cases;
  for (const Line& line : plotted.lines) {
    if (line.series.hidden) continue;
    if (line.slow) cases.push_back(plotted.groups[*line.slow].what);
    cases.push_back(plotted.group_of(line).what);
  }
  const View& view = plotted.view;
  if (view.cursor && view.cursor->elements > 0) cases.push_back(*view.cursor);
  if (!plotted.chart.versus.empty()) return cases;
  for (const engine::Point* probe : probes_of(plotted, view)) cases.push_back(probe->what);
  return cases;
}

}  // namespace

std::optional<plot::AxisAbove> intensity_above(const Plotted& plotted) {
  const engine::Metric* x = plotted.chart.x_metric();
  if (plotted.view.x != XAxis::both || x == nullptr || x->key != "repeat") return {};
  const std::vector<kernels::Case> shown = cases_of(plotted);
  const kernels::Case* chosen = spokesman(shown, plotted.view);
  if (chosen == nullptr) return {};
  const std::optional<double> factor = intensity_per_repeat(*chosen);
  const bool for_all = std::all_of(shown.begin(), shown.end(), [&](const kernels::Case& what) {
    if (what.fusion != kernels::Fusion::fused) return true;
    const std::optional<double> own = intensity_per_repeat(what);
    return own && alike(*factor, *own);
  });
  engine::Point named;
  named.what = *chosen;
  const std::string whose = for_all ? "fused" : series_name(named);
  return plot::AxisAbove{"Arithmetic intensity, " + whose,
                         unit_of(engine::metrics::intensity, plotted.integer), *factor};
}

}  // namespace ui
