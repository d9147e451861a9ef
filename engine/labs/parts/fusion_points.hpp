// What the lab `fusion` reads from its points: which chains were measured, and how long memory and
// arithmetic take.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/session/session.hpp"
#include "kernels/families/pointwise/pointwise.hpp"

namespace engine::fusion {

/// The label of operators over data that stays in the caches.
inline constexpr std::string_view in_cache = "in cache";

/// The same case over another number of operators.
kernels::Case of_length(const kernels::Case&, std::uint64_t length);

/// A point in the caches.
bool is_cached(const Point&);
/// A measured chain of the lab's lengths.
bool is_chain(const Point&);
/// The fused chain of as many operators as an unfused one, or the other way round; null: none. Of
/// fused ones that which was generated, where it is there.
const Point* find(std::span<const Point* const>, const kernels::Case& like, kernels::Fusion);

/// Seconds of all operators of a chain in caches, for as many elements and without the launches: of
/// the whole chain where it was measured there, else of its operators together. Nothing where one
/// is missing.
std::optional<double> arithmetic_seconds(const Session&, std::span<const Point* const>,
                                         const kernels::Case&);
/// Seconds of the memory alone at the measured roof; 0 without one.
double memory_seconds(const Session&, const kernels::Case&);
/// The larger of memory and arithmetic, for each launch. Nothing where one is not known.
std::optional<double> predicted_seconds(const Session&, std::span<const Point* const>,
                                        const kernels::Case&);

}  // namespace engine::fusion
