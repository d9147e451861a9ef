// The hints of the first start.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/model/fake_state.hpp"
#include "ui/actions/intents.hpp"
#include "ui/model/settings.hpp"
#include "ui/screen/inspection.hpp"
#include "ui/widgets/ui_map.hpp"

using ui::Hint;

namespace {

ui::AppState with_hints() {
  ui::AppState state = fake::opened();
  fake::measure(state, {1, 8});
  state.dialogs.hints = {ui::all_hints.begin(), ui::all_hints.end()};
  return state;
}

}  // namespace

TEST_CASE("a hint goes once it was followed, and stays gone") {
  ui::AppState state = with_hints();
  ui::set_cursor(state, state.cursor_repeat, 0);
  CHECK(state.dialogs.hints.contains(Hint::drag));  // it has not moved
  ui::set_cursor(state, 5, 0);
  CHECK(state.dialogs.hints == std::set{Hint::toggle, Hint::click});
  ui::set_fusion(state, engine::FusionChoice::fused, 0);
  CHECK(state.dialogs.hints == std::set{Hint::click});
  ui::inspect(state, {0, 0});
  CHECK(state.dialogs.hints.empty());
  ui::set_cursor(state, 9, 0);
  CHECK(state.dialogs.hints.empty());
}

TEST_CASE("Escape, which closes what lies over the plots, leaves the hints") {
  ui::AppState state = with_hints();
  ui::maximise(state, "runtime");
  ui::step_back(state);
  CHECK_FALSE(state.look.maximised);
  ui::step_back(state);
  CHECK(state.dialogs.hints.size() == 3);
  ui::close_hints(state);
  CHECK(state.dialogs.hints.empty());
}

TEST_CASE("hints speak of the device, and the map tells which are left") {
  ui::AppState state = with_hints();
  for (const Hint hint : ui::all_hints) CHECK(ui::words_of(state, hint).size() < 50);
  ui::followed(state, Hint::toggle);
  const auto map = nlohmann::json::parse(ui::ui_map_text({}, state));
  CHECK(map.at("state").at("hints") == nlohmann::json({"drag", "click"}));
}

TEST_CASE("a hint speaks of matrix units only where there are some") {
  ui::AppState state = fake::opened();
  CHECK(ui::words_of(state, Hint::toggle) == "Toggle fusion, element types, Matrix units");
  for (engine::Place& device : state.worker.devices) {
    for (kernels::Kernel& kernel : device.kernels) {
      if (kernel.units != kernels::Units::matrix) continue;
      kernel.runs = false;
      kernel.why_not = "no AMX here";
    }
  }
  CHECK(ui::words_of(state, Hint::toggle) == "Toggle fusion and element types");
}

TEST_CASE("only a start without settings gives hints") {
  const fake::Folder folder;
  const auto path = folder.path / "settings.json";
  ui::Settings settings = ui::load_settings(path).settings;
  CHECK(settings.hints);
  settings.hints = false;
  ui::save_settings(settings, path);
  CHECK_FALSE(ui::load_settings(path).settings.hints);
  // Settings from before there were hints are no first start either.
  auto file = nlohmann::json::parse(ui::settings_text({}));
  file.erase("hints");
  CHECK_FALSE(ui::settings_of(file.dump(), "old").hints);
}
