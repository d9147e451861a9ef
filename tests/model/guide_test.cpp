// The tour of the window: its steps, and how they are judged.
#include "ui/screen/guide.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/model/fake_state.hpp"
#include "ui/actions/actions.hpp"
#include "ui/model/settings.hpp"
#include "ui/widgets/ui_map.hpp"

using engine::FusionChoice;
using kernels::Fusion;
using ui::GuideOutcome;
using ui::GuideStep;

namespace {

constexpr std::uint64_t default_size = 0;

/// A measured point of what the state's device would run at the slider, with enough samples.
engine::Point sound(const ui::AppState& state, std::uint64_t repeat,
                    Fusion fusion = Fusion::fused) {
  engine::Point point = fake::point(repeat, fusion);
  point.what = *ui::cursor_case(state);
  point.what.repeat = repeat;
  point.what.fusion = fusion;
  point.work = kernels::work_of(point.what);
  const double seconds = fake::ideal_seconds(point.what);
  point.seconds = {seconds, seconds, seconds, std::vector<double>(10, seconds), {}};
  return point;
}

void add(ui::AppState& state, engine::Point point) {
  ui::apply(state, engine::PointMeasured{1, state.spec.device, std::move(point)});
}

/// The slider rests there, and its point is measured.
void probe_at(ui::AppState& state, std::uint64_t repeat) {
  ui::set_cursor(state, repeat, 0);
  state.worker.probe_due.reset();
  engine::Point point = sound(state, repeat, ui::cursor_case(state)->fusion);
  point.probe = true;
  add(state, std::move(point));
}

/// On a device whose roofs are known; the overhead of its kernel, too.
ui::AppState touring(GuideStep step = GuideStep::add_ops) {
  ui::AppState state = fake::opened();
  fake::measure(state, {});
  ui::start_guide(state);
  while (state.dialogs.guide->step != step) ui::next_guide_step(state);
  return state;
}

GuideOutcome outcome(const ui::AppState& state) { return ui::guide_text(state).result.outcome; }
std::string sentence(const ui::AppState& state) { return ui::guide_text(state).result.sentence; }

}  // namespace

TEST_CASE("the tour has five steps, ends after the last one, and can be left in any") {
  ui::AppState state = touring();
  CHECK(ui::guide_text(state).title == "Tour, step 1 of 5: add ops");
  for (const GuideStep step : ui::guide_steps) {
    REQUIRE(state.dialogs.guide);
    CHECK(state.dialogs.guide->step == step);
    CHECK(outcome(state) == GuideOutcome::not_yet);
    CHECK(sentence(state).empty());  // nobody has done anything
    ui::AppState left = state;
    ui::leave_guide(left);
    CHECK_FALSE(left.dialogs.guide);
    ui::next_guide_step(state);
  }
  CHECK_FALSE(state.dialogs.guide);
}

TEST_CASE("the palette finds the tour again, and starts it in the lab that has the slider") {
  ui::AppState state = fake::opened();
  ui::show_lab(state, **std::ranges::find_if(engine::labs(), [](const engine::Lab* lab) {
                 return lab->slider.empty() && !lab->lists_roofs;
               }));
  ui::type_in_palette(state, "start the tour");
  REQUIRE(ui::palette_rows(state).size() == 1);
  ui::run_from_palette(state, 0);
  REQUIRE(state.dialogs.guide);
  CHECK_FALSE(ui::lab_on_screen(state).slider.empty());
  ui::press(state, {ui::Key{'N'}}, 0);
  CHECK(state.dialogs.guide->step == GuideStep::cross_ridge);
}

TEST_CASE("step 1: more ops in the same time are told with the measured times") {
  ui::AppState state = touring();
  probe_at(state, 1);
  CHECK(outcome(state) == GuideOutcome::not_yet);
  CHECK(sentence(state).ends_with("now raise the ops per element to at least 4."));
  probe_at(state, 8);
  CHECK(outcome(state) == GuideOutcome::done);
  CHECK(sentence(state).starts_with("8 ops take 1.00x as long as 1 op ("));
  CHECK(sentence(state).ends_with("memory is the limit, so these ops are free."));
}

TEST_CASE("step 1: ops past the ridge are too many") {
  ui::AppState state = touring();
  probe_at(state, 1);
  probe_at(state, 1024);
  CHECK(outcome(state) == GuideOutcome::not_yet);
  CHECK(sentence(state).ends_with("these are too many, lower them."));
}

TEST_CASE("what a sweep has measured says nothing before the user has moved the slider") {
  ui::AppState state = touring();
  state.dialogs.guide->repeat = state.cursor_repeat = 8;
  for (const std::uint64_t repeat : {1, 8, 16}) add(state, sound(state, repeat));
  CHECK(sentence(state).empty());
  ui::set_cursor(state, 16, 0);
  CHECK(sentence(state) != "");
  state.worker.probe_due.reset();
  CHECK(outcome(state) == GuideOutcome::done);
}

TEST_CASE("a step waits while its point is measured, and asks for it where nothing runs") {
  ui::AppState state = touring();
  ui::set_cursor(state, 5, 0);
  CHECK(sentence(state) == "Measuring...");
  state.worker.probe_due.reset();
  CHECK(outcome(state) == GuideOutcome::not_yet);
  CHECK(sentence(state).starts_with("Not measured yet:"));
  engine::Point skipped = sound(state, 5);
  skipped.status = engine::Status::skipped;
  skipped.why = "one run would take 12 s";
  add(state, skipped);
  CHECK(outcome(state) == GuideOutcome::cannot_tell);
  CHECK(sentence(state).ends_with("one run would take 12 s"));
}

TEST_CASE("a disturbed, noisy or short measurement concludes nothing and says why") {
  ui::AppState state = touring();
  probe_at(state, 1);
  ui::set_cursor(state, 8, 0);
  state.worker.probe_due.reset();
  engine::Point bad = sound(state, 8);
  bad.disturbed = true;
  add(state, bad);
  CHECK(outcome(state) == GuideOutcome::cannot_tell);
  CHECK(sentence(state).find("other work used the device") != std::string::npos);
  bad = sound(state, 8);
  bad.seconds.samples.resize(3);
  add(state, bad);
  CHECK(outcome(state) == GuideOutcome::cannot_tell);
  CHECK(sentence(state).find("too few samples") != std::string::npos);
  bad = sound(state, 8);
  bad.seconds.low *= 0.95;
  bad.seconds.high *= 1.12;
  add(state, bad);
  CHECK(outcome(state) == GuideOutcome::cannot_tell);
  bad.seconds.high = 1.09 * bad.seconds.median;
  bad.seconds.median *= 1.05;  // 5 % longer, at most 9 %, at least 5 % less
  add(state, bad);
  CHECK(outcome(state) == GuideOutcome::done);
}

TEST_CASE("step 2: past the ridge the runtime grows, and the ridge and the share are named") {
  ui::AppState state = touring(GuideStep::cross_ridge);
  probe_at(state, 1);
  probe_at(state, 16);
  CHECK(outcome(state) == GuideOutcome::not_yet);
  CHECK(sentence(state).ends_with("raise the ops further."));
  probe_at(state, 512);
  CHECK(outcome(state) == GuideOutcome::done);
  CHECK(sentence(state).find("past the ridge at 10 FLOP/byte") != std::string::npos);
  CHECK(sentence(state).ends_with("100 % of the peak is used."));
}

TEST_CASE("step 2: without roofs nothing is said of the ridge") {
  ui::AppState state = fake::opened();
  ui::start_guide(state);
  ui::next_guide_step(state);
  probe_at(state, 1);
  probe_at(state, 512);
  CHECK(outcome(state) == GuideOutcome::cannot_tell);
}

TEST_CASE("step 3: fused and unfused are compared at the ops nearest to the slider") {
  ui::AppState state = touring(GuideStep::fuse);
  for (const std::uint64_t repeat : {4, 64}) {
    add(state, sound(state, repeat));
    add(state, sound(state, repeat, Fusion::unfused));
  }
  ui::set_cursor(state, 5, 0);
  state.worker.probe_due.reset();
  CHECK(sentence(state).empty());
  ui::set_fusion(state, FusionChoice::unfused, 0);
  CHECK(outcome(state) == GuideOutcome::done);
  CHECK(sentence(state).starts_with("4 ops take "));
  CHECK(sentence(state).find("fusing makes it 4.00x as fast") != std::string::npos);
}

TEST_CASE("step 3: both forms are asked for where one is missing") {
  ui::AppState state = touring(GuideStep::fuse);
  add(state, sound(state, 4));
  ui::set_fusion(state, FusionChoice::unfused, 0);
  CHECK(sentence(state) == "Measuring...");
  state.worker.probe_due.reset();
  CHECK(outcome(state) == GuideOutcome::not_yet);
  CHECK(sentence(state).find("set Fusion to both") != std::string::npos);
}

TEST_CASE("step 4: few elements are overhead-bound, many are not") {
  ui::AppState state = touring(GuideStep::shrink);
  state.worker.probe_due.reset();
  ui::set_cursor(state, 4, 0);
  ui::set_elements(state, 1 << 22, 0);
  probe_at(state, 5);
  CHECK(outcome(state) == GuideOutcome::not_yet);
  CHECK(sentence(state).find("shrink the data further") != std::string::npos);
  ui::set_elements(state, 4096, 0);
  probe_at(state, 4);
  CHECK(outcome(state) == GuideOutcome::done);
  CAPTURE(sentence(state));
  CHECK(sentence(state).starts_with("4096 elements take 1.00 µs, and 100 % of that is overhead"));
  ui::set_elements(state, default_size, 0);
  CHECK(sentence(state).empty());  // as the step began
}

TEST_CASE("step 5: the best of both kinds is compared once the new one is measured") {
  ui::AppState state = touring(GuideStep::precision);
  for (const std::uint64_t repeat : {1, 512}) add(state, sound(state, repeat));
  ui::toggle_dtype(state, kernels::Dtype::bf16, 0);
  state.worker.probe_due.reset();
  CHECK(sentence(state) == "Not measured yet: press Space to measure bf16.");
  state.worker.running.sweep = true;
  CHECK(sentence(state) == "Measuring...");
  state.worker.running.sweep = false;
  ui::toggle_dtype(state, kernels::Dtype::fp32, 0);
  for (const std::uint64_t repeat : {1, 512}) add(state, sound(state, repeat));
  CHECK(outcome(state) == GuideOutcome::done);
  CHECK(sentence(state).starts_with(
      "bf16 reaches 1.00 TFLOP/s at best, fp32 1.00 TFLOP/s: 1.00x; at 1 op, where memory is the"));
  CHECK(sentence(state).ends_with("2.00x as fast."));
}

TEST_CASE("the tour says what it needs where it cannot measure") {
  ui::AppState looking = ui::new_state();
  ui::start_guide(looking);
  CHECK(sentence(looking) == "Still looking for devices.");
  looking.worker.looking = false;
  CHECK(sentence(looking).find("no device") != std::string::npos);

  ui::AppState state = touring();
  state.documents.opened.push_back({"a.json", engine::Session()});
  CHECK(outcome(state) == GuideOutcome::not_yet);
  CHECK(sentence(state).find("press Space to measure this machine") != std::string::npos);
  state.documents.opened.clear();

  ui::show_lab(state, **std::ranges::find_if(engine::labs(), [](const engine::Lab* lab) {
                 return lab->slider.empty();
               }));
  CHECK(sentence(state).find("no slider for ops") != std::string::npos);
}

TEST_CASE("the map tells where the tour is") {
  ui::AppState state = touring();
  auto map = nlohmann::json::parse(ui::ui_map_text({}, state));
  CHECK(map.at("state").at("tour").at("step") == 1);
  CHECK(map.at("state").at("tour").at("outcome") == "not yet");
  ui::leave_guide(state);
  map = nlohmann::json::parse(ui::ui_map_text({}, state));
  CHECK(map.at("state").at("tour").is_null());
}

TEST_CASE("only a start without settings begins with the tour") {
  const fake::Folder folder;
  const auto path = folder.path / "settings.json";
  ui::Settings settings = ui::load_settings(path).settings;
  CHECK(settings.tour);
  settings.tour = false;
  ui::save_settings(settings, path);
  CHECK_FALSE(ui::load_settings(path).settings.tour);
  // Settings from before there was a tour are no first start either.
  auto file = nlohmann::json::parse(ui::settings_text({}));
  file.erase("tour");
  CHECK_FALSE(ui::settings_of(file.dump(), "old").tour);
}
