// The parts of the command line that need no process.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/cli/arguments.hpp"
#include "app/cli/choose_device.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/picture_options.hpp"
#include "app/cli/suggest.hpp"
#include "app/output/progress_bar.hpp"
#include "app/output/results.hpp"
#include "app/output/stream.hpp"

namespace {

using app::Exit;

std::ptrdiff_t lines_in(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

engine::Place device(const std::string& id, const std::string& kind) {
  engine::Place summary;
  summary.info.id = id;
  summary.info.kind = kind;
  return summary;
}

Exit code_of(const auto& action) {
  try {
    action();
  } catch (const app::Failure& failure) {
    return failure.code;
  }
  return Exit::done;
}

engine::Point point_of(kernels::Dtype dtype, std::uint64_t repeat, engine::Status status,
                       const std::string& why) {
  engine::Point point;
  point.what.dtype = dtype;
  point.what.repeat = repeat;
  point.what.elements = 1000;
  point.work = kernels::work_of(point.what);
  point.status = status;
  point.why = why;
  point.seconds.median = 1e-3;
  point.seconds.low = 0.9e-3;
  point.seconds.high = 1.2e-3;
  point.seconds.samples = {1e-3};
  return point;
}

}  // namespace

TEST_CASE("a median has a ± from six samples on; below, the table says how few there were") {
  engine::Session session;
  const auto table_of = [&](std::size_t samples) {
    session.points = {point_of(kernels::Dtype::fp32, 1, engine::Status::ok, "")};
    session.points[0].seconds.samples.assign(samples, 1e-3);
    return app::results_table(session);
  };
  CHECK(table_of(1).find("1.00 ms, 1 sample ") != std::string::npos);
  CHECK(table_of(5).find("1.00 ms, 5 samples ") != std::string::npos);
  CHECK(table_of(5).find("±") == std::string::npos);
  CHECK(table_of(6).find("1.00 ms ±20.0 %") != std::string::npos);
}

TEST_CASE(
    "FLOP per clock and core stand in the table where a clock is known and the width allows") {
  engine::Session session;
  session.device.kind = "cpu";
  session.device.multiprocessors = 2;
  session.points = {point_of(kernels::Dtype::fp32, 500, engine::Status::ok, "")};
  CHECK(app::results_table(session).find("FLOP/clk/core") == std::string::npos);
  session.points[0].conditions.clock_hz = 1e8;
  const std::string table = app::results_table(session);
  CHECK(table.find("FLOP/clk/core") != std::string::npos);
  CHECK(table.find("  5  ") != std::string::npos);  // 1 GFLOP/s / 100 MHz / 2 cores
  CHECK(app::results_table(session, 80).find("FLOP/clk/core") == std::string::npos);
}

TEST_CASE("a table with int8 counts OP, and names its columns so") {
  engine::Session session;
  session.device.multiprocessors = 2;
  session.points = {point_of(kernels::Dtype::fp32, 500, engine::Status::ok, ""),
                    point_of(kernels::Dtype::int8, 500, engine::Status::ok, "")};
  session.points[1].conditions.clock_hz = 1e8;
  const std::string table = app::results_table(session);
  const std::string head = table.substr(0, table.find('\n'));
  CHECK(head.find("FLOP") == std::string::npos);
  CHECK(head.find("OP/clk/core") != std::string::npos);
}

TEST_CASE("a point that was spoiled says so at the end of its row") {
  engine::Session session;
  session.points = {point_of(kernels::Dtype::fp32, 1, engine::Status::ok, "")};
  session.points[0].conditions.throttled = true;
  session.points[0].disturbed = true;
  session.points[0].discarded = 2;
  CHECK(app::results_table(session).find(", disturbed, throttled\n") != std::string::npos);
}

TEST_CASE("points of roofs stand in no table of a sweep; the roofs have their own") {
  engine::Session session;
  session.device.multiprocessors = 2;
  session.points = {point_of(kernels::Dtype::fp32, 1, engine::Status::ok, ""),
                    point_of(kernels::Dtype::fp32, 1, engine::Status::skipped, "no such shape")};
  for (engine::Point& point : session.points) point.lab = "roofs";
  CHECK(app::results_table(session) == "");
  CHECK(app::left_out(session).empty());
  session.points[1].why = "no bf16 matrix roof: this CPU has no AMX";
  CHECK(app::left_out(session) ==
        std::vector<std::string>{"skipped: no bf16 matrix roof: this CPU has no AMX"});
  CHECK(app::roofs_table(session) == "");
  engine::Roof roof;
  roof.name = "fp32 FMA";
  roof.dtype = kernels::Dtype::fp32;
  roof.rate = 64e9;
  roof.rate_low = 63e9;
  roof.rate_high = 64.5e9;
  roof.conditions.clock_hz = 1e9;
  roof.shape = {{"chains", "8"}};
  session.roofs = {roof};
  roof.source = engine::RoofSource::datasheet;
  roof.rate = 80e9;
  session.roofs.push_back(roof);
  const std::string table = app::roofs_table(session);
  CHECK(lines_in(table) == 2);
  for (const char* part : {"64.0 GFLOP/s ±1.6 %", "80.0 GFLOP/s", "80 %", "32 FLOP", "chains 8"}) {
    CAPTURE(part);
    CHECK(table.find(part) != std::string::npos);
  }
}

TEST_CASE("a suggestion needs at most two edits and shares at least a letter") {
  const std::vector<std::string> known{"sweep", "plot", "explain", "devices"};
  CHECK(app::did_you_mean("swep", known) == "; did you mean 'sweep'?");
  CHECK(app::did_you_mean("device", known) == "; did you mean 'devices'?");
  CHECK(app::did_you_mean("plt", known) == "; did you mean 'plot'?");
  CHECK(app::did_you_mean("frobnicate", known) == "");
  CHECK(app::did_you_mean("", known) == "");
  CHECK(app::did_you_mean("x", {"ab"}) == "");
  CHECK(app::did_you_mean(std::string(1000000, 'a'), known) == "");
  CHECK(app::did_you_mean("sweep", {}) == "");
}

TEST_CASE("the bar shows share, count and time left within the width of the terminal") {
  engine::Progress progress{1, 3, 12, 4.2, "chain fma fp32"};
  CHECK(app::bar_line(progress, 200) ==
        "[######..................] 3/12  5 s left  chain fma fp32");
  CHECK(app::bar_line(progress, 20).size() == 19);
  progress.pass = 2;
  CHECK(app::bar_line(progress, 200).ends_with("  pass 3, chain fma fp32"));
  progress.seconds_left = 125;
  CHECK(app::bar_line(progress, 200).find("2:05 min left") != std::string::npos);
  for (const double unknown :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    progress.seconds_left = unknown;
    CHECK(app::bar_line(progress, 200).find("left") == std::string::npos);
  }
  CHECK(app::bar_line({1, 0, 0, 0, ""}, 200).starts_with("[........................] 0/0"));
}

TEST_CASE("the default device is the first GPU, else the CPU with the reason") {
  engine::DevicesOpened devices;
  devices.usable = {device("cuda:0", "cuda"), device("cuda:1", "cuda"), device("cpu", "cpu")};
  CHECK(app::choose_device(devices, "").info.id == "cuda:0");
  CHECK(app::choose_device(devices, "cpu").info.id == "cpu");
  CHECK(app::why_no_gpu(devices) == "");
  devices.usable.erase(devices.usable.begin(), devices.usable.begin() + 2);
  devices.unavailable = {{"cuda", "no driver was found"}};
  CHECK(app::choose_device(devices, "").info.id == "cpu");
  CHECK(app::why_no_gpu(devices) == "no driver was found");
}

TEST_CASE("a missing device is exit code 3 with the reason and the devices that are there") {
  engine::DevicesOpened devices;
  devices.usable = {device("cuda:0", "cuda"), device("cpu", "cpu")};
  devices.unavailable = {{"cuda:1", "it is too old"}};
  CHECK(code_of([&] { app::choose_device(devices, "cuda:1"); }) == Exit::no_device);
  CHECK_THROWS_WITH(app::choose_device(devices, "cuda:1"),
                    "there is no device 'cuda:1' (it is too old); available: cuda:0, cpu");
}

TEST_CASE("picture options have limits and say what they expect") {
  const app::PictureOptions fine = app::parse({"roofline", "200x16384", "dark"});
  CHECK(fine.chart == engine::find_chart("roofline"));
  CHECK(fine.look.size == plot::PictureSize{200, 16384});
  CHECK(fine.look.theme == plot::Theme::dark);
  CHECK(app::parse({}).chart == nullptr);
  for (const char* size : {"", "x", "800", "800x", "x600", "199x800", "800x16385", "800x600x3",
                           "8e2x600", "800 x 600", "99999999999999x600"}) {
    CAPTURE(size);
    CHECK(code_of([&] { app::parse({"all", size, "light"}); }) == Exit::usage);
  }
}

TEST_CASE("without a word a picture is 1600 x 1000, light, with its caption") {
  const app::PictureOptions options = app::parse({});
  CHECK(plot::size_of(options.look, 4) == plot::PictureSize{1600, 1000});
  CHECK(plot::scale_of(options.look) == 1);
  CHECK(options.look.theme == plot::Theme::light);
  CHECK(options.look.caption);
  CHECK_FALSE(options.look.transparent);
}

TEST_CASE("a preset sets size and scale, and options of their own override them") {
  app::PictureText text;
  text.preset = "paper";
  CHECK(plot::size_of(app::parse(text).look, 1).width == doctest::Approx(3.3 * 72));
  CHECK(plot::scale_of(app::parse(text).look) == doctest::Approx(300.0 / 72));
  text.size = "640x480";
  text.scale = "2";
  CHECK(plot::size_of(app::parse(text).look, 1) == plot::PictureSize{640, 480});
  CHECK(plot::scale_of(app::parse(text).look) == 2);
  CHECK(app::parse(text).look.preset->name == "paper");
}

TEST_CASE("unknown presets, themes and scales are bad usage, with a guess") {
  const auto sentence = [](const auto& change) {
    app::PictureText text;
    change(text);
    try {
      app::parse(text);
    } catch (const app::Failure& failure) {
      CHECK(failure.code == Exit::usage);
      return std::string(failure.what());
    }
    return std::string("fine");
  };
  CHECK(sentence([](auto& text) { text.preset = "papr"; }) ==
        "--preset 'papr': expected web, slide, paper or paper-wide; did you mean 'paper'?");
  CHECK(sentence([](auto& text) { text.theme = "black"; }) ==
        "--theme 'black': expected light, dark or bw");
  CHECK(sentence([](auto& text) { text.x_axis = "bot"; }) ==
        "--x-axis 'bot': expected repeat, intensity or both; did you mean 'both'?");
  for (const char* scale : {"", "0", "5", "1.5", "-1", "2x", "99999999999999"}) {
    CHECK(sentence([&](auto& text) { text.scale = scale; }) ==
          fmt::format("--scale '{}': expected a whole number from 1 to 4", scale));
  }
}

TEST_CASE("a scale is for PNG, and no side may be longer than a PNG can be") {
  const auto code = [](const char* file, const app::PictureText& text) {
    return code_of([&] { app::picture_format("--output", file, text, app::parse(text)); });
  };
  const app::PictureText fine{.scale = "4"}, wide{.size = "16384x200"},
      too_wide{.size = "16384x200", .scale = "2"},
      wide_paper{.size = "16384x200", .preset = "paper"};
  CHECK(code("a.png", fine) == Exit::done);
  CHECK(code("a.svg", fine) == Exit::usage);
  CHECK(code("a.png", wide) == Exit::done);
  CHECK(code("a.png", too_wide) == Exit::usage);
  CHECK(code("a.png", wide_paper) == Exit::usage);
  CHECK(code("a.pdf", wide_paper) == Exit::done);
}

TEST_CASE("columns align by what a terminal shows, not by bytes") {
  CHECK(app::aligned({{"a", "time"}, {"bb", "1 ±2"}, {"c", "±"}}, {0}) ==
        "a   time\nbb  1 ±2\nc      ±\n");
}

TEST_CASE(
    "the table lists measured points by series and repeat, the rest is named with its reason") {
  engine::Session session;
  session.points = {point_of(kernels::Dtype::fp64, 8, engine::Status::ok, ""),
                    point_of(kernels::Dtype::fp64, 2, engine::Status::ok, ""),
                    point_of(kernels::Dtype::fp32, 4, engine::Status::ok, ""),
                    point_of(kernels::Dtype::fp32, 16, engine::Status::skipped, "too slow"),
                    point_of(kernels::Dtype::fp32, 32, engine::Status::skipped, "too slow"),
                    point_of(kernels::Dtype::fp32, 64, engine::Status::failed, "wrong")};
  const std::string table = app::results_table(session);
  CHECK(table.find("fp64 fused       2") < table.find("fp64 fused       8"));
  CHECK(table.find("fp64 fused       8") < table.find("fp32 fused       4"));
  CHECK(app::left_out(session) ==
        std::vector<std::string>{"skipped fp32 fused, repeat 16,32: too slow",
                                 "failed fp32 fused, repeat 64: wrong"});
  CHECK(app::results_table(engine::Session{}) == "");
}

TEST_CASE("an event becomes one line of JSON whatever its text holds") {
  engine::Session session;
  session.points = {point_of(kernels::Dtype::fp32, 4, engine::Status::ok, "")};
  const std::string warning = app::stream_line(engine::Warning{1, "two\nlines \xff"}, session);
  CHECK(warning.find('\n') == warning.size() - 1);
  CHECK(nlohmann::json::parse(warning).at("event") == "warning");
  const std::string progress = app::stream_line(
      engine::Progress{1, 0, 2, std::numeric_limits<double>::infinity(), "x"}, session);
  CHECK(nlohmann::json::parse(progress).at("seconds_left").is_null());
  const engine::Run run{.number = 3, .begin = "2026-11-21T10:00:00Z"};
  const auto start =
      nlohmann::json::parse(app::stream_line(engine::SweepStarted{3, "cpu", 2, run}, session));
  CHECK(start.at("run").at("number") == 3);
  CHECK(start.at("run").at("spec").at("lab") == "intensity");
  const auto end = nlohmann::json::parse(
      app::stream_line(engine::SweepFinished{1, engine::End::failed, "lost", false}, session));
  CHECK(end.at("end") == "failed");
  CHECK(end.at("why") == "lost");
  CHECK(end.at("ok") == 1);
  CHECK(app::stream_line(engine::DevicesOpened{}, session) == "");
}

TEST_CASE("a device's table marks what runs, and numbers reasons and notes once") {
  kernels::DeviceInfo info;
  info.id = "cpu";
  info.kind = "cpu";
  info.name = "Some CPU";
  info.multiprocessors = 2;
  using enum kernels::Dtype;
  const auto row = [](kernels::Dtype dtype, bool runs, const std::string& why,
                      const std::string& note) {
    return kernels::Kernel{.dtype = dtype, .runs = runs, .why_not = why, .note = note};
  };
  const std::vector<kernels::Kernel> kernels{row(fp64, true, "", ""), row(fp32, true, "", "AVX2"),
                                             row(fp16, false, "no such unit", ""),
                                             row(bf16, false, "no such unit", "")};
  const std::string text = app::device_text(info, kernels, 0);
  CHECK(text.find("cpu (cpu): Some CPU") == 0);
  CHECK(text.find("2 cores") != std::string::npos);
  CHECK(text.find("yes 1") != std::string::npos);
  CHECK(text.find("no 2") != std::string::npos);
  CHECK(text.find(" 1  AVX2\n") != std::string::npos);
  CHECK(text.find(" 2  no such unit\n") != std::string::npos);
  CHECK(text.find(" 3  ") == std::string::npos);
  CHECK(text.find("memory") == std::string::npos);  // unknown facts are left out
}

TEST_CASE("every knob of the engine is an option of sweep") {
  for (const engine::Knob& knob : engine::knobs()) {
    std::string option = "--" + std::string(knob.name);
    std::string value = knob.get(engine::Spec{});
    std::string program = "ridgepoint", command = "sweep";
    std::vector<char*> argv{program.data(), command.data(), option.data(), value.data(), nullptr};
    const app::Arguments arguments = app::parse_arguments(4, argv.data());
    CHECK(arguments.command == "sweep");
    REQUIRE(arguments.sweep.knobs.size() == 1);
    CHECK(arguments.sweep.knobs[0].first == knob.name);
    CHECK(arguments.sweep.knobs[0].second == value);
  }
}
