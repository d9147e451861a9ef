#include "ui/model/dialogs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "kernels/units.hpp"

namespace ui {

namespace fs = std::filesystem;

namespace {

// A folder with more files is cut off: nobody reads further, and each frame draws every row.
constexpr std::size_t most_suggestions = 200;

bool wanted(DialogKind kind, const std::string& name) {
  if (kind == DialogKind::export_picture) return plot::format_of(name).has_value();
  return name.ends_with(".json");
}

std::string name_part(const std::string& path) { return path.substr(folder_of(path).size()); }

std::vector<Suggestion> matches(const FileDialog& dialog, const std::string& typed) {
  std::vector<Suggestion> found;
  const std::string folder = expand_home(folder_of(dialog.path));
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, options, error), end;
       !error && at != end && found.size() < most_suggestions; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool hidden = name.starts_with('.') && !typed.starts_with('.');
    if (hidden || !name.starts_with(typed) || name == typed) continue;
    std::error_code ignored;
    const bool is_folder = at->is_directory(ignored);
    if (is_folder || wanted(dialog.kind, name)) found.push_back({name, is_folder});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.folder != b.folder ? a.folder : a.name < b.name;
  });
  return found;
}

/// The folder above that of a typed path, from the root or home folder on; empty above the root.
std::string folder_above(const std::string& path) {
  const std::string folder = folder_of(path);
  const fs::path whole = fs::path(whole_path(folder.empty() ? "./" : folder)).parent_path();
  return whole.has_relative_path() ? folder_of(from_home(whole.string())) : "";
}

void list_folder(FileDialog& dialog) {
  dialog.suggestions = matches(dialog, dialog.exists ? "" : name_part(dialog.path));
  // A new name resembles nothing: what else lies there still helps.
  if (dialog.suggestions.empty()) dialog.suggestions = matches(dialog, "");
  if (!folder_above(dialog.path).empty())
    dialog.suggestions.insert(dialog.suggestions.begin(), {"..", true});
}

}  // namespace

std::string replaced(const FileDialog& dialog, const ExportOptions& exporting) {
  if (dialog.kind == DialogKind::open) return {};
  const bool data =
      dialog.kind == DialogKind::export_picture && exporting.data && dialog.data_exists;
  const std::string name = fs::path(dialog.path).filename().string();
  if (dialog.exists && data) return fmt::format("{} and its table exist.", name);
  if (data) return data_path(dialog.path) + " exists.";
  return dialog.exists ? name + " exists." : "";
}

std::string data_path(const std::string& picture) {
  return fs::path(picture).replace_extension(".csv").string();
}

std::string expand_home(const std::string& path) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || !path.starts_with('~')) return path;
  if (path.size() > 1 && path[1] != '/') return path;
  return home + path.substr(1);
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

std::string whole_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(expand_home(path), error);
  return error ? path : absolute.lexically_normal().string();
}

std::string from_home(const std::string& path) {
  const std::string home = expand_home("~/");
  const bool at_home = home != "~/" && path.starts_with(home);
  return at_home ? "~/" + path.substr(home.size()) : path;
}

std::string brief_path(const std::string& path) {
  constexpr std::size_t most = 44;
  const std::string whole = from_home(path);
  const std::size_t start = whole.find('/', 1);
  std::size_t end = whole.rfind('/');
  if (units::width_of(whole) <= most || start == std::string::npos || start == end) return whole;
  const std::string first = whole.substr(0, start + 1) + "…";
  // As many of the last folders as fit, and the name in any case.
  for (std::size_t before = end; before > start; before = whole.rfind('/', before - 1)) {
    if (before < end && units::width_of(first) + units::width_of(whole.substr(before)) > most)
      break;
    end = before;
  }
  return first + whole.substr(end);
}

std::vector<RecentFile> recent_files(const std::vector<std::string>& paths) {
  std::vector<RecentFile> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    files.push_back({path, from_home(path), fs::is_regular_file(path, ignored)});
  }
  return files;
}

FileDialog new_dialog(DialogKind kind, std::string path) {
  FileDialog dialog;
  dialog.kind = kind;
  set_path(dialog, std::move(path));
  return dialog;
}

void set_path(FileDialog& dialog, std::string path) {
  dialog.path = std::move(path);
  dialog.error.clear();
  std::error_code ignored;
  dialog.exists = fs::is_regular_file(expand_home(dialog.path), ignored);
  dialog.data_exists = fs::exists(expand_home(data_path(dialog.path)), ignored);
  if (const auto format = plot::format_of(dialog.path)) dialog.format = *format;
  list_folder(dialog);
}

void take(FileDialog& dialog, const Suggestion& suggestion) {
  const std::string folder = folder_of(dialog.path);
  if (!suggestion.folder) {
    set_path(dialog, folder + suggestion.name);
    return;
  }
  // What is to be written keeps its name in another folder, unless it was that folder's.
  std::string name = dialog.kind == DialogKind::open ? "" : name_part(dialog.path);
  if (suggestion.name.starts_with(name)) name.clear();
  const bool up = suggestion.name == "..";
  set_path(dialog, (up ? folder_above(dialog.path) : folder + suggestion.name + "/") + name);
}

void set_format(FileDialog& dialog, plot::Format format) {
  std::string path = dialog.path;
  if (plot::format_of(path)) path.resize(path.rfind('.'));
  set_path(dialog, path + std::string(ending_of(format)));
  dialog.format = format;
}

}  // namespace ui
