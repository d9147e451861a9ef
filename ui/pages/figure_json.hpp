// Figures as the script of a page reads them. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "ui/plot/draw.hpp"
#include "ui/plot/output/presets.hpp"

namespace ui {

/// Everything that is drawn of it, in data units; numbers that are none are null.
nlohmann::json json_of(const plot::Figure&);

/// The colours of series and of what belongs to none.
nlohmann::json colours_of(plot::Theme);

}  // namespace ui
