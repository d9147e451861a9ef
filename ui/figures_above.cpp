// The second scale of x: what so many ops per element are in FLOP/byte.
#include <cmath>
#include <optional>
#include <vector>

#include "ui/figures_parts.hpp"

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

}  // namespace

std::optional<plot::AxisAbove> intensity_above(const std::vector<kernels::Case>& shown,
                                               const std::string& op, const View& view) {
  if (view.x != XAxis::both) return {};
  std::optional<double> factor;
  for (const kernels::Case& what : shown) {
    if (what.fusion != kernels::Fusion::fused) continue;
    const std::optional<double> own = intensity_per_repeat(what);
    if (!own || (factor && !alike(*factor, *own))) return {};
    factor = own;
  }
  if (!factor) return {};
  return plot::AxisAbove{"Arithmetic intensity, fused", op + "/byte", *factor};
}

}  // namespace ui
