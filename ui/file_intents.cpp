// The intents that read or write files.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/session_file.hpp"
#include "ui/following.hpp"
#include "ui/intents.hpp"
#include "ui/keeping.hpp"
#include "ui/limits.hpp"
#include "ui/point_facts.hpp"
#include "ui/recovery.hpp"

namespace ui {

namespace {

namespace fs = std::filesystem;

std::string proposed_name(const AppState& state, const std::string& device,
                          std::string_view ending) {
  return fmt::format("{}ridgepoint-{}{}", state.last_folder,
                     recovery_name(device.empty() ? "session" : device), ending);
}

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

/// Nobody else's file holds what the last session holds, and the next one replaces it.
bool is_last_session(const AppState& state, const std::string& path) {
  return std::ranges::any_of(last_sessions(state.recovery_folder),
                             [&](const LastSession& last) { return last.path == path; });
}

std::string count_text(std::ptrdiff_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// "Opened a.json: NVIDIA H200, 20 points, 3 measured roofs".
std::string opened_text(const OpenedFile& file) {
  const engine::Session& session = *file.session;
  const auto points = std::ranges::count_if(session.points, [](const engine::Point& point) {
    return in_sweep(point) && point.status == engine::Status::ok;
  });
  const auto roofs =
      std::ranges::count(session.roofs, engine::RoofSource::measured, &engine::Roof::source);
  const std::string& device = session.device.name;
  return fmt::format("Opened {}: {}{}{}, {}", file.name, device, device.empty() ? "" : ", ",
                     count_text(points, "point"), count_text(roofs, "measured roof"));
}

void open_file(AppState& state, const std::string& path) {
  OpenedFile file;
  file.session = engine::load_session(path);
  file.name = file_name(path);
  std::string said = opened_text(file);
  const bool last = is_last_session(state, path);
  if (last) keep_opened(state, file);
  state.opened.push_back(std::move(file));
  follow_opened(state);
  state.zoom = {};
  notify(state, std::move(said), false);
  if (!last) remember(state, path);
}

SessionKey key_to_save(const AppState& state, const FileDialog& dialog) {
  // Never an opened file's unless it is asked for: it would go under this device's name.
  return dialog.session.value_or(SessionKey(state.spec.device));
}

void save(AppState& state, const FileDialog& dialog, const std::string& path) {
  const SessionKey key = key_to_save(state, dialog);
  const engine::Session* session = session_of(state, key);
  if (session == nullptr || session->points.empty()) {
    throw std::runtime_error("There is nothing to save yet: press Space to measure.");
  }
  engine::save_session(*session, path);
  note_saved(state, key);
  if (const auto* index = std::get_if<std::size_t>(&key))
    state.opened[*index].name = file_name(path);
  remember(state, path);
}

plot::Page page_to_export(const AppState& state) {
  if (sessions_shown(state).empty())
    throw std::runtime_error("There is nothing to export yet: press Space to measure.");
  return page_on_screen(state, state.exporting.panel);
}

/// The picture of what is on screen, to be drawn elsewhere: a large one takes longer than a frame.
DrawPicture picture_of(AppState& state, const std::string& path, plot::Format format) {
  return {++state.pictures,     path,   page_to_export(state),
          state.exporting.look, format, !path.empty() && state.exporting.data};
}

void begin_export(AppState& state, const std::string& path) {
  const auto format = plot::format_of(path);
  if (!format) throw std::runtime_error("The name must end in .png, .svg or .pdf.");
  DrawPicture picture = picture_of(state, path, *format);
  state.exporting.format = *format;
  state.drawing = picture.number;
  state.commands.emplace_back(std::move(picture));
}

/// A picture's name without an ending gets that of the chosen format. True when it did.
bool complete_name(FileDialog& dialog) {
  if (dialog.kind != DialogKind::export_picture || dialog.path.empty()) return false;
  if (dialog.path.ends_with('/') || fs::path(dialog.path).has_extension()) return false;
  set_format(dialog, dialog.format);
  return true;
}

void say_exported(AppState& state, const PictureDone& done) {
  std::string text = fmt::format("Exported {}", whole_path(done.path));
  std::string brief = fmt::format("Exported {}", brief_path(done.path));
  if (done.data) {
    text += fmt::format(" and {}", whole_path(data_path(done.path)));
    brief += fmt::format(" and {}", file_name(data_path(done.path)));
  }
  notify_briefly(state, std::move(text), std::move(brief));
}

void finish_dialog(AppState& state, const std::string& path) {
  state.last_folder = folder_of(path);
  const bool then_close = state.dialog->then_close;
  state.dialog.reset();
  if (then_close) close_window(state);
}

void do_it(AppState& state, const FileDialog& dialog) {
  const std::string path = expand_home(dialog.path);
  if (path.empty() || path.ends_with('/')) throw std::runtime_error("Type the name of a file.");
  switch (dialog.kind) {
    case DialogKind::open:
      open_file(state, path);
      break;
    case DialogKind::save:
      save(state, dialog, path);
      notify_briefly(state, fmt::format("Saved {}", whole_path(path)),
                     fmt::format("Saved {}", brief_path(path)));
      break;
    case DialogKind::export_picture:
      begin_export(state, path);
      return;
  }
}

}  // namespace

void show_open(AppState& state) {
  state.dialog = new_dialog(DialogKind::open, state.last_folder);
  for (LastSession& last : last_sessions(state.recovery_folder)) {
    state.dialog->recent.push_back({last.path.string(), std::move(last.title), true});
  }
  for (RecentFile& file : recent_files(state.recent)) {
    state.dialog->recent.push_back(std::move(file));
  }
}

void show_save(AppState& state) {
  const engine::Session* own = current_session(state);
  const auto recovered = std::ranges::find_if(
      state.opened, [](const OpenedFile& file) { return !file.recovery.empty(); });
  if ((own == nullptr || own->points.empty()) && recovered != state.opened.end()) {
    show_save_of(state, static_cast<std::size_t>(recovered - state.opened.begin()));
    return;
  }
  state.dialog = new_dialog(DialogKind::save, proposed_name(state, state.spec.device, ".json"));
}

void show_save_of(AppState& state, const SessionKey& key) {
  const engine::Session* session = session_of(state, key);
  if (session == nullptr) return;
  const bool opened = std::holds_alternative<std::size_t>(key);
  state.dialog = new_dialog(DialogKind::save, proposed_name(state, session->device.id,
                                                            opened ? "-recovered.json" : ".json"));
  state.dialog->session = key;
}

void show_export(AppState& state) {
  // The next picture is rarely meant to replace the last one.
  const std::string ending(ending_of(state.exporting.format));
  std::string name = proposed_name(state, state.spec.device, ending);
  std::error_code ignored;
  for (int i = 2; fs::exists(expand_home(name), ignored); ++i)
    name = proposed_name(state, state.spec.device, fmt::format("-{}{}", i, ending));
  state.dialog = new_dialog(DialogKind::export_picture, std::move(name));
}

void copy_picture(AppState& state) {
  try {
    state.commands.emplace_back(picture_of(state, {}, plot::Format::png));
  } catch (const std::exception& error) {
    notify(state, error.what());
  }
}

void picture_done(AppState& state, PictureDone done) {
  const bool awaited = state.drawing == done.number && state.dialog;
  if (state.drawing == done.number) state.drawing.reset();
  if (done.cancelled) {
    notify(state, fmt::format("Not exported: {} was given up.", file_name(done.path)), false);
  } else if (!done.problem.empty()) {
    if (awaited) {
      state.dialog->error = done.problem;
    } else {
      notify(state, done.problem);
    }
  } else if (done.path.empty()) {
    state.commands.emplace_back(CopyPicture{std::move(done.bytes)});
  } else {
    say_exported(state, done);
    if (awaited) finish_dialog(state, done.path);
  }
}

void cancel_left_picture(AppState& state) {
  if (!state.drawing || (state.dialog && state.dialog->kind == DialogKind::export_picture)) return;
  state.commands.emplace_back(CancelPicture{*state.drawing});
  state.drawing.reset();
}

void open_paths(AppState& state, const std::vector<std::string>& paths) {
  std::vector<std::string> problems;  // said last, where they are seen
  for (const std::string& path : paths) {
    try {
      open_file(state, path);
    } catch (const std::exception& error) {
      problems.emplace_back(error.what());
    }
  }
  for (std::string& problem : problems) notify(state, std::move(problem));
}

void remember(AppState& state, const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return;
  const std::string whole = absolute.lexically_normal().string();
  std::erase(state.recent, whole);
  state.recent.insert(state.recent.begin(), whole);
  if (state.recent.size() > most_recent) state.recent.resize(most_recent);
}

void open_recent(AppState& state, std::size_t index) {
  if (!state.dialog || index >= state.dialog->recent.size()) return;
  try {
    open_file(state, state.dialog->recent[index].path);
    state.dialog.reset();
  } catch (const std::exception& error) {
    state.dialog->error = error.what();
  }
}

void confirm_dialog(AppState& state) {
  if (!state.dialog || state.drawing) return;
  if (complete_name(*state.dialog) && state.dialog->exists) return;  // it says so now
  const FileDialog dialog = *state.dialog;
  try {
    do_it(state, dialog);
    if (!state.drawing) finish_dialog(state, state.dialog->path);
  } catch (const std::exception& error) {
    state.dialog->error = error.what();
  }
}

}  // namespace ui
