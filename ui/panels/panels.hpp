// The parts of the window and how they lie in it. Each fills the current ImGui window.
#pragma once

#include <functional>

#include "ui/widgets/widgets.hpp"

namespace ui {

/// One whole frame, between ImGui::NewFrame() and ImGui::Render(), and the keyboard.
void draw_screen(Ui&);

/// An area of the window that `fill` fills, with so much padding at scale 1; `above` the others.
void panel(Ui&, const char* name, const plot::Rect& at, ImVec2 padding, plot::Colour face,
           const std::function<void(Ui&)>& fill, bool above = false);

/// In place of all the others: the charts that are presented, and the words around them.
void draw_presentation(Ui&);

/// The list of labs at the left: a click shows one, the triangle beside it starts it.
void draw_lab_list(Ui&);
/// Whether the window is wide enough for it; else the header has it as a menu.
bool lists_labs(const Ui&);

/// Everything that decides what is measured and how it is shown.
void draw_controls(Ui&);

/// The line above the plots: what fills the middle of the window, and how it is shown.
void draw_header(Ui&);

/// Above what fills the middle, from which it is taken: sessions of windows that did not close, an
/// exercise, or the step of the tour.
void draw_strip(Ui&, plot::Rect& middle);

/// Below the plots: what the numbers mean, or the numbers themselves.
void draw_bottom(Ui&);

/// The line at the bottom: device, what runs, progress, and the newest notice.
void draw_status_bar(Ui&);

/// All notices with the time of day, in a window of its own while it is open.
void draw_log(Ui&, const plot::Rect& at);

}  // namespace ui
