// Sessions that nobody saved yet, and how a window comes by them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/model/fake_state.hpp"

namespace fake {

/// Points of a sweep that the user started.
inline void sweep(ui::AppState& state, const std::vector<std::uint64_t>& repeats) {
  ui::run(state);
  state.worker.running.sweep_number = 1;
  measure(state, repeats);
  ui::apply(state, engine::SweepFinished{1, engine::End::complete, ""});
}

/// Points of the sweep with which the window begins.
inline ui::AppState begun() {
  ui::AppState state = ui::new_state();
  state.worker.run_when_ready = true;
  ui::apply(state, engine::DevicesOpened{{summary("cpu")}, {}});
  state.worker.running.sweep_number = 1;
  measure(state, {1, 2});
  ui::apply(state, engine::SweepFinished{1, engine::End::complete, ""});
  return state;
}

/// Adds a session as if an earlier window had left it.
inline void recover(ui::AppState& state) {
  engine::Session session = *ui::current_session(state);
  session.points = {point(4), point(8)};
  state.documents.opened.push_back({"recovered cpu 14:05", session, "opened-1"});
}

/// What was measured in a window that has gone.
inline engine::Session measured(const std::vector<std::uint64_t>& repeats) {
  ui::AppState state = opened();
  measure(state, repeats);
  return *ui::current_session(state);
}

/// What the window's thread for pictures does.
inline void make_pictures(ui::AppState& state) {
  for (const ui::DrawPicture& picture : take<ui::DrawPicture>(state))
    ui::picture_done(state, ui::do_picture(picture, [] { return false; }));
}

/// Confirms the dialog with this path.
inline void save_as(ui::AppState& state, const std::filesystem::path& path) {
  REQUIRE(state.dialogs.file);
  ui::set_path(*state.dialogs.file, path.string());
  ui::confirm_dialog(state);
}

/// The same for a picture, until it is there.
inline void export_as(ui::AppState& state, const std::filesystem::path& path) {
  save_as(state, path);
  make_pictures(state);
}

}  // namespace fake
