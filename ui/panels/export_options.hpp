// The part of the export dialog that says what the picture shows and how it looks.
#pragma once

#include "ui/panels/widgets.hpp"

namespace ui {

void draw_export_options(Ui&, FileDialog&, float width);

}  // namespace ui
