// The tour of the window: five steps, each of which waits for what the user does.
#pragma once

#include <array>
#include <cstdint>

#include "engine/spec.hpp"

namespace ui {

/// In the order of the tour, which is that of the article "Making Deep Learning Go Brrrr From First
/// Principles".
enum class GuideStep : std::uint8_t { add_ops, cross_ridge, fuse, shrink, precision };
inline constexpr std::array guide_steps{GuideStep::add_ops, GuideStep::cross_ridge, GuideStep::fuse,
                                        GuideStep::shrink, GuideStep::precision};

/// The tour while it is on: its step, and how the controls stood when the step began. What differs
/// since then the user has done.
struct Guide {
  GuideStep step = GuideStep::add_ops;
  engine::Spec spec;
  std::uint64_t repeat = 0;
};

}  // namespace ui
