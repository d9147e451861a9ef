// The three hints of the very first start: what to drag, what to toggle, what to click. Each goes
// once it was followed. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "ui/model/app_state.hpp"

namespace ui {

inline constexpr std::array all_hints{Hint::drag, Hint::toggle, Hint::click};

std::string_view name_of(Hint);
/// One short sentence.
std::string words_of(const AppState&, Hint);

/// What the user does by himself needs no hint any more.
void followed(AppState&, Hint);
/// Takes all of them away.
void close_hints(AppState&);

}  // namespace ui
