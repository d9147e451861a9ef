#include "engine/excess.hpp"

#include <algorithm>

namespace engine {
namespace {

// Above the upper end of the roof's interval. Kernels that share a bottleneck differ by some
// percent: copies with another mix of instructions, chains with another number of registers.
constexpr double tolerance = 1.05;

}  // namespace

void Excess::learn(const Point& point) {
  if (point.status != Status::ok) return;
  const auto reached = [&](const std::string& name, double rate) {
    rates_[name] = std::max(rates_[name], rate);
  };
  if (point.cold) reached("DRAM copy", point.bytes_per_second());
  for (const std::string& name : compute_roof_names(point.what)) {
    const bool is_there = std::ranges::any_of(roofs_.roofs, [&](const Roof& roof) {
      return roof.name == name && roof.source == RoofSource::measured;
    });
    if (!is_there) continue;
    reached(name, point.flops_per_second());
    return;  // its own roof, not that of FMA which is shown beside it
  }
}

bool Excess::is_exceeded(const Roof& roof) const {
  return roof.source == RoofSource::measured && roof.data == kernels::Data::random &&
         highest_over(roof.name, tolerance * std::max(roof.rate, roof.rate_high)) > 1;
}

std::vector<Roof> Excess::exceeded() const {
  std::vector<Roof> roofs = roofs_.roofs;
  std::erase_if(roofs, [this](const Roof& roof) { return !is_exceeded(roof); });
  return roofs;
}

std::vector<Roof> Excess::held() const {
  std::vector<Roof> roofs = roofs_.roofs;
  std::erase_if(roofs, [this](const Roof& roof) { return is_exceeded(roof); });
  return roofs;
}

double Excess::highest_over(const std::string& name, double rate) const {
  const auto found = rates_.find(name);
  return found == rates_.end() ? 0 : found->second / rate;
}

}  // namespace engine
