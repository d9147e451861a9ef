#include "engine/excess.hpp"

#include <algorithm>

namespace engine {
namespace {

// Kernels that share a bottleneck differ by some percent: copies with another mix of instructions,
// chains with another number of registers.
constexpr double tolerance = 1.05;

}  // namespace

const Roof* Excess::find(const std::string& name) const {
  const auto found = std::ranges::find_if(roofs_.roofs, [&](const Roof& roof) {
    return roof.name == name && roof.source == RoofSource::measured;
  });
  return found == roofs_.roofs.end() ? nullptr : &*found;
}

bool Excess::learn(const std::string& name, double amount, double seconds) {
  const Roof* roof = find(name);
  if (roof == nullptr || !(seconds > 0)) return false;
  const double rate = amount / seconds;
  rates_[name] = std::max(rates_[name], rate);
  return rate > tolerance * roof->rate;
}

bool Excess::learn(const Point& point) {
  // Zeros run faster where power is the limit, and their roofs are others.
  if (point.status != Status::ok || point.what.data != kernels::Data::random) return false;
  // The slow end of its interval: one lucky sample proves nothing.
  const double seconds = std::max(point.seconds.median, point.seconds.high);
  bool above = false;
  // Only chains move their bytes in the roof's mix of reads and writes.
  const bool in_memory = point.cold && kernels::footprint_of(point.what) >= memory_bytes_;
  if (in_memory && point.what.family == kernels::Family::chain)
    above = learn("DRAM copy", point.work.bytes, seconds);
  for (const std::string& name : compute_roof_names(point.what)) {
    if (find(name) == nullptr) continue;
    // Its own roof, not that of FMA which is shown beside it.
    return learn(name, point.work.flops, seconds) || above;
  }
  return above;
}

double Excess::highest_share(const Roof& roof) const {
  const auto found = rates_.find(roof.name);
  return found == rates_.end() ? 0 : found->second / roof.rate;
}

std::vector<Roof> Excess::exceeded() const {
  std::vector<Roof> roofs = roofs_.roofs;
  std::erase_if(roofs, [this](const Roof& roof) {
    return roof.source != RoofSource::measured || highest_share(roof) <= tolerance;
  });
  return roofs;
}

}  // namespace engine
