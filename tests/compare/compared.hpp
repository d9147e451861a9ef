// Sides as tests of comparisons need them: points with the intervals that a test says.
#pragma once

#include <vector>

#include "engine/compare/compare.hpp"
#include "tests/session/examples.hpp"

namespace tests {

/// A point that takes `seconds`, and as much more or less as `reach` says.
inline engine::Point taking(const kernels::Case& what, double seconds, double reach = 0.001) {
  engine::Point point = examples::point(what, seconds);
  point.seconds.low = seconds * (1 - reach);
  point.seconds.high = seconds * (1 + reach);
  return point;
}

inline kernels::Case in_dtype(kernels::Dtype dtype, std::uint64_t repeat = 1) {
  return examples::chain(repeat, kernels::Fusion::fused, dtype);
}

inline engine::Session holding(std::vector<engine::Point> points) {
  engine::Session session = examples::session();
  session.points = std::move(points);
  return session;
}

/// All points of both sessions.
inline engine::Comparison compared(const engine::Session& a, const engine::Session& b) {
  return engine::compare(engine::side_of(a, "", "'a'"), engine::side_of(b, "", "'b'"));
}

/// Two words of one session.
inline engine::Comparison compared(const engine::Session& session, const std::string& a,
                                   const std::string& b) {
  return engine::compare(engine::side_of(session, a, "'s'"), engine::side_of(session, b, "'s'"));
}

}  // namespace tests
