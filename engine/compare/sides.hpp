// One side of a comparison: which points of a session. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/charts/chart.hpp"
#include "engine/session/session.hpp"

namespace engine {

/// The labels in which the two sides of a comparison may differ.
std::span<const Label* const> compared_labels();

/// Measured points of one session, of each case the newest. Refers to what others own.
struct Side {
  const Session* session = nullptr;
  std::string words{};  ///< by which its points were chosen: "fp16, unfused"; empty: all
  std::vector<const Point*> points{};
};

/// What a comparison takes: a sweep's points, not the slider's, not shapes tried for roofs.
bool is_compared(const Point&);
/// Whether a session has such a point.
bool has_compared_points(const Session&);

/// The words that a point has: "fp16", "unfused", "matrix", "fp16 unfused", "run 2".
std::vector<std::string> words_of(const Session&, const Point&);

/// The words that some of the points to be compared have and others do not: each of them chooses a
/// side. Words of one kind are neighbours.
std::vector<std::string> choices_of(const Session&);

/// The points that have all of these words, which commas or spaces separate. Throws BadInput where
/// a word is of no point, and where no point has them all; `where` names the session.
Side side_of(const Session&, std::string_view words, std::string_view where);

}  // namespace engine
