// An exercise while the user works on it.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/exercises/exercise.hpp"
#include "ui/figures/view.hpp"

namespace ui {

struct Exercising {
  std::size_t number = 0;  ///< of Documents::exercises
  std::optional<engine::Guess> guess{};
  bool asked = false;           ///< the guess stands, and the machine is to answer
  std::uint64_t after_run = 0;  ///< runs up to this one were there before that
  engine::Spec before{};        ///< as the controls stood before any exercise
  XAxis x_before = XAxis::repeat;
};

}  // namespace ui
