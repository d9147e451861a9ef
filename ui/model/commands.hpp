// What the window asks of its worker, of the window system and of the writers of files, as values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "engine/worker/worker.hpp"
#include "ui/figures/figures.hpp"
#include "ui/plot/output/presets.hpp"

namespace ui {

using StartSweep = engine::SweepRequest;
using StartProbe = engine::ProbeRequest;
struct StopWork {};
/// Roofs that were measured on this device are not to be taken again.
struct ForgetRoofs {
  std::string device;
};
/// A recorded session is to be played as if it were being measured.
struct PlayRecording {
  engine::Session session;
  double speed = 1;  ///< times the pace at which it was measured
};
/// A picture to be made.
struct DrawPicture {
  std::uint64_t number = 0;
  std::string path;  ///< empty: for the clipboard
  plot::Page page;
  plot::PictureSpec look;
  plot::Format format = plot::Format::png;
  bool data = false;                        ///< with its table beside it
  std::vector<engine::Session> sessions{};  ///< a page of HTML: what it says in words
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
/// A picture is to be put on the clipboard.
struct CopyPicture {
  std::string png;
};
/// A picture that is being made is not wanted any more.
struct CancelPicture {
  std::uint64_t number = 0;
};
/// Write an autosave file; it stays until the session is saved or discarded.
struct WriteAutosave {
  std::string name;  ///< among the autosave files
  engine::Session session;
};
/// Remove an autosave file.
struct RemoveAutosave {
  std::string name;
};
/// What the worker, the window system and the writers of files are asked for; the window hands it
/// on after each frame.
using Command =
    std::variant<StartSweep, StartProbe, StopWork, ForgetRoofs, PlayRecording, DrawPicture,
                 CancelPicture, CopyPicture, WriteAutosave, RemoveAutosave>;

}  // namespace ui
