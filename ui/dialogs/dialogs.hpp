// The windows that lie over the others and take all input. Each does nothing while
// AppState::dialogs says that it is closed.
#pragma once

#include "ui/widgets/widgets.hpp"

namespace ui {

/// Where a path is typed: open, save, export.
void draw_dialog(Ui&);
/// Its part that says what an exported picture shows and how it looks. The format belongs to the
/// name in the dialog, everything else to Dialogs::exporting.
void draw_export_options(Ui&, FileDialog&, float width);
/// The picture as it will be, no larger than `where`, and what its caption says.
void draw_export_preview(Ui&, const FileDialog&, const plot::Rect& where);

/// The command palette (Ctrl+P): every action by name.
void draw_palette(Ui&);

/// The list of keys and of what the mouse does.
void draw_help(Ui&);

/// Before the window closes: what becomes of what was measured and not saved.
void draw_close_question(Ui&);

}  // namespace ui
