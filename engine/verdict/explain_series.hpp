// What a series of points over repeat says in words: regimes, knee, plateau. Part of explain().
#pragma once

#include <string>
#include <vector>

#include "engine/session/session.hpp"

namespace engine {

/// Points that differ in repeat alone, by repeat, each the newest of its case.
struct PointSeries {
  std::vector<const Point*> points;

  const kernels::Case& what() const { return points.front()->what; }
};

/// All series of the measured points of a session, in the order of their first points.
std::vector<PointSeries> series_of(const Session&);

/// "chain fma fp32, fused, vector units"
std::string series_title(const kernels::Case&);

/// series_title() with the number of elements, and what is to be known of the kernel.
std::string series_heading(const PointSeries&);

/// How much faster a series is than one of all that differs only in fusion, or in units: a sentence
/// for each.
std::vector<std::string> describe_gains(const std::vector<PointSeries>& all, const PointSeries&);

/// Sentences, most general first.
std::vector<std::string> describe_series(const Session&, const PointSeries&);

/// Skipped and failed points with their reasons; those of a series that differ in numbers alone
/// together.
std::vector<std::string> describe_missing(const Session&);

}  // namespace engine
