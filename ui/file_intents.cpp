// The intents that read or write files.
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "engine/session_file.hpp"
#include "ui/intents.hpp"
#include "ui/limits.hpp"

namespace ui {

namespace {

std::string proposed_name(const AppState& state, std::string_view ending) {
  std::string device = state.spec.device.empty() ? "session" : state.spec.device;
  for (char& c : device) {
    if (c == ':') c = '-';
  }
  return fmt::format("{}ridgepoint-{}{}", state.last_folder, device, ending);
}

void open_file(AppState& state, const std::string& path) {
  OpenedFile file;
  file.session = engine::load_session(path);
  file.name = std::filesystem::path(path).filename().string();
  state.opened.push_back(std::move(file));
  state.zoom = {};
}

const engine::Session& session_to_save(const AppState& state) {
  // Never an opened file's: it would go under this device's name.
  const engine::Session* own = current_session(state);
  if (own == nullptr || own->points.empty()) {
    throw std::runtime_error("There is nothing to save yet: press Space to measure.");
  }
  return *own;
}

plot::Page page_to_export(const AppState& state) {
  if (sessions_shown(state).empty())
    throw std::runtime_error("There is nothing to export yet: press Space to measure.");
  return page_on_screen(state, state.exporting.panel);
}

void export_picture(AppState& state, const std::string& path) {
  const auto format = plot::format_of(path);
  if (!format) throw std::runtime_error("The name must end in .png, .svg or .pdf.");
  const plot::Page page = page_to_export(state);
  engine::write_file(path, plot::render(page, state.exporting.look, *format));
  state.exporting.format = *format;
  if (state.exporting.data) engine::write_file(data_path(path), csv_of(page));
}

void do_it(AppState& state, const FileDialog& dialog) {
  const std::string path = expand_home(dialog.path);
  if (path.empty() || path.ends_with('/')) throw std::runtime_error("Type the name of a file.");
  switch (dialog.kind) {
    case DialogKind::open:
      open_file(state, path);
      break;
    case DialogKind::save:
      engine::save_session(session_to_save(state), path);
      notify(state, fmt::format("Saved {}", dialog.path), false);
      break;
    case DialogKind::export_picture:
      export_picture(state, path);
      notify(state,
             state.exporting.data
                 ? fmt::format("Exported {} and {}", dialog.path, data_path(dialog.path))
                 : fmt::format("Exported {}", dialog.path),
             false);
      break;
  }
}

}  // namespace

void show_open(AppState& state) { state.dialog = new_dialog(DialogKind::open, state.last_folder); }

void show_save(AppState& state) {
  state.dialog = new_dialog(DialogKind::save, proposed_name(state, ".json"));
}

void show_export(AppState& state) {
  state.dialog = new_dialog(DialogKind::export_picture,
                            proposed_name(state, ending_of(state.exporting.format)));
}

void copy_picture(AppState& state) {
  try {
    const plot::Page page = page_to_export(state);
    state.commands.emplace_back(
        CopyPicture{plot::render(page, state.exporting.look, plot::Format::png)});
  } catch (const std::exception& error) {
    notify(state, error.what());
  }
}

void confirm_dialog(AppState& state) {
  if (!state.dialog) return;
  const FileDialog dialog = *state.dialog;
  try {
    do_it(state, dialog);
    state.last_folder = folder_of(dialog.path);
    state.dialog.reset();
  } catch (const std::exception& error) {
    state.dialog->error = error.what();
  }
}

}  // namespace ui
