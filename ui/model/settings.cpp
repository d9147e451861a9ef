#include "ui/model/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"

namespace ui {

namespace fs = std::filesystem;
using engine::BadInput;
using nlohmann::json;

namespace {

constexpr int version = 1;
constexpr int smallest_window = 320;
constexpr int largest_window = 16384;

void read_spec(const json& file, engine::Spec& spec) {
  for (const engine::Knob& knob : engine::knobs()) {
    const auto found = file.find(std::string(knob.name));
    if (found == file.end()) continue;
    const std::string text = found->get<std::string>();
    // Another version can have other labs: that is no reason to lose all settings.
    if (knob.name == "lab" && engine::find_lab(text) == nullptr) continue;
    engine::set_knob(spec, knob.name, text);
  }
  for (const engine::LabKnob& knob : engine::further_knobs()) {
    const auto found = file.find(std::string(knob.name));
    if (found != file.end()) engine::set_knob(spec, knob.name, found->get<std::string>());
  }
}

json spec_json(const engine::Spec& spec) {
  json file = json::object();
  for (const engine::Knob& knob : engine::knobs()) file[std::string(knob.name)] = knob.get(spec);
  if (!spec.types_chosen) {  // each lab has its own
    file.erase("dtype");
    file.erase("units");
  }
  for (const auto& [name, text] : spec.more) file[name] = text;
  return file;
}

Division read_division(const json& file) {
  Division division;
  division.controls = file.value("controls", division.controls);
  division.controls_open = file.value("controls_open", division.controls_open);
  if (file.contains("bottom")) division.bottom = file.at("bottom").get<double>();
  division.column = file.value("column", division.column);
  division.row = file.value("row", division.row);
  return bounded(division);
}

json division_json(const Division& division) {
  json file = {{"controls", division.controls},
               {"controls_open", division.controls_open},
               {"column", division.column},
               {"row", division.row}};
  if (division.bottom) file["bottom"] = *division.bottom;
  return file;
}

Settings read(const json& file) {
  if (file.at("format") != "ridgepoint-settings" || file.at("version") != version) {
    throw BadInput("its format is not ridgepoint-settings, version 1");
  }
  Settings settings;
  read_spec(file.at("spec"), settings.spec);
  settings.x = x_axis_named(file.at("x").get<std::string>()).value_or(XAxis::repeat);
  settings.cursor_repeat =
      std::clamp<std::uint64_t>(file.at("cursor").get<std::uint64_t>(), 1, kernels::max_repeat);
  settings.width = std::clamp(file.at("width").get<int>(), smallest_window, largest_window);
  settings.height = std::clamp(file.at("height").get<int>(), smallest_window, largest_window);
  settings.folder = file.at("folder").get<std::string>();
  settings.magnification =
      std::clamp(file.value("magnification", 1.0), smallest_magnification, largest_magnification);
  settings.light = file.value("light", false);
  settings.follow_desktop = file.value("follow_desktop", true);
  if (file.contains("division")) settings.division = read_division(file.at("division"));
  settings.measure_on_start = file.value("measure_on_start", true);
  settings.recent = file.value("recent", std::vector<std::string>());
  if (settings.recent.size() > most_recent) settings.recent.resize(most_recent);
  settings.ask_before_closing = file.value("ask_before_closing", true);
  settings.hints = file.value("hints", false);
  return settings;
}

}  // namespace

fs::path settings_path() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  // The XDG specification tells programs to ignore relative paths here.
  if (config != nullptr && config[0] == '/') return fs::path(config) / "ridgepoint/settings.json";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] == '\0') return {};
  return fs::path(home) / ".config/ridgepoint/settings.json";
}

std::string settings_text(const Settings& settings) {
  const json file = {{"format", "ridgepoint-settings"},
                     {"version", version},
                     {"spec", spec_json(settings.spec)},
                     {"x", name_of(settings.x)},
                     {"cursor", settings.cursor_repeat},
                     {"width", settings.width},
                     {"height", settings.height},
                     {"folder", settings.folder},
                     {"magnification", settings.magnification},
                     {"light", settings.light},
                     {"follow_desktop", settings.follow_desktop},
                     {"division", division_json(settings.division)},
                     {"measure_on_start", settings.measure_on_start},
                     {"recent", settings.recent},
                     {"ask_before_closing", settings.ask_before_closing},
                     {"hints", settings.hints}};
  return file.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Settings settings_of(std::string_view text, const std::string& source) {
  try {
    return read(json::parse(text));
  } catch (const json::exception& error) {
    throw BadInput(fmt::format("{}: {}", source, error.what()));
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: {}", source, error.what()));
  }
}

bool desktop_is_light() {
  const char* theme = std::getenv("GTK_THEME");
  // "Adwaita:light", "Adwaita-dark"; a bare "Adwaita" is left to other settings.
  return theme != nullptr && std::string_view(theme).find("light") != std::string_view::npos;
}

LoadedSettings load_settings(const fs::path& path) {
  LoadedSettings loaded;
  std::error_code error;
  if (path.empty() || !fs::exists(path, error)) {
    loaded.settings.light = desktop_is_light();
    return loaded;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  try {
    loaded.settings = settings_of(text, path.string());
  } catch (const BadInput& reason) {
    fs::path aside = path;
    aside += ".broken";
    fs::rename(path, aside, error);
    loaded.keep_file = static_cast<bool>(error);
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
  engine::write_file(path, settings_text(settings));
}

}  // namespace ui
