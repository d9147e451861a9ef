// The part of the export dialog that says what the picture shows and how it looks.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// The format belongs to the name in the dialog, everything else to AppState::exporting.
void draw_export_options(Ui&, FileDialog&, float width);

}  // namespace ui
