// Where a series of runtimes leaves its flat part: the knee, up to which further ops cost nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "engine/session/session.hpp"

namespace engine {

/// The flat part of measured points that ascend in repeat. It ends before the first point from
/// which on every median lies more than 10 % above the fastest one and every 95 % interval wholly
/// above that one's, so that neither noise nor one disturbed point counts as the knee. A first
/// point that is alone so fast is left out where three or more right behind it are level over
/// twice the repeats: then it was lucky.
struct FlatPart {
  double seconds = 0;     ///< the fastest median there
  std::size_t last = 0;   ///< the last point of the flat part
  std::size_t first = 0;  ///< the first one; 1 where the very first point is left out
};

/// `points` must not be empty.
FlatPart flat_part(std::span<const Point* const> points);

/// Where the flat part and the line on which every op costs the same meet, in ops per element.
/// Points of the flat part are those at most at half of it, those of the line at least at twice it:
/// in between, memory and arithmetic hinder each other. From what they reach of the roofs that ran
/// beside them where these did, so that a drift of the device cancels out; else from runtimes. Its
/// interval is none where one of the parts has none from undisturbed points. Nothing where one of
/// the parts has no point, or it does not lie between the first point and the last. `points` as
/// above.
std::optional<Interval> knee_of(std::span<const Point* const> points);
/// False where its interval is wider than a factor of two: then nobody knows where it is.
bool is_called(const Interval& knee);

}  // namespace engine
