// An exercise while the user works on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/exercises/exercise.hpp"
#include "ui/figures/view.hpp"

namespace ui {

struct Exercising {
  std::size_t number = 0;  ///< of Documents::exercises
  std::optional<engine::Guess> guess{};
  bool asked = false;           ///< the guess stands, and the machine is to answer
  std::uint64_t after_run = 0;  ///< runs up to this one were there before that
  std::string device{};         ///< that is to answer
  engine::Spec measured{};      ///< the controls when the guess stood
  std::optional<engine::MeasuredAnswer> answer{};  ///< of the first run after the guess
  engine::Spec before{};                           ///< as the controls stood before any exercise
  std::optional<engine::Spec> own_before{};        ///< AppState::own_spec then
  bool set_up_before = false;                      ///< AppState::set_up then
  XAxis x_before = XAxis::repeat;
  std::uint64_t cursor_before = 1;  ///< AppState::cursor_repeat then
};

}  // namespace ui
