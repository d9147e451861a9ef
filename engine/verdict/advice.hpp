// What would make a point faster, from what was measured beside it and what the roofs predict.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/verdict/predict.hpp"

namespace engine {

/// A point of the session that was measured and differs from `point` as `changed` says: by a sweep
/// before those at the slider, in the same run before others, else the newest. Null when there is
/// none.
const Point* find_measured(const Session&, const kernels::Case& changed,
                           std::uint64_t preferred_run);

/// Sentences that compare the point with measured siblings: fused with unfused, matrix with vector
/// units.
std::vector<std::string> speed_ups(const Session&, const Point&);

/// What would help in the verdict's regime, most useful first.
std::vector<std::string> advice_for(const Session&, const Point&, const Verdict&);

/// "31x", "1.8x".
std::string factor(double ratio);

/// How many times as fast `fast` is: the one figure for a pair of points, as charts and labs show
/// it. Says what it is where the quotient of the two runtimes is another one, "31x, pass by pass",
/// and where the points are not both sure: see is_sure().
std::string speed_up_in_words(const Point& slow, const Point& fast);

}  // namespace engine
