// What the window says of a point: under other roofs, on other devices, in the inspector.
#include "ui/screen/verdict_target.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/figures/sample_sessions.hpp"
#include "tests/model/fake_state.hpp"
#include "ui/actions/events.hpp"
#include "ui/screen/inspection.hpp"
#include "ui/screen/limits.hpp"
#include "ui/screen/results.hpp"

using kernels::Dtype;
using kernels::Family;

TEST_CASE("what if: another device's datasheet is compared with, said, and put away again") {
  ui::AppState state = fake::opened();
  engine::Point point = fake::point(64);
  point.what.elements = std::uint64_t{1} << 26;
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  state.documents.sheets = engine::datasheet_devices();
  REQUIRE(state.documents.sheets.size() > 5);
  const auto says = [&] {
    const auto sentences = ui::verdict_text(state).verdict.sentences;
    return !sentences.empty() && sentences.front().starts_with("At most ") &&
           sentences.front().find(" on " + state.documents.sheets[5].name + " by its datasheet") !=
               std::string::npos;
  };
  CHECK_FALSE(says());
  ui::set_what_if(state, 5);
  REQUIRE(state.look.view.what_if);
  CHECK(state.look.view.what_if->device.name == state.documents.sheets[5].name);
  CHECK(says());
  kernels::Case mul{.ops = kernels::Op::mul, .elements = std::uint64_t{1} << 26, .repeat = 4096};
  kernels::Case fma = mul;
  fma.ops = kernels::Op::fma;
  // As many instructions, half of the FLOP.
  const engine::Session& here = *ui::verdict_target(state).session;
  const auto of_mul = ui::what_if(state.look.view, here, mul);
  const auto of_fma = ui::what_if(state.look.view, here, fma);
  REQUIRE(of_mul);
  REQUIRE(of_fma);
  CHECK(of_mul->seconds == of_fma->seconds);
  ui::set_what_if(state, std::nullopt);
  CHECK_FALSE(state.look.view.what_if);
  CHECK_FALSE(says());
}

TEST_CASE("what if: a tile on vector units is told of both units of the other device") {
  ui::AppState state = fake::opened();
  engine::Point point = fake::point(64);
  point.what.family = kernels::Family::tile;
  point.what.ops = kernels::Op::mma;
  point.what.dtype = kernels::Dtype::bf16;
  point.what.elements = std::uint64_t{1} << 28;
  point.what.repeat = 1024;
  point.work = kernels::work_of(point.what);
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  state.documents.sheets = engine::datasheet_devices();
  const auto h200 =
      std::ranges::find(state.documents.sheets, "H200 SXM 141GB", &engine::SheetDevice::name);
  REQUIRE(h200 != state.documents.sheets.end());
  ui::set_what_if(state, static_cast<std::size_t>(h200 - state.documents.sheets.begin()));
  const engine::Session& here = *ui::verdict_target(state).session;
  const auto both = ui::what_ifs(state.look.view, here, point.what);
  REQUIRE(both.size() == 2);
  CHECK(both[0].name == "H200 SXM 141GB, vector units");
  CHECK(both[1].name == "H200 SXM 141GB, matrix units");
  CHECK(both[1].seconds < both[0].seconds);
  state.look.hovered = ui::Hovered{0, 0};
  const std::string said = ui::verdict_text(state).verdict.sentences.front();
  state.look.hovered.reset();
  CHECK(said.starts_with("At most "));
  CHECK(said.find(" on H200 SXM 141GB, vector units by its datasheet, ") != std::string::npos);
  CHECK(said.find(". At most ") != std::string::npos);
  CHECK(said.find(" on H200 SXM 141GB, matrix units by its datasheet, ") != std::string::npos);
  CHECK(said.ends_with(" as fast as measured here."));
  kernels::Case on_matrix = point.what;
  on_matrix.units = kernels::Units::matrix;
  CHECK(ui::what_ifs(state.look.view, here, on_matrix).size() == 1);
  kernels::Case chain{.elements = std::uint64_t{1} << 28, .repeat = 1024};
  REQUIRE(ui::what_ifs(state.look.view, here, chain).size() == 1);
  CHECK(ui::what_ifs(state.look.view, here, chain).front().name == "H200 SXM 141GB");
}

TEST_CASE(
    "what if: the verdict says which share of the roof it takes for granted, and what fits a "
    "cache") {
  ui::AppState state = fake::opened();
  engine::Point point = fake::point(1);
  point.what.elements = std::uint64_t{1} << 26;
  point.work = kernels::work_of(point.what);
  point.share = engine::Share{"DRAM copy", {0.94, {}, {}}};
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  state.cursor_repeat = 1;
  state.spec.elements = point.what.elements;
  state.documents.sheets = engine::datasheet_devices();
  const auto h200 =
      std::ranges::find(state.documents.sheets, "H200 SXM 141GB", &engine::SheetDevice::name);
  REQUIRE(h200 != state.documents.sheets.end());
  ui::set_what_if(state, static_cast<std::size_t>(h200 - state.documents.sheets.begin()));
  const auto said = [&] { return ui::verdict_text(state).verdict.sentences.front(); };
  // 512 MiB at 94 % of 4.8 TB/s.
  CHECK(said().starts_with("At most 119 µs on H200 SXM 141GB by its datasheet, "));
  CHECK(said().ends_with(", if this kernel reaches 94 % of the roof there, as it does here."));

  // 512 MiB in 1 / 0.8 of the time that the datasheet of this device allows.
  engine::Roof sheet;
  sheet.source = engine::RoofSource::datasheet;
  sheet.name = "DRAM copy";
  sheet.kind = engine::RoofKind::bandwidth;
  sheet.rate = point.work.bytes / point.seconds.median / 0.8;
  ui::apply(state, engine::RoofMeasured{1, "cpu", sheet});
  sheet.name = "fp32 FMA";
  sheet.kind = engine::RoofKind::compute;
  sheet.dtype = kernels::Dtype::fp32;
  sheet.units = kernels::Units::vector;
  sheet.rate = 1e15;
  ui::apply(state, engine::RoofMeasured{1, "cpu", sheet});
  CHECK(said().starts_with("Predicted: 140 µs on H200 SXM 141GB by its datasheet, "));
  CHECK(said().ends_with(
      ", if this kernel reaches 80 % of the datasheet's rate there, as it does here."));

  engine::Point small = fake::point(1);
  small.what.elements = std::uint64_t{1} << 22;
  small.work = kernels::work_of(small.what);
  small.seconds.median = point.seconds.median / 16;
  ui::apply(state, engine::PointMeasured{1, "cpu", small});
  state.spec.elements = small.what.elements;
  CHECK(said() ==
        "It fits the cache of H200 SXM 141GB, whose bandwidth its datasheet does not state.");
}

TEST_CASE("of what the slider asks for and nothing like it was measured, the verdict predicts") {
  ui::AppState state = fake::opened();
  CHECK(ui::verdict_text(state).caption.ends_with(" ops (at the slider)"));  // without roofs
  engine::Roof memory, fma;
  memory.name = "DRAM copy";
  memory.kind = engine::RoofKind::bandwidth;
  memory.rate = 20e9;
  fma.name = "fp32 FMA";
  fma.dtype = kernels::Dtype::fp32;
  fma.units = kernels::Units::vector;
  fma.rate = 200e9;
  for (const engine::Roof& roof : {memory, fma})
    ui::apply(state, engine::RoofMeasured{1, "cpu", roof});
  engine::Point other = fake::point(8);
  other.what.dtype = kernels::Dtype::fp64;
  ui::apply(state, engine::PointMeasured{1, "cpu", other});
  const std::string caption = ui::verdict_text(state).caption;
  CHECK(caption.starts_with("fp32 fused, "));
  CHECK(caption.ends_with(" ops (predicted)"));
  // Points of the same kind at other places are not the slider's.
  ui::apply(state, engine::PointMeasured{1, "cpu", fake::point(64)});
  CHECK(ui::verdict_text(state).caption == caption);
}

TEST_CASE("of an opened file the slider takes the number of elements that was measured there") {
  ui::AppState state = fake::opened();
  engine::Session file;
  file.device.name = "another";
  file.roofs = fake::roofs();
  file.points = {fake::point(32)};
  file.points.front().what.elements = 12345;
  state.documents.opened.push_back({"a.json", file});
  state.cursor_repeat = 32;
  REQUIRE(state.spec.elements == 0);
  CHECK(ui::cursor_case(state)->elements == 12345);
  CHECK(ui::verdict_target(state).kind == ui::VerdictTarget::Kind::probed);
  fake::measure(state, {1});  // this device is on screen, too
  CHECK(ui::cursor_case(state)->elements != 12345);
}

TEST_CASE("the time of a run is divided: what runs behind its largest part is hidden") {
  engine::Verdict verdict;
  verdict.share_of_bandwidth = 0.6;
  verdict.share_of_compute = 0.3;
  verdict.share_of_overhead = 0.25;
  using engine::Regime;
  const auto parts = [&] {
    std::string all;
    for (const ui::TimePart& part : ui::time_parts(verdict))
      all += fmt::format("{} {:.2f} {:.2f}{}; ", name_of(part.regime), part.from, part.to,
                         part.hidden ? " hidden" : "");
    return all;
  };
  CHECK(parts() ==
        "bandwidth-bound 0.00 0.60; compute-bound 0.00 0.30 hidden; overhead-bound 0.00 0.25 "
        "hidden; ");
  verdict.overhead_adds = true;
  CHECK(parts() ==
        "overhead-bound 0.00 0.25; bandwidth-bound 0.25 0.85; compute-bound 0.25 0.55 hidden; ");
  verdict.share_of_compute = 1.4;  // above its roof
  verdict.share_of_bandwidth = 0;
  CHECK(parts() == "overhead-bound 0.00 0.25; compute-bound 0.25 1.00; ");
}

TEST_CASE("a disturbed point is probably bound by what its shares say") {
  ui::AppState state = fake::opened();
  fake::measure(state, {1});
  state.cursor_repeat = 1;
  state.spec.elements = fake::point(1).what.elements;
  CHECK(ui::verdict_text(state).regime == "bandwidth-bound");
  engine::Point disturbed = fake::point(1);
  disturbed.disturbed = true;
  ui::apply(state, engine::PointMeasured{1, "cpu", disturbed});
  CHECK(ui::verdict_text(state).regime == "probably bandwidth-bound");
  CHECK(ui::verdict_text(state).caption.find("disturbed") != std::string::npos);
}

TEST_CASE("over another device's file the verdict and the slider's point say whose they are") {
  ui::AppState state = fake::opened();
  state.spec.elements = fake::point(1).what.elements;
  engine::Session other = engine::new_session(state.worker.devices.front().info);
  other.device.name = "Other GPU";
  for (const engine::Roof& roof : fake::roofs()) engine::add_roof(other, roof);
  engine::add_point(other, fake::point(64));
  state.documents.opened.push_back({"other.json", other});
  CHECK(ui::verdict_text(state).place == "other.json (view only), Other GPU");
  ui::set_cursor(state, 77, 0);
  CHECK(ui::verdict_text(state).place == "other.json (view only), Other GPU");
  engine::Point probe = fake::point(77);
  probe.what = *ui::cursor_case(state);
  probe.work = kernels::work_of(probe.what);
  probe.probe = true;
  ui::apply(state, engine::PointMeasured{1, "cpu", probe});
  const std::string own = state.worker.devices.front().info.name;
  CHECK(ui::verdict_text(state).place == "here, " + own);
  state.look.view.cursor = ui::cursor_case(state);  // as each frame does
  const plot::Overlay overlay =
      ui::overlay_of(ui::sessions_on_screen(state), test::chart("runtime"), state.look.view);
  const auto mark = std::ranges::find(overlay.marks, plot::Mark::Kind::probe, &plot::Mark::kind);
  REQUIRE(mark != overlay.marks.end());
  CHECK(mark->label.ends_with(" on " + own));
  ui::close_opened(state, 0);
  CHECK(ui::verdict_text(state).place.empty());
}

TEST_CASE(
    "where the slider measured otherwise than the sweep, the verdict says what the sweep did") {
  ui::AppState state = fake::opened();
  ui::set_cursor(state, 64, 0);
  engine::Point swept = fake::point(64);
  swept.what = *ui::cursor_case(state);
  swept.work = kernels::work_of(swept.what);
  swept.seconds.median = 0.25;
  ui::apply(state, engine::PointMeasured{1, "cpu", swept});
  const auto says = [&] {
    return std::ranges::count(ui::verdict_text(state).verdict.sentences,
                              "The sweep measured 250 ms here.");
  };
  CHECK(says() == 0);
  engine::Point probe = swept;
  probe.probe = true;
  probe.seconds.median = 0.255;
  ui::apply(state, engine::PointMeasured{1, "cpu", probe});
  CHECK(says() == 0);
  probe.seconds.median = 0.4;
  ui::apply(state, engine::PointMeasured{1, "cpu", probe});
  CHECK(says() == 1);
}

TEST_CASE(
    "without a roof of its own arithmetic a type is not predicted, and the verdict names it") {
  ui::AppState state = fake::opened();
  const auto says = [&] { return ui::verdict_text(state).headline; };
  fake::measure(state, {64});
  state.spec.dtypes = {kernels::Dtype::fp64};
  CHECK(says() == "There is no fp64 compute roof yet: press Space.");
  ui::AppState reader = fake::opened();
  reader.spec.dtypes = {kernels::Dtype::fp64};
  reader.documents.opened.push_back({"a.json", *ui::current_session(state)});
  CHECK(ui::verdict_text(reader).headline == "a.json holds no fp64 compute roof.");
  ui::set_cursor(state, 16, 1);
  engine::Point skipped = fake::point(16);
  skipped.what = *ui::cursor_case(state);
  skipped.status = engine::Status::skipped;
  skipped.why = "it takes too long";
  ui::apply(state, engine::PointMeasured{1, "cpu", skipped});
  CHECK(says() == "Not measured: it takes too long");
  ui::AppState bare = fake::opened();
  CHECK(ui::verdict_text(bare).headline == "The roofs are not measured yet: press Space.");
}

TEST_CASE("beside an opened sweep of this device the verdict says whose roofs it means") {
  ui::AppState state = fake::opened();
  for (const engine::Roof& roof : fake::roofs())
    ui::apply(state, engine::RoofMeasured{1, "cpu", roof});
  engine::Session file = *ui::current_session(state);
  file.points.push_back(fake::point(16));
  state.documents.opened.push_back({"a.json", file});
  ui::set_cursor(state, 77, 0);
  const auto says = [&] {
    const std::vector<std::string> all = ui::verdict_text(state).verdict.sentences;
    return std::ranges::count(all,
                              "This point was measured now; the roofs shown come from a.json.");
  };
  CHECK(says() == 0);  // the prediction is by the file's own
  engine::Point probe = fake::point(77);
  probe.what = *ui::cursor_case(state);
  probe.work = kernels::work_of(probe.what);
  probe.probe = true;
  ui::apply(state, engine::PointMeasured{1, "cpu", probe});
  CHECK(says() == 1);
  ui::close_opened(state, 0);
  CHECK(says() == 0);
}

TEST_CASE(
    "an inspected point says how it was counted, why it stopped and how to measure it again") {
  ui::AppState state = fake::opened();
  engine::Point point = fake::point(32);
  point.seconds = {1e-3, 0.9e-3, 1.1e-3, {0.8e-3, 0.9e-3, 1e-3, 1e-3, 1.1e-3, 1.1e-3, 4e-3}, {6}};
  point.stop = engine::Stop::time_limit;
  point.limit = engine::Limit::time;
  ui::apply(state, engine::PointMeasured{1, "cpu", point});
  ui::inspect(state, {0, 1});
  CHECK_FALSE(state.look.inspected);
  ui::inspect(state, {0, 0});
  REQUIRE(state.look.inspected);
  const auto fact = [&](const std::string& label) {
    const auto found = std::ranges::find(state.look.inspected->facts, label, &ui::Reading::label);
    return found == state.look.inspected->facts.end() ? std::string() : found->value;
  };
  CHECK(fact("Counted").find("elements × 32 ops × 2 = ") != std::string::npos);
  CHECK(fact("Moved").find("elements × 8 B × 1 launch = ") != std::string::npos);
  CHECK(fact("Interval") == "900.0 µs to 1.100 ms (95 %)");
  CHECK(fact("Runtime").empty());  // the median stands above, the interval here
  CHECK(fact("Samples") == "7, 1 of them outliers");
  CHECK(fact("Stopped") == "at the time limit");
  CHECK(state.look.inspected->command.starts_with(
      "ridgepoint sweep --device cpu --kernel chain --op fma --dtype fp32 --fusion fused"));
  CHECK(state.look.inspected->command.find("--repeat 32") != std::string::npos);
  state.program = "/opt/ridgepoint";
  ui::inspect(state, {0, 0});
  CHECK(state.look.inspected->command.starts_with("/opt/ridgepoint sweep "));
  ui::clear(state);
  CHECK_FALSE(state.look.inspected);
}

TEST_CASE("an inspected point of a GPU says how it was launched, and how much of it is overhead") {
  engine::Session session;
  session.device.kind = "cuda";
  engine::Roof overhead;
  overhead.name = "overhead chain fp32 graph";
  overhead.kind = engine::RoofKind::overhead;
  overhead.rate = 1 / 870e-9;
  session.roofs = {overhead};
  engine::Point point = fake::point(8);
  point.seconds.median = 1.16e-6;
  point.launched = kernels::Launched::graph;
  const auto fact = [&](const std::string& label) {
    const std::vector<ui::Reading> facts = ui::facts_of(session, point);
    const auto found = std::ranges::find(facts, label, &ui::Reading::label);
    return found == facts.end() ? std::string() : found->value;
  };
  CHECK(fact("Launched") == "in a CUDA graph");
  CHECK(fact("Overhead") == "870 ns, 75 % of the runtime");
  point.work.launches = 8;
  point.seconds.median = 8 * 1.16e-6;
  CHECK(fact("Overhead") == "6.96 µs in 8 launches, 75 % of the runtime");
  point.seconds.median = 1;
  CHECK(fact("Overhead").empty());
  session.device.kind = "cpu";
  point.launched = kernels::Launched::threads;
  CHECK(fact("Launched").empty());  // there is one way
}

TEST_CASE("a histogram counts every sample once") {
  const ui::Histogram histogram = ui::histogram_of({1, 1.1, 1.9, 2, 3}, 2);
  CHECK(histogram.low == 1);
  CHECK(histogram.high == 3);
  CHECK(histogram.counts == std::vector<std::size_t>{3, 2});
  CHECK(ui::histogram_of({2, 2, 2}, 8).counts == std::vector<std::size_t>{3});
  CHECK(ui::histogram_of({}, 8).counts.empty());
}

TEST_CASE("the inspector says everything once") {
  ui::AppState state = fake::opened();
  fake::measure(state, {64});
  engine::Point point = ui::current_session(state)->points[0];
  point.values = {{"error", 2e-3}};
  point.share = engine::Share{"DRAM copy", {0.9, 0.89, 0.91}};
  std::vector<std::string> labels;
  for (const ui::Reading& fact : ui::facts_of(*ui::current_session(state), point))
    labels.push_back(fact.label);
  CHECK(std::ranges::count(labels, "Error") == 1);
  std::ranges::sort(labels);
  CHECK(std::ranges::adjacent_find(labels, [](const std::string& a, const std::string& b) {
          return ui::lower(a) == ui::lower(b);
        }) == labels.end());
}
