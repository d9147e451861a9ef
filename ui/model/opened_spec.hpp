// The controls while files are looked at: they ask for what the first one holds, until the user
// sets one or a sweep starts. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "ui/model/app_state.hpp"

namespace ui {

/// `own` with the lab and knobs of the newest sweep (of that lab), as far as the device runs them;
/// nothing where it runs none of its element types, or there is no sweep.
std::optional<engine::Spec> opened_spec(const engine::Session&, const engine::Spec& own,
                                        const engine::Place&, std::string_view of_lab = {});

/// To be called whenever the opened files have changed, and once the devices are known.
void set_spec_from_opened(AppState&);

/// The user has set a control, or a sweep has started: from now on the spec is theirs.
void keep_own_spec(AppState&);

}  // namespace ui
