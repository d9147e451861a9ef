// Drawing a page into a file or for the clipboard, apart from the window's state, so that it can be
// done on another thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ui/figures/figures.hpp"
#include "ui/plot/output/presets.hpp"

namespace ui {

/// A picture to be made.
struct DrawPicture {
  std::uint64_t number = 0;
  std::string path;  ///< empty: for the clipboard
  plot::Page page;
  plot::PictureSpec look;
  plot::Format format = plot::Format::png;
  bool data = false;  ///< with its table beside it
};

/// What became of it.
struct PictureDone {
  std::uint64_t number = 0;
  std::string path;  ///< as asked for
  bool data = false;
  std::string bytes;       ///< for the clipboard
  std::string problem;     ///< one sentence; empty = none
  bool cancelled = false;  ///< nothing was written
};

/// Draws, then writes unless it is cancelled by then. Never throws.
PictureDone do_picture(const DrawPicture&, const std::function<bool()>& cancelled);

}  // namespace ui
