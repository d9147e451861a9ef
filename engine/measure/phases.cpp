#include "engine/measure/phases.hpp"

#include <algorithm>
#include <utility>

namespace engine {
namespace {

constexpr double least_aside = 1e-4;  // s; less is not worth a span

}  // namespace

Phases::Phases(std::function<double()> now, double opening)
    : now_(std::move(now)),
      origin_(now_() - opening),
      begin_(origin_),
      phase_(opening > 0 ? "open devices" : "") {}

void Phases::end(double at) {
  const auto add = [&](const std::string& lane, double from, double to) {
    if (from < to) spans_.push_back({lane, "", from - origin_, to - origin_});
  };
  double other = at;
  for (const auto& [lane, seconds] : std::exchange(aside_, {})) {
    const double from = seconds > least_aside ? std::max(begin_, other - seconds) : other;
    if (!phase_.empty()) add(lane, from, other);
    other = from;
  }
  if (!phase_.empty()) add(phase_, begin_, other);
  std::ranges::sort(spans_, {}, &kernels::Span::begin);
  begin_ = at;
}

void Phases::enter(std::string_view phase) {
  end(now_());
  phase_ = phase;
}

std::vector<kernels::Span> Phases::take(std::string_view whom) {
  enter("");
  for (kernels::Span& span : spans_) span.name = whom;
  return std::exchange(spans_, {});
}

}  // namespace engine
