#include "ui/model/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "kernels/kept/own_folder.hpp"
#include "kernels/units.hpp"

namespace ui {

namespace fs = std::filesystem;
using engine::BadInput;
using nlohmann::json;

namespace {

constexpr const char* format = "ridgepoint-settings";
constexpr int version = 1;
constexpr int smallest_window = 320;
constexpr int largest_window = 16384;
constexpr double most_scale = 4;  // that the export's dialog offers

/// The value of a key, or `fallback` where there is none.
template <class Value>
Value value_of(const json& file, const char* key, Value fallback) {
  const auto found = file.find(key);
  if (found == file.end()) return fallback;
  try {
    return found->get<Value>();
  } catch (const json::exception&) {
    constexpr std::size_t longest = 40;
    throw BadInput(fmt::format(
        "\"{}\" cannot be {}", key,
        units::shortened(found->dump(-1, ' ', false, json::error_handler_t::replace), longest)));
  }
}

/// A number as near as the setting allows: a conversion of one that does not fit is undefined.
template <typename Value>
Value number_of(const json& file, const char* key, Value fallback, Value least, Value most) {
  const double value = value_of(file, key, static_cast<double>(fallback));
  return static_cast<Value>(
      std::clamp(value, static_cast<double>(least), static_cast<double>(most)));
}

/// What of the file is not JSON, by line, or what it is instead of an object.
json object_in(std::string_view text) {
  try {
    const auto not_too_deep = [](int depth, json::parse_event_t, const json&) {
      constexpr int deepest = 16;
      if (depth > deepest) throw BadInput("it is nested too deeply");
      return true;
    };
    json file = json::parse(text, not_too_deep);
    if (file.is_object()) return file;
  } catch (const json::parse_error& error) {
    const std::string_view before = text.substr(0, error.byte);
    throw BadInput(fmt::format("line {} is not JSON", 1 + std::ranges::count(before, '\n')));
  } catch (const json::out_of_range&) {
    throw BadInput("a number in it is too large");
  }
  throw BadInput("it is no JSON object");
}

void read_spec(const json& file, engine::Spec& spec) {
  for (const auto& [name, value] : file.items()) {
    const std::string text = value_of(file, name.c_str(), std::string());
    // Another version can have other labs: that is no reason to lose all settings.
    if (name == "lab" && engine::find_lab(text) == nullptr) continue;
    engine::set_known_knob(spec, name, text);
  }
}

json spec_json(const engine::Spec& spec) {
  json file = json::object();
  for (const auto& [name, text] : engine::texts_of(spec)) file[name] = text;
  if (!spec.types_chosen) {  // each lab has its own
    file.erase("dtype");
    file.erase("units");
  }
  return file;
}

Division read_division(const json& file) {
  Division division;
  division.controls = value_of(file, "controls", division.controls);
  division.controls_open = value_of(file, "controls_open", division.controls_open);
  division.advanced_open = value_of(file, "advanced_open", division.advanced_open);
  if (file.contains("bottom")) division.bottom = value_of(file, "bottom", 0.0);
  division.column = value_of(file, "column", division.column);
  division.row = value_of(file, "row", division.row);
  return bounded(division);
}

json division_json(const Division& division) {
  json file = {{"controls", division.controls},
               {"controls_open", division.controls_open},
               {"advanced_open", division.advanced_open},
               {"column", division.column},
               {"row", division.row}};
  if (division.bottom) file["bottom"] = *division.bottom;
  return file;
}

/// What is not there, or is of another version, stays as it is.
ExportOptions read_export(const json& file) {
  ExportOptions exporting;
  plot::PictureSpec& look = exporting.look;
  const auto picture = plot::format_of("." + value_of(file, "format", std::string("png")));
  exporting.format = picture.value_or(exporting.format);
  const auto* preset = plot::preset_named(value_of(file, "preset", std::string()));
  if (preset != nullptr) look.preset = preset;
  if (file.contains("width") && file.contains("height")) {
    const double least = look.preset->least_side(), most = largest_side;
    look.size = {number_of(file, "width", least, least, most),
                 number_of(file, "height", least, least, most)};
  }
  if (file.contains("scale")) look.scale = number_of(file, "scale", 1.0, 1.0, most_scale);
  look.theme = plot::theme_named(value_of(file, "theme", std::string())).value_or(look.theme);
  look.transparent = value_of(file, "transparent", look.transparent);
  look.title = value_of(file, "title", look.title);
  look.caption = value_of(file, "caption", look.caption);
  exporting.data = value_of(file, "table", exporting.data);
  return exporting;
}

json export_json(const ExportOptions& exporting) {
  const plot::PictureSpec& look = exporting.look;
  json file = {{"format", ending_of(exporting.format).substr(1)},
               {"preset", look.preset->name},
               {"theme", plot::theme_names[static_cast<std::size_t>(look.theme)]},
               {"transparent", look.transparent},
               {"title", look.title},
               {"caption", look.caption},
               {"table", exporting.data}};
  if (look.size) {
    file["width"] = look.size->width;
    file["height"] = look.size->height;
  }
  if (look.scale) file["scale"] = *look.scale;
  return file;
}

/// Whether the desktop is set to a light theme, as far as the variable GTK_THEME tells.
bool desktop_is_light() {
  const char* theme = std::getenv("GTK_THEME");
  // "Adwaita:light", "Adwaita-dark"; a bare "Adwaita" is left to other settings.
  return theme != nullptr && std::string_view(theme).find("light") != std::string_view::npos;
}

Settings read(const json& file) {
  const std::string written = value_of(file, "format", std::string(format));
  if (written != format || value_of(file, "version", version) != version)
    throw BadInput(fmt::format("its format is not {}, version {}", format, version));
  Settings settings;
  read_spec(value_of(file, "spec", json::object()), settings.spec);
  settings.x = x_axis_named(value_of(file, "x", std::string())).value_or(settings.x);
  settings.cursor_repeat =
      number_of<std::uint64_t>(file, "cursor", settings.cursor_repeat, 1, kernels::max_repeat);
  if (file.contains("width"))
    settings.width = number_of(file, "width", 0, smallest_window, largest_window);
  if (file.contains("height"))
    settings.height = number_of(file, "height", 0, smallest_window, largest_window);
  settings.folder = value_of(file, "folder", settings.folder);
  settings.magnification = number_of(file, "magnification", settings.magnification,
                                     smallest_magnification, largest_magnification);
  settings.light = value_of(file, "light", desktop_is_light());
  settings.follow_desktop = value_of(file, "follow_desktop", settings.follow_desktop);
  settings.division = read_division(value_of(file, "division", json::object()));
  settings.measure_on_start = value_of(file, "measure_on_start", settings.measure_on_start);
  settings.recent = value_of(file, "recent", settings.recent);
  if (settings.recent.size() > most_recent) settings.recent.resize(most_recent);
  settings.ask_before_closing = value_of(file, "ask_before_closing", settings.ask_before_closing);
  // A file is there, so this is not the first start.
  settings.tour = value_of(file, "tour", false);
  settings.title = as_title(value_of(file, "title", std::string()));
  settings.exporting = read_export(value_of(file, "export", json::object()));
  return settings;
}

json settings_json(const Settings& settings) {
  json file = {{"format", format},
               {"version", version},
               {"spec", spec_json(settings.spec)},
               {"x", name_of(settings.x)},
               {"cursor", settings.cursor_repeat},
               {"folder", settings.folder},
               {"magnification", settings.magnification},
               {"light", settings.light},
               {"follow_desktop", settings.follow_desktop},
               {"division", division_json(settings.division)},
               {"measure_on_start", settings.measure_on_start},
               {"recent", settings.recent},
               {"ask_before_closing", settings.ask_before_closing},
               {"tour", settings.tour},
               {"title", settings.title},
               {"export", export_json(settings.exporting)}};
  if (settings.width > 0) file["width"] = settings.width;
  if (settings.height > 0) file["height"] = settings.height;
  return file;
}

std::string text_of(const json& file) {
  return file.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

fs::path settings_path() {
  const fs::path folder = kernels::user_folder("XDG_CONFIG_HOME", ".config");
  return folder.empty() ? fs::path() : folder / "settings.json";
}

std::string settings_text(const Settings& settings) { return text_of(settings_json(settings)); }

Settings settings_of(std::string_view text, const std::string& source) {
  try {
    return read(object_in(text));
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: {}", source, error.what()));
  }
}

LoadedSettings load_settings(const fs::path& path) {
  LoadedSettings loaded;
  std::error_code error;
  if (path.empty() || (!fs::exists(path, error) && !error)) {
    loaded.settings.light = desktop_is_light();
    return loaded;
  }
  const bool is_file =
      !error && fs::is_regular_file(path, error);  // a pipe would wait for a writer
  errno = 0;
  std::ifstream file;
  std::ostringstream text;
  if (is_file) file.open(path, std::ios::binary);
  if (is_file) text << file.rdbuf();
  if (!is_file || !file) {
    const std::string why = error     ? error.message()
                            : is_file ? std::generic_category().message(errno)
                                      : "it is no regular file";
    loaded.keep_file = true;
    loaded.may_measure = false;
    loaded.problem = fmt::format("The settings cannot be read; the file stays unchanged: {}: {}",
                                 path.string(), why);
    return loaded;
  }
  try {
    loaded.settings = settings_of(text.str(), path.string());
  } catch (const BadInput& reason) {
    fs::path aside = path;
    aside += ".broken";
    fs::rename(path, aside, error);
    loaded.keep_file = static_cast<bool>(error);
    loaded.may_measure = false;
    loaded.problem = error
                         ? fmt::format("The settings cannot be read; the file stays unchanged: {}",
                                       reason.what())
                         : fmt::format("The settings cannot be read; the file is now {}: {}",
                                       aside.string(), reason.what());
  }
  return loaded;
}

void save_settings(const Settings& settings, const fs::path& path) {
  if (path.empty()) return;
  std::error_code ignored;  // write_file says what is wrong with the folder
  fs::create_directories(path.parent_path(), ignored);
  // Keys of another version stay.
  std::ifstream before(path, std::ios::binary);
  json file = json::parse(before, nullptr, false);
  if (!file.is_object()) file = json::object();
  file.update(settings_json(settings));
  engine::write_file(path, text_of(file));
}

}  // namespace ui
