// How well a median is known, and why no better, in words. Pure.
#pragma once

#include <string>

#include "engine/session.hpp"

namespace engine {

/// "95 % interval 0.4 % wide"; "1 sample"; "4 samples, 1.2 ms to 1.4 ms": of fewer than six there
/// is no 95 % interval.
std::string precision_in_words(const Seconds&);

/// A sentence for a point that stopped short of its noise goal; empty for one that did not.
std::string limit_in_words(const Point&);

}  // namespace engine
