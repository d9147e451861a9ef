// A family, an op and a lab that nobody built in go the whole way: command line, sweep, session,
// CSV, chart, window and replay.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "engine/worker/replay.hpp"
#include "engine/worker/sweeper.hpp"
#include "kernels/check.hpp"
#include "kernels/families/family.hpp"
#include "tests/files.hpp"
#include "tests/model/fake_state.hpp"
#include "tests/screen/monkey_screen.hpp"
#include "ui/actions/events.hpp"
#include "ui/figures/figures.hpp"

using namespace engine;
using namespace kernels;

namespace {

const OpInfo twist_row{"twist", "An invented op.", 3, 1, 1};
const Op twist = add_op(twist_row);

const std::array invented_ops{twist};
constexpr std::array invented_units{Units::vector};
constexpr std::array<AxisInfo, 1> invented_axes{
    {{"m", "rows", "Rows of an invention.", 1, 1024, 8}}};

Work invented_work(const Case& c) {
  const double rows = static_cast<double>(*kernels::size(c, "m"));
  return {.flops = rows * flops_of(c.ops), .bytes = 8 * rows, .launches = 1};
}

/// Every row holds three times its input: once for all devices.
Check invented_check(Checkable& invention, const std::stop_token& stop) {
  const Case& c = invention.timed();
  invention.fill(Contents::random, stop);
  const std::uint64_t rows = *kernels::size(c, "m");
  const Covered covered = invention.run_poisoned(c, {}, stop);
  return compare(invention, covered, {0, rows}, samples_for(1), stop,
                 [&](std::uint64_t i, double got) -> Check {
                   const double expected = 3 * invention.input(0, i);
                   if (got == expected) return {.ok = true};
                   return {false, mismatch(i, rows, expected, got)};
                 });
}

const FamilyInfo invented_row{
    .name = "invented",
    .help = "an invention",
    .role = Role::workload,
    .ops = invented_ops,
    .units = invented_units,
    .axes = invented_axes,
    .work = invented_work,
    .tag = [](const Case&) { return std::string("invented"); },
    .check = invented_check,
};
const Family invented = add_family(invented_row);

constexpr LabKnob rows_knob{LabKnob::Kind::numbers, "m", "Rows.", "8,16", 1, 1024};

/// The rows that are asked for, and then once more twice the largest.
Plan plan(const Spec& spec, const Place&, const Results& so_far) {
  Plan plan;
  Case what;
  what.family = invented;
  what.ops = twist;
  what.elements = 64;
  std::uint64_t largest = 0;
  for (const std::uint64_t rows : numbers_of(rows_knob, text_of(spec, rows_knob))) {
    plan.asks.push_back({with(what, "m", rows), "asked"});
    largest = rows;
  }
  if (!so_far.points.empty()) plan.asks.push_back({with(what, "m", 2 * largest), "grown"});
  return plan;
}

std::vector<Chart> charts(const Results&) {
  Chart chart{.id = "inventions", .title = "Time of inventions"};
  chart.x = metrics::axis("m");
  chart.y = metrics::runtime;
  chart.series = labels::label;
  chart.along = "m";
  return {chart};
}

LabVerdict verdict(const Results& results) {
  LabVerdict found;
  found.says = results.ended ? engine::Says::holds : engine::Says::not_yet;
  found.headline = fmt::format("{} inventions.", results.points.size());
  return found;
}

const Lab invented_lab{
    .name = "inventing",
    .title = "Inventing",
    .group = "Your kernels",
    .question = "Does an invention go the whole way.",
    .about = "It does.",
    .knobs = {rows_knob},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
};

/// What a device does of it: the few things that a check asks for, and a run.
struct InventedTrial : Trial, Checkable {
  Case what;
  std::vector<double> in, out;
  double factor;
  InventedTrial(Case c, double computed)
      : what(std::move(c)), in(*kernels::size(what, "m")), out(in.size()), factor(computed) {}
  Sample run(std::stop_token) override {
    return {.seconds = 1e-3 * static_cast<double>(in.size())};
  }
  Work work() const override { return work_of(what); }
  Check verify(std::stop_token stop) override { return what.family->check(*this, stop); }
  bool cold() const override { return true; }

  const Case& timed() const override { return what; }
  double function_error() const override { return 0; }
  void fill(Contents, const std::stop_token&) override {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = input(0, i);
  }
  double input(std::size_t, std::uint64_t i) const override {
    return random_element(Dtype::fp64, seed(), i);
  }
  std::uint64_t seed() const override { return 7; }
  Covered run_poisoned(const Case&, const Operands&, const std::stop_token&) override {
    std::ranges::transform(in, out.begin(), [&](double x) { return factor * x; });
    return {};
  }
  std::vector<double> read(const Window& some) const override {
    const auto first = out.begin() + static_cast<std::ptrdiff_t>(some.first);
    return {first, first + static_cast<std::ptrdiff_t>(some.count)};
  }
};

struct InventedDevice : Device {
  DeviceInfo about;
  std::array<Kernel, 1> rows{{{.family = invented, .op = twist}}};
  double factor;
  explicit InventedDevice(double computed = 3) : factor(computed) {
    about.id = about.kind = "cpu";
    about.name = "Inventor";
  }
  const DeviceInfo& info() const override { return about; }
  std::span<const Kernel> kernels() const override { return rows; }
  std::unique_ptr<Trial> prepare(const Case& c, std::stop_token) override {
    if (c.family != invented) throw Unsupported("it runs inventions alone");
    return std::make_unique<InventedTrial>(c, factor);
  }
  Conditions conditions() override { return {}; }
  double free_bytes() const override { return 1e9; }
};

Devices one_device() {
  Devices devices;
  devices.usable.push_back(std::make_unique<InventedDevice>());
  return devices;
}

void add_invented_lab() {
  if (find_lab(invented_lab.name) != nullptr) return;
  std::vector<const Lab*> all(labs().begin(), labs().end());
  all.push_back(&invented_lab);
  use_labs(std::move(all));
}

app::Exit command(std::vector<std::string> words) {
  std::vector<char*> typed;
  for (std::string& word : words) typed.push_back(word.data());
  app::Output output;
  const app::Arguments arguments =
      app::parse_arguments(static_cast<int>(typed.size()), typed.data());
  return app::sweep_command(arguments.sweep, output, one_device);
}

/// What the worker tells goes into the window, until the sweep has ended.
void follow(Worker& worker, ui::AppState& state) {
  for (bool ended = false; !ended;) {
    worker.wait(std::chrono::milliseconds(1000));
    for (const Event& event : worker.drain()) {
      ui::apply(state, event);
      ended = ended || std::holds_alternative<SweepFinished>(event);
    }
  }
}

/// A click of the left button on a control.
void click(monkey::Screen& screen, ui::AppState& state, const std::string& control) {
  const plot::Rect at = screen.map().controls.at(control).rect;
  screen.move({static_cast<float>(at.x + at.w / 2), static_cast<float>(at.y + at.h / 2)});
  screen.frame(state, 1);
  for (const bool down : {true, false}) {
    screen.hold_button(down);
    screen.frame(state, 1);
  }
}

const Session& only_session(const ui::AppState& state) { return *ui::current_session(state); }

}  // namespace

TEST_CASE("invented rows go from the command line through a sweep into session and CSV") {
  add_invented_lab();
  const fake::Folder folder;
  const std::string file = folder.path / "session.json", table = folder.path / "points.csv";
  const std::vector<std::string> words{"ridgepoint", "sweep", "--lab",      "inventing",
                                       "--m",        "4,8",   "--csv",      table,
                                       "-o",         file,    "--max-time", "50ms"};
  REQUIRE(command(words) == app::Exit::done);
  const Session session = load_session(file);
  REQUIRE(session.points.size() == 3);  // the plan grew by one
  CHECK(session.points.back().label == "grown");
  CHECK(session.points.back().lab == "inventing");
  CHECK(kernels::size(session.points.back().what, "m") == 16);
  CHECK(session.points.front().status == Status::ok);
  CHECK(session.points.front().work.flops == 12);
  CHECK(from_json(to_json(session), "session").points == session.points);
  const std::string csv = tests::read_file(table);
  CHECK(csv.find("invented") != std::string::npos);
  CHECK(csv.find("twist") != std::string::npos);
  CHECK(csv == to_csv(session));
  CHECK_THROWS_AS(command({"ridgepoint", "sweep", "--lab", "inventing", "--m", "4096"}), BadInput);
  CHECK_THROWS_AS(command({"ridgepoint", "sweep", "--m", "4"}), app::Failure);
}

TEST_CASE("a family without an unfused form is measured once, and asked for that form refused") {
  const auto planned = [](std::string fusion) {
    Spec spec;
    spec.lab = "intensity";
    find_knob("kernel")->set(spec, "invented");
    find_knob("fusion")->set(spec, std::move(fusion));
    spec.repeats = {1, 4};
    spec.elements = 64;
    refuse_contradictions(spec);
    const Session nothing;
    return find_lab(spec.lab)
        ->plan(spec, place_of(InventedDevice()), {spec, nothing, {}})
        .asks.size();
  };
  CHECK(planned("fused") == 2);
  CHECK(planned("both") == 2);
  CHECK_THROWS_WITH_AS(planned("unfused"),
                       "--fusion unfused: invented runs as one kernel; leave --fusion out",
                       BadInput);
}

TEST_CASE("the check of an invented family is written once, and finds a device that is wrong") {
  const Case c = with({.family = invented, .ops = twist, .elements = 64}, "m", 8);
  CHECK(InventedDevice().prepare(c, {})->verify({}).ok);
  const Check wrong = InventedDevice(2).prepare(c, {})->verify({});
  CHECK_FALSE(wrong.ok);
  CHECK(wrong.why.starts_with("element 0 of 8: expected "));
}

TEST_CASE(
    "an invented lab stands in the window, runs by a click, is drawn and judged, and replayed") {
  add_invented_lab();
  monkey::Screen screen;
  screen.resize(1280, 1000);
  ui::AppState state = ui::new_state();
  Sweeper sweeper(one_device, {}, {}, "");
  while (state.worker.devices.empty()) {
    sweeper.wait(std::chrono::milliseconds(1000));
    for (const Event& event : sweeper.drain()) ui::apply(state, event);
  }
  for (int i = 0; i < 2; ++i) screen.frame(state, 1);
  click(screen, state, "lab.inventing.run");
  screen.frame(state, 1);
  CHECK(screen.map().controls.contains("m"));  // its knob
  CHECK_FALSE(screen.map().controls.contains("intensity"));
  auto sweeps = fake::take<ui::StartSweep>(state);
  REQUIRE(sweeps.size() == 1);
  state.worker.running.sweep_number = sweeper.start(std::move(sweeps.front()));
  follow(sweeper, state);
  for (int i = 0; i < 2; ++i) screen.frame(state, 1);
  CHECK(screen.map().plots.contains("inventions"));
  CHECK(screen.map().controls.at("claim").value == "3 inventions.");

  const std::vector<Chart> drawn = ui::measured_charts(state);
  REQUIRE(drawn.size() == 1);
  const plot::Figure figure = ui::figure_on_screen(state, drawn.front());
  REQUIRE(figure.series.size() == 2);  // asked, grown
  CHECK(figure.series.front().points->x == std::vector<double>{8, 16});
  CHECK(figure.x.title == "m");

  Replay replay(only_session(state), 1e6);
  ui::AppState other = ui::new_state();
  for (const Event& event : replay.drain()) ui::apply(other, event);
  ui::show_lab(other, invented_lab, true);
  sweeps = fake::take<ui::StartSweep>(other);
  REQUIRE(sweeps.size() == 1);
  other.worker.running.sweep_number = replay.start(std::move(sweeps.front()));
  follow(replay, other);
  CHECK(only_session(other).points == only_session(state).points);
  CHECK(ui::lab_verdict(other).headline == "3 inventions.");
}
