// The intents that read or write files.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/session/session_file.hpp"
#include "kernels/units.hpp"
#include "ui/actions/intents.hpp"
#include "ui/autosave/autosave.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/model/opened_spec.hpp"
#include "ui/screen/limits.hpp"

namespace ui {

namespace {

namespace fs = std::filesystem;

/// "nvidia-h200" of "NVIDIA H200"; "session" where the device has no name.
std::string words_of_name(const engine::Session* session) {
  constexpr std::size_t longest = 32;
  std::string words;
  for (const char c : session != nullptr ? session->device.name : std::string()) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0)
      words += static_cast<char>(std::tolower(letter));
    else if (!words.empty() && words.back() != '-')
      words += '-';
  }
  if (words.size() > longest) words.resize(std::min(words.rfind('-', longest), longest));
  while (words.ends_with('-')) words.pop_back();
  return words.empty() ? "session" : words;
}

std::string proposed_name(const AppState& state, const engine::Session* session,
                          std::string_view ending) {
  return fmt::format("{}ridgepoint-{}{}", state.documents.last_folder, words_of_name(session),
                     ending);
}

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

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
                     units::counted(points, "point"), units::counted(roofs, "measured roof"));
}

void open_file(AppState& state, const std::string& path) {
  OpenedFile file;
  file.session = engine::load_session(path);
  file.name = file_name(path);
  std::string said = opened_text(file);
  state.documents.opened.push_back(std::move(file));
  set_spec_from_opened(state);
  state.look.zoom = {};
  notify(state, std::move(said), false);
  remember(state, path);
}

void save(AppState& state, const FileDialog& dialog, const std::string& path) {
  // Never an opened file's unless it is asked for: it would go under this device's name.
  const SessionKey key = dialog.session.value_or(SessionKey(state.spec.device));
  const engine::Session* session = session_of(state, key);
  if (session == nullptr || session->points.empty()) {
    throw std::runtime_error("There is nothing to save yet: press Space to measure.");
  }
  engine::save_session(*session, path);
  note_saved(state, key);
  if (const auto* index = std::get_if<std::size_t>(&key))
    state.documents.opened[*index].name = file_name(path);
  remember(state, path);
}

plot::Page page_to_export(const AppState& state) {
  if (sessions_shown(state).empty())
    throw std::runtime_error("There is nothing to export yet: press Space to measure.");
  plot::Page page = page_on_screen(state, state.dialogs.exporting.chart);
  if (state.dialogs.file && !state.dialogs.file->title.empty())
    page.title = as_title(state.dialogs.file->title);
  return page;
}

/// The picture of what is on screen, to be drawn elsewhere: a large one takes longer than a frame.
DrawPicture picture_of(AppState& state, const std::string& path, plot::Format format) {
  DrawPicture picture{
      ++state.dialogs.pictures,     path,   page_to_export(state),
      state.dialogs.exporting.look, format, !path.empty() && state.dialogs.exporting.data};
  if (format == plot::Format::html && !state.look.comparing)  // a comparison says it in its table
    for (const engine::Session* session : sessions_on_screen(state))
      picture.sessions.push_back(*session);
  return picture;
}

void begin_export(AppState& state, const std::string& path) {
  const auto format = plot::format_of(path);
  if (!format) throw std::runtime_error("The name must end in .png, .svg, .pdf or .html.");
  DrawPicture picture = picture_of(state, path, *format);
  state.dialogs.exporting.format = *format;
  state.dialogs.drawing = picture.number;
  state.commands.emplace_back(std::move(picture));
}

/// A picture's name without an ending gets that of the chosen format.
void complete_name(FileDialog& dialog) {
  if (dialog.kind != DialogKind::export_picture || dialog.path.empty()) return;
  if (dialog.path.ends_with('/') || fs::path(dialog.path).has_extension()) return;
  set_format(dialog, dialog.format);
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
  state.documents.last_folder = folder_of(path);
  const bool then_close = state.dialogs.file->then_close;
  state.dialogs.file.reset();
  if (then_close) close_window(state);
}

void refuse(FileDialog& dialog, std::string why) {
  dialog.error = std::move(why);
  dialog.type_again = true;
}

void do_it(AppState& state, const FileDialog& dialog) {
  const std::string path = expand_home(dialog.path);
  if (path.empty() || path.ends_with('/')) throw std::runtime_error("Type the name of a file.");
  if (dialog.kind == DialogKind::open) return open_file(state, path);
  if (dialog.kind == DialogKind::export_picture) return begin_export(state, path);
  save(state, dialog, path);
  notify_briefly(state, fmt::format("Saved {}", whole_path(path)),
                 fmt::format("Saved {}", brief_path(path)));
}

}  // namespace

void show_open(AppState& state) {
  state.dialogs.file = new_dialog(DialogKind::open, state.documents.last_folder);
  state.dialogs.file->recent = recent_files(state.documents.recent);
}

void show_save(AppState& state) {
  const engine::Session* own = current_session(state);
  const auto recovered = std::ranges::find_if(
      state.documents.opened, [](const OpenedFile& file) { return !file.autosave.empty(); });
  if ((own == nullptr || own->points.empty()) && recovered != state.documents.opened.end()) {
    show_save_of(state, static_cast<std::size_t>(recovered - state.documents.opened.begin()));
    return;
  }
  state.dialogs.file = new_dialog(DialogKind::save, proposed_name(state, own, ".json"));
}

void show_save_of(AppState& state, const SessionKey& key) {
  const engine::Session* session = session_of(state, key);
  if (session == nullptr) return;
  const bool opened = std::holds_alternative<std::size_t>(key);
  state.dialogs.file = new_dialog(
      DialogKind::save, proposed_name(state, session, opened ? "-recovered.json" : ".json"));
  state.dialogs.file->session = key;
}

void show_export(AppState& state) {
  // The next picture is rarely meant to replace the last one.
  const std::string ending(ending_of(state.dialogs.exporting.format));
  const auto shown = sessions_on_screen(state);
  const engine::Session* session = shown.empty() ? nullptr : shown.front();
  std::string name = proposed_name(state, session, ending);
  std::error_code ignored;
  for (int i = 2; fs::exists(expand_home(name), ignored); ++i)
    name = proposed_name(state, session, fmt::format("-{}{}", i, ending));
  state.dialogs.file = new_dialog(DialogKind::export_picture, std::move(name));
}

void copy_picture(AppState& state) {
  try {
    state.commands.emplace_back(picture_of(state, {}, plot::Format::png));
  } catch (const std::exception& error) {
    notify(state, error.what());
  }
}

void picture_done(AppState& state, PictureDone done) {
  const bool awaited = state.dialogs.drawing == done.number && state.dialogs.file;
  if (state.dialogs.drawing == done.number) state.dialogs.drawing.reset();
  if (done.cancelled) {
    notify(state, fmt::format("Export of {} was cancelled.", file_name(done.path)), false);
  } else if (!done.problem.empty()) {
    if (awaited) {
      state.dialogs.file->error = done.problem;
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
  if (!state.dialogs.drawing ||
      (state.dialogs.file && state.dialogs.file->kind == DialogKind::export_picture))
    return;
  state.commands.emplace_back(CancelPicture{*state.dialogs.drawing});
  state.dialogs.drawing.reset();
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
  std::erase(state.documents.recent, whole);
  state.documents.recent.insert(state.documents.recent.begin(), whole);
  if (state.documents.recent.size() > most_recent) state.documents.recent.resize(most_recent);
}

void open_recent(AppState& state, std::size_t index) {
  if (!state.dialogs.file || index >= state.dialogs.file->recent.size()) return;
  try {
    open_file(state, state.dialogs.file->recent[index].path);
    state.dialogs.file.reset();
  } catch (const std::exception& error) {
    refuse(*state.dialogs.file, error.what());
  }
}

void confirm_dialog(AppState& state) {
  if (!state.dialogs.file || state.dialogs.drawing) return;
  complete_name(*state.dialogs.file);
  const bool replaces = !replaced(*state.dialogs.file, state.dialogs.exporting).empty();
  if (replaces && state.dialogs.file->asked != state.dialogs.file->path) {
    state.dialogs.file->asked = state.dialogs.file->path;
    return;
  }
  const FileDialog dialog = *state.dialogs.file;
  try {
    do_it(state, dialog);
    if (!state.dialogs.drawing) finish_dialog(state, state.dialogs.file->path);
  } catch (const std::exception& error) {
    refuse(*state.dialogs.file, error.what());
  }
}

}  // namespace ui
