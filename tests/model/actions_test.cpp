// The one list of actions, and the palette over it.
#include "ui/actions/actions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "engine/labs/lab.hpp"
#include "tests/model/fake_state.hpp"
#include "ui/actions/events.hpp"
#include "ui/autosave/autosave.hpp"

namespace {

const ui::Action& named(const std::vector<ui::Action>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &ui::Action::name);
  REQUIRE(found != all.end());
  return *found;
}

void run_named(ui::AppState& state, const std::string& typed) {
  ui::show_palette(state);
  ui::type_in_palette(state, typed);
  ui::run_from_palette(state, 1);
}

}  // namespace

TEST_CASE("every action has a name, a title and keys of its own") {
  ui::AppState state = fake::opened({"cuda:0", "cpu"});
  state.documents.opened.push_back({"a.json", *ui::current_session(state)});
  state.documents.recent = {"/tmp/a.json", "/tmp/b.json"};
  std::set<std::string> names, titles;
  std::set<std::pair<int, bool>> keys;
  for (const ui::Action& action : ui::actions_of(state)) {
    CAPTURE(action.name);
    CHECK(names.insert(action.name).second);
    CHECK(titles.insert(action.title).second);
    CHECK((action.act || !action.why_not.empty()));
    for (const ui::KeyPress& key : action.keys) {
      CHECK(keys.insert({static_cast<int>(key.key), key.ctrl}).second);
      CHECK_FALSE(ui::name_of(key).empty());
    }
  }
}

TEST_CASE("keys do what their actions do, and say why they cannot") {
  ui::AppState state = ui::new_state();
  ui::press(state, {ui::Key{' '}}, 1);
  CHECK(state.commands.empty());
  CHECK(state.notices.back().text.find("looking for") != std::string::npos);
  state = fake::opened();
  ui::press(state, {ui::Key{' '}}, 1);
  CHECK(fake::take<ui::StartSweep>(state).size() == 1);
  const std::uint64_t before = state.cursor_repeat;
  ui::press(state, {ui::Key::right}, 1);
  CHECK(state.cursor_repeat > before);
  ui::press(state, {ui::Key::left}, 1);
  CHECK(state.cursor_repeat == before);
  ui::press(state, {ui::Key::home}, 1);
  CHECK(state.cursor_repeat == 1);
  std::set<std::uint64_t> stops{1};
  for (int i = 0; i < 40; ++i) {
    ui::press(state, {ui::Key::right}, 1);
    stops.insert(state.cursor_repeat);
  }
  for (const std::uint64_t power : {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}) {
    CAPTURE(power);
    CHECK(stops.contains(power));
  }
  for (int i = 0; i < 40; ++i) {
    ui::press(state, {ui::Key::left}, 1);
    CHECK(stops.contains(state.cursor_repeat));
  }
  CHECK(state.cursor_repeat == 1);
  CHECK(state.look.follow_desktop);
  ui::press(state, {ui::Key{'L'}, true}, 1);
  CHECK(state.look.light);
  CHECK_FALSE(state.look.follow_desktop);  // what the user chose stays
  ui::press(state, {ui::Key{'L'}}, 1);
  CHECK(state.look.light);
  ui::press(state, {ui::Key{'Z'}, true}, 1);
  CHECK(state.notices.back().text == "Nothing was cleared or closed.");
  ui::press(state, {ui::Key{'W'}, true}, 1);
  CHECK(state.quit);
  CHECK(ui::keys_of(named(ui::actions_of(state), "quit")) == "Ctrl+Q, Ctrl+W");
}

TEST_CASE("plus, minus and 0 change the size, whether or not a keyboard needs Shift for them") {
  for (const bool shift : {false, true}) {
    ui::AppState state = fake::opened();
    ui::press(state, {ui::Key{'='}, true, shift}, 1);
    CHECK(state.look.magnification > 1);
    ui::press(state, {ui::Key{'0'}, true, shift}, 1);
    CHECK(state.look.magnification == 1);
    ui::press(state, {ui::Key{'-'}, true, shift}, 1);
    CHECK(state.look.magnification < 1);
  }
}

TEST_CASE("the palette does not list itself") {
  ui::AppState state = fake::opened();
  ui::show_palette(state);
  CHECK(std::ranges::count(ui::actions_of(state), "palette", &ui::Action::name) == 1);
  CHECK(std::ranges::count(ui::palette_rows(state), "palette", &ui::Action::name) == 0);
}

TEST_CASE("the palette finds actions by the words of their titles, those that begin so first") {
  ui::AppState state = fake::opened();
  ui::show_palette(state);
  const std::size_t all = ui::palette_rows(state).size();
  CHECK(all > 40);
  ui::type_in_palette(state, "FUSION un");
  REQUIRE(ui::palette_rows(state).size() == 1);
  CHECK(ui::palette_rows(state)[0].name == "fusion.unfused");
  ui::type_in_palette(state, "open");
  CHECK(ui::palette_rows(state).front().name == "open");
  ui::type_in_palette(state, "nothing like it");
  CHECK(ui::palette_rows(state).empty());
  ui::run_from_palette(state, 1);
  CHECK(state.dialogs.palette);
}

TEST_CASE("the selection of the palette stays within its rows, and typing begins anew") {
  ui::AppState state = fake::opened();
  ui::show_palette(state);
  ui::move_in_palette(state, -3);
  CHECK(state.dialogs.palette->selected == 0);
  ui::move_in_palette(state, 1000);
  CHECK(state.dialogs.palette->selected == ui::palette_rows(state).size() - 1);
  ui::type_in_palette(state, "fusion");
  CHECK(state.dialogs.palette->selected == 0);
  ui::move_in_palette(state, 2);
  ui::run_from_palette(state, 1);
  CHECK_FALSE(state.dialogs.palette);
  CHECK(state.spec.fusion == engine::FusionChoice::both);
}

TEST_CASE("the palette runs every kind of action, and keeps one that cannot be done on screen") {
  ui::AppState state = fake::opened();
  run_named(state, "element type: fp64");
  CHECK(state.spec.dtypes.size() == 2);
  run_named(state, "op: mul");
  CHECK(state.spec.op == kernels::Op::mul);
  run_named(state, "axis flop/byte");
  CHECK(state.look.view.x == ui::XAxis::intensity);
  run_named(state, "flop/byte above");
  CHECK(state.look.view.x == ui::XAxis::both);
  run_named(state, "lab: all roofs");
  CHECK(state.spec.lab == "roofs");
  run_named(state, "lab: intensity");
  run_named(state, "show: speed-up");
  CHECK(ui::shows_apart(state));
  run_named(state, "run: all roofs");
  CHECK(state.spec.lab == "roofs");
  CHECK(fake::take<ui::StartSweep>(state).size() == 1);
  state.worker.running.sweep_number = 1;
  run_named(state, "stop");
  CHECK(fake::take<ui::StopWork>(state).size() == 1);
  ui::apply(state, engine::SweepFinished{1, engine::End::stopped, ""});
  run_named(state, "lab: intensity");
  run_named(state, "run: intensity");
  CHECK(fake::take<ui::StartSweep>(state).size() == 1);
  state.worker.running.sweep_number = 1;
  run_named(state, "stop");
  CHECK(fake::take<ui::StopWork>(state).size() == 1);
  run_named(state, "export");
  REQUIRE(state.dialogs.file);
  state.dialogs.file.reset();
  run_named(state, "restore");
  REQUIRE(state.dialogs.palette);
  CHECK_FALSE(ui::palette_rows(state)[0].why_not.empty());
}

TEST_CASE("choices made already are marked in the palette, and follow the state") {
  ui::AppState state = fake::opened();
  CHECK(named(ui::actions_of(state), "fusion.both").chosen);
  ui::set_fusion(state, engine::FusionChoice::fused, 1);
  CHECK_FALSE(named(ui::actions_of(state), "fusion.both").chosen);
  CHECK(named(ui::actions_of(state), "fusion.fused").chosen);
  CHECK(named(ui::actions_of(state), "dtype.fp32").chosen);
}

TEST_CASE(
    "a lab of products shows matrix units on a GPU until somebody chooses, other labs do not") {
  ui::AppState state = ui::new_state();
  engine::Place gpu = fake::summary("cuda:0");
  gpu.info.kind = "cuda";
  kernels::Kernel product{.family = kernels::Family::matmul, .op = kernels::Op::mma};
  product.dtype = kernels::Dtype::bf16;
  product.units = kernels::Units::matrix;
  gpu.kernels.push_back(product);
  gpu.kernels.push_back({.family = kernels::Family::tile,
                         .op = kernels::Op::mma,
                         .dtype = kernels::Dtype::fp16,
                         .units = kernels::Units::matrix});
  ui::apply(state, engine::DevicesOpened{{gpu}, {}});
  const auto chosen = [&](const char* name) { return named(ui::actions_of(state), name).chosen; };
  CHECK(chosen("dtype.fp32"));
  CHECK(chosen("units.off"));
  state.spec.lab = "mlp";
  CHECK(chosen("dtype.bf16"));
  CHECK_FALSE(chosen("dtype.fp32"));
  CHECK(chosen("units.on"));
  ui::toggle_dtype(state, kernels::Dtype::fp16, 1);
  std::string dtypes;
  for (const kernels::Dtype dtype : state.spec.dtypes) dtypes += std::string(name_of(dtype)) + " ";
  CHECK(dtypes == "fp16 bf16 ");
  CHECK(state.spec.units == engine::UnitsChoice::matrix);
  ui::set_units(state, engine::UnitsChoice::vector, 1);
  CHECK(chosen("units.off"));
  state.spec.lab = "intensity";
  CHECK(chosen("dtype.bf16"));
}

TEST_CASE("the log keeps what was said with its time, and takes it out of the status bar") {
  ui::AppState state = ui::new_state();
  state.clock = 1000;
  ui::notify(state, "one");
  state.clock = 1001;
  ui::notify(state, "two");
  ui::notify(state, "one");
  REQUIRE(state.notices.size() == 3);
  CHECK(state.notices[0].time == 1000);
  CHECK(state.notices[2].time == 1001);
  CHECK_FALSE(state.notices.back().seen);
  ui::press(state, {ui::Key{'J'}, true}, 1);
  CHECK(state.dialogs.log);
  CHECK(state.notices.back().seen);
  ui::notify(state, "three");
  ui::press(state, {ui::Key{'J'}, true}, 1);
  CHECK_FALSE(state.dialogs.log);
  CHECK(state.notices.back().seen);
}

TEST_CASE("a notice of a run is shown with its lab alone, until that lab runs again") {
  ui::AppState state = fake::opened();
  ui::run(state);
  state.worker.running.sweep_number = 1;
  ui::apply(state, engine::Warning{1, "the machine is busy"});
  REQUIRE(ui::newest_notice(state));
  CHECK(ui::newest_notice(state)->text == "the machine is busy");
  ui::show_lab(state, *engine::find_lab("fma"));
  CHECK(ui::newest_notice(state) == nullptr);
  ui::notify(state, "Copied.", false);
  CHECK(ui::newest_notice(state)->text == "Copied.");
  state.notices.pop_back();
  ui::show_lab(state, *engine::find_lab("intensity"));
  CHECK(ui::newest_notice(state)->text == "the machine is busy");
  ui::run(state);
  CHECK(ui::newest_notice(state) == nullptr);
}
