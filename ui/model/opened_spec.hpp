// The controls while files are looked at: as the first one asks, until the user sets one. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "ui/model/app_state.hpp"

namespace ui {

/// `own` with the lab and the knobs of the session's newest sweep, of that lab if one is named, as
/// far as the device can run them; nothing where it can run none of its element types, or the
/// session holds no sweep.
std::optional<engine::Spec> opened_spec(const engine::Session&, const engine::Spec& own,
                                        const engine::Place&, std::string_view of_lab = {});

/// To be called whenever the opened files have changed, and once the devices are known.
void set_spec_from_opened(AppState&);

/// The user has set a control, or a sweep has started: from now on the spec is theirs.
void keep_own_spec(AppState&);

}  // namespace ui
