// The two lists of the roofs view.
#pragma once

#include <vector>

#include "ui/figures/roof_rows.hpp"
#include "ui/widgets/widgets.hpp"

namespace ui {

/// All roofs of a session, a check box before each; a click selects the row.
void roof_table(Ui&, const engine::Session&, const std::vector<RoofRow>&, const RoofRow& selected,
                const plot::Rect& where);

/// What was tried for the selected roof, fastest first.
void shape_list(Ui&, const engine::Session&, const RoofRow& selected, const plot::Rect& where);

}  // namespace ui
