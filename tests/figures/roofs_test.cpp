// The table of roofs, the shapes tried, the memory levels, and which roofs a roofline draws.
#include <doctest/doctest.h>

#include <algorithm>

#include "engine/verdict/precision.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "tests/figures/sample_sessions.hpp"
#include "ui/figures/figures.hpp"
#include "ui/figures/point_facts.hpp"
#include "ui/figures/roof_rows.hpp"

using ui::figure_of;
using ui::page_of;
using ui::RoofRow;

namespace {

const RoofRow& row_named(const std::vector<RoofRow>& rows, const std::string& name) {
  const auto found = std::ranges::find(rows, name, &RoofRow::name);
  REQUIRE(found != rows.end());
  return *found;
}

bool draws(const plot::Figure& figure, const std::string& roof) {
  return std::ranges::any_of(figure.roofs, [&](const plot::Roof& line) {
    return line.label.starts_with(roof + " ") || line.short_label.starts_with(roof + " ");
  });
}

}  // namespace

TEST_CASE("Roofs stand in the order memory, arithmetic by type, launches") {
  const engine::Session session = test::roofs_session();
  std::vector<std::string> names;
  for (const RoofRow& row : ui::roof_rows(session)) names.push_back(row.name);
  CHECK(names == std::vector<std::string>{"DRAM read", "DRAM copy", "L3", "L2", "L1", "fp32 FMA",
                                          "fp32 mul+add", "bf16 matrix", "launch"});
}

TEST_CASE("A row tells measured, datasheet, share, the rate per clock and core, and the shape") {
  const engine::Session session = test::roofs_session();
  const auto rows = ui::roof_rows(session);
  const RoofRow& fma = row_named(rows, "fp32 FMA");
  CHECK(ui::measured_text(fma) == "237 GFLOP/s");
  CHECK(ui::stated_text(fma) == "256 GFLOP/s");
  CHECK(ui::share_text(fma) == "93 %");
  CHECK(ui::per_clock_text(fma, session.device) == "32 FLOP");  // 237e9 / 3.7e9 / 2 cores
  CHECK(ui::shape_text(fma) == "chains 12, unroll 8");
  const RoofRow& apart = row_named(rows, "fp32 mul+add");
  CHECK(apart.stated == 0);  // a CPU may add on ports of their own
  CHECK(ui::share_text(apart) == "-");
  CHECK(ui::per_clock_text(apart, session.device) == "-");  // its clock is not known
  const RoofRow& level = row_named(rows, "L2");
  CHECK(ui::measured_text(level) == "390 GB/s");
  CHECK(ui::stated_text(level) == "-");
  CHECK(ui::share_text(level) == "-");
  CHECK(ui::measured_text(row_named(rows, "launch")) == "200 ns");
  CHECK_FALSE(row_named(rows, "launch").can_be_drawn());
}

TEST_CASE("Every DRAM roof and a library's compare with what the datasheet says of the device") {
  engine::Session session = test::gpu_session();
  session.roofs.push_back(test::bandwidth("DRAM write", 4.6e12));
  engine::Roof library = test::compute(kernels::Dtype::bf16, kernels::Units::matrix, 790e12);
  library.name = "bf16 library";
  session.roofs.push_back(library);
  const auto rows = ui::roof_rows(session);
  CHECK(row_named(rows, "DRAM write").stated == 4.8e12);
  CHECK(row_named(rows, "bf16 library").stated == 989e12);
}

TEST_CASE("The shapes tried for a roof come fastest first, what could not run last") {
  const engine::Session session = test::roofs_session();
  const auto tried = ui::tried_for(session, "fp32 FMA");
  REQUIRE(tried.size() == 5);
  CHECK(ui::tried_text(*tried.front()) == "chains 12, unroll 8");
  CHECK(tried.back()->status == engine::Status::skipped);
  for (std::size_t i = 1; i < tried.size(); ++i) {
    CHECK(ui::rate_of(*tried[i - 1], engine::RoofKind::compute) >=
          ui::rate_of(*tried[i], engine::RoofKind::compute));
  }
}

TEST_CASE("The other shapes say what differs from the fastest, and which one is the roof") {
  engine::Session session = test::roofs_session();
  const auto tried = ui::tried_for(session, "fp32 FMA");
  const engine::Point& fastest = *tried.front();
  engine::Point other = fastest;
  REQUIRE(other.what.shape.back() == kernels::ShapeChoice{"unroll", "8"});
  other.what.shape.back().value = "4";
  CHECK(ui::difference_text(other, fastest) == "unroll 4");
  other.what.shape.pop_back();
  CHECK(ui::difference_text(other, fastest) == "chains 12");
  other.what.shape.clear();
  CHECK(ui::difference_text(other, fastest) == "the device's default");

  engine::Roof roof =
      test::compute(kernels::Dtype::fp32, kernels::Units::vector, fastest.flops_per_second());
  roof.shape = fastest.what.shape;
  CHECK(ui::roofs_own(tried, roof) == &fastest);
  roof.rate *= 1.01;  // looks beside points have moved it
  CHECK(ui::roofs_own(tried, roof) == &fastest);
  roof.shape = {{"chains", "1"}};
  CHECK(ui::roofs_own(tried, roof) == nullptr);
}

TEST_CASE("What differs of a read is its working set, too") {
  const engine::Session session = test::roofs_session();
  const auto reads = ui::tried_for(session, "L2");
  CHECK(ui::difference_text(*reads.back(), *reads.front()) == ui::tried_text(*reads.back()));
  engine::Point shaped = *reads.front();
  shaped.what.shape = {{"registers", "8"}};
  CHECK(ui::difference_text(*reads.front(), shaped).ends_with("iB, the device's default"));
}

TEST_CASE("A shape measured again is listed once, at its newest rate") {
  engine::Session session = test::roofs_session();
  engine::Point again = session.points.front();
  again.seconds.median /= 2;
  session.points.push_back(again);
  const auto tried = ui::tried_for(session, "fp32 FMA");
  CHECK(tried.size() == 5);
  CHECK(std::ranges::count(tried, &session.points.back()) == 1);
  CHECK(std::ranges::count(tried, &session.points.front()) == 0);
}

TEST_CASE("Reads belong to the level that holds their working set, and name it") {
  const engine::Session session = test::roofs_session();
  const auto l2 = ui::tried_for(session, "L2");
  CHECK(l2.size() == 5);  // 128 KiB to 2 MiB of two cores
  for (const engine::Point* point : l2) CHECK(ui::working_set_of(*point) <= 2 << 20);
  CHECK(ui::tried_for(session, "DRAM read").size() == 4);
  CHECK(ui::tried_text(*ui::tried_for(session, "L1").back()).find("KiB") != std::string::npos);
}

TEST_CASE("Where shapes of DRAM reads were searched, the level curve's points are none of them") {
  engine::Session session = test::roofs_session();
  engine::Point shaped = *ui::tried_for(session, "DRAM read").front();
  shaped.what.shape = {{"prefetch", "none"}};
  session.points.push_back(shaped);
  CHECK(ui::tried_for(session, "DRAM read").size() == 1);
  // Those on zeros belong to the roof on zeros.
  session.points.back().what.data = kernels::Data::zeros;
  CHECK(ui::tried_for(session, "DRAM read").size() == 4);
  CHECK(ui::tried_for(session, "DRAM read, zeros").size() == 1);
}

TEST_CASE("Reads that came from DRAM belong to it, however large the cache is said to be") {
  kernels::DeviceInfo device;
  device.kind = "cpu";
  device.l3_bytes = 480e6;
  engine::Point point;
  point.lab = "roofs";
  point.what = {.family = kernels::Family::stream, .ops = kernels::Op::read, .elements = 64 << 20};
  point.cold = true;
  CHECK(ui::roof_tried_for(device, point) == "DRAM read");
  point.cold = false;
  CHECK(ui::roof_tried_for(device, point) == "L3");
}

TEST_CASE("The interval of a launch goes from the shortest to the longest, of a rate upwards") {
  engine::Session session = test::roofs_session();
  for (engine::Roof& roof : session.roofs) {
    roof.rate_low = 0.5 * roof.rate;
    roof.rate_high = 2 * roof.rate;
  }
  const auto rows = ui::roof_rows(session);
  CHECK(ui::interval_text(row_named(rows, "launch")) == "100 ns to 400 ns");
  CHECK(ui::interval_text(row_named(rows, "L1")) == "400 GB/s to 1.60 TB/s");
  CHECK(ui::spread_text(row_named(rows, "L1")) == "±100 %");
  session.roofs.front().rate_low = session.roofs.front().rate_high = 0;
  CHECK(ui::spread_text(row_named(ui::roof_rows(session), session.roofs.front().name)) == "-");
  session.roofs.front().disturbed = true;
  CHECK(ui::spread_text(row_named(ui::roof_rows(session), session.roofs.front().name)) ==
        "disturbed");
  engine::Roof launch;
  launch.kind = engine::RoofKind::overhead;
  launch.rate = 1 / 200e-9;
  launch.rate_low = 1 / 400e-9;
  launch.rate_high = 1 / 190e-9;
  CHECK(engine::reach_of(launch) == doctest::Approx(1));  // 400 ns is 100 % above 200 ns
  launch.kind = engine::RoofKind::bandwidth;
  CHECK(engine::reach_of(launch) == doctest::Approx(0.5));
}

TEST_CASE("A library's product of a dtype without matrix units compares with its FMA peak") {
  engine::Session session = test::gpu_session();
  engine::Roof library = test::compute(kernels::Dtype::fp32, kernels::Units::matrix, 50e12);
  library.name = "fp32 library";
  session.roofs.push_back(library);
  library.name = "fp32 FMA, zeros";
  session.roofs.push_back(library);
  const auto rows = ui::roof_rows(session);
  CHECK(row_named(rows, "fp32 library").stated == 66.9e12);
  CHECK(row_named(rows, "fp32 FMA, zeros").stated == 66.9e12);
}

TEST_CASE("Points of roofs are launches, products of a library and shared memory too") {
  const kernels::DeviceInfo device;
  engine::Point point;
  point.lab = "roofs";
  point.cold = false;
  const auto named = [&](const kernels::Case& what) {
    point.what = what;
    return ui::roof_tried_for(device, point);
  };
  using kernels::Family;
  CHECK(named({.family = Family::launch, .ops = kernels::Op::none}) == "launch");
  CHECK(
      named({.family = Family::launch, .ops = kernels::Op::none, .shape = {{"launch", "graph"}}}) ==
      "launch graph");
  CHECK(named({.family = Family::stream, .ops = kernels::Op::shared}) == "shared");
  CHECK(named({.family = Family::stream, .ops = kernels::Op::triad, .elements = 1 << 20}) ==
        "DRAM triad");
  CHECK(named({.family = Family::peak, .ops = kernels::Op::mul_add}) == "fp32 mul+add");
  CHECK(named({.family = Family::peak, .ops = kernels::Op::mma, .units = kernels::Units::matrix}) ==
        "fp32 matrix");
  CHECK(
      named({.family = Family::peak, .ops = kernels::Op::gemm, .units = kernels::Units::matrix}) ==
      "fp32 library");
  CHECK(named({.family = Family::chain}) == "");
}

TEST_CASE("The memory levels rise over the working set, capacities and plateaus are named") {
  const engine::Session session = test::roofs_session();
  const plot::Figure figure = figure_of({&session}, test::chart("levels"), {});
  REQUIRE(figure.series.size() == 1);
  const plot::Points& curve = *figure.series[0].points;
  CHECK(curve.x.size() == 16);
  CHECK(std::ranges::is_sorted(curve.x));
  CHECK(curve.x.front() == 16 * 1024);
  CHECK(curve.y.front() == doctest::Approx(800e9));
  std::vector<std::string> guides, plateaus;
  for (const plot::Guide& guide : figure.guides) guides.push_back(guide.label);
  for (const plot::Roof& roof : figure.roofs) plateaus.push_back(roof.label);
  CHECK(guides == std::vector<std::string>{"L1 2 × 32 KiB", "L2 2 × 1 MiB", "L3 32 MiB"});
  CHECK(plateaus == std::vector<std::string>{"L1 800 GB/s", "L2 390 GB/s", "L3 150 GB/s",
                                             "DRAM read 40.0 GB/s"});
  CHECK(figure.x.unit == "B");
  CHECK(figure.empty_text.empty());
}

TEST_CASE(
    "Level curves beside others are named by device, else by date or number, and can be hidden") {
  const engine::Session none = test::gpu_session();
  const engine::Session session = test::roofs_session();
  engine::Session later = session;
  later.created = "2026-11-22T10:00:00Z";
  const auto names = [](const plot::Figure& figure) {
    std::vector<std::string> found;
    for (const plot::Series& series : figure.series) found.push_back(series.name);
    return found;
  };
  CHECK(names(figure_of({&session}, test::chart("levels"), {})) == std::vector<std::string>{""});
  CHECK(names(figure_of({&none, &session}, test::chart("levels"), {})) ==
        std::vector<std::string>{""});  // the only curve
  const std::vector<std::string> dates{"2026-11-21 10:00 UTC", "2026-11-22 10:00 UTC"};
  CHECK(names(figure_of({&session, &later}, test::chart("levels"), {})) == dates);
  const engine::Session copy = later;
  const plot::Figure twice = figure_of({&later, &copy}, test::chart("levels"), {});
  CHECK(names(twice) == std::vector<std::string>{"session 1", "session 2"});
  ui::View view;
  view.hidden.insert(twice.series.at(0).id);
  const plot::Figure hidden = figure_of({&later, &copy}, test::chart("levels"), view);
  CHECK(hidden.series.at(0).hidden);
  CHECK_FALSE(hidden.series.at(1).hidden);
}

TEST_CASE("Short labels of roofs name their device, too, where there are two") {
  const engine::Session cpu = test::cpu_session(), gpu = test::gpu_session();
  for (const plot::Roof& roof : figure_of({&cpu, &gpu}, test::chart("flops"), {}).roofs) {
    if (roof.short_label.empty()) continue;
    CHECK(roof.label.starts_with(roof.short_label.substr(0, roof.short_label.find(':') + 1)));
    CHECK(roof.short_label.find(": ") != std::string::npos);
  }
}

TEST_CASE("Without a level curve the panel says how to get one") {
  const engine::Session session = test::cpu_session();
  const plot::Figure figure = figure_of({&session}, test::chart("levels"), {});
  CHECK(figure.empty_text.find("--lab roofs") != std::string::npos);
  CHECK_FALSE(ui::has_points(session, test::chart("levels")));
}

TEST_CASE("Points of roofs never show among those of a sweep") {
  engine::Session session = test::roofs_session();
  engine::Point chain = test::point_at_roofs(session, {.elements = 1 << 26, .repeat = 8}, 0.9);
  chain.lab = "roofs";
  session.points.push_back(chain);
  for (const engine::Chart& panel : test::sweep_charts()) {
    CHECK(figure_of({&session}, panel, {}).series.empty());
    CHECK_FALSE(figure_of({&session}, panel, {}).empty_text.empty());
  }
}

TEST_CASE("A page shows the levels where a session has them, beside the sweep or the roofline") {
  engine::Session session = test::roofs_session();
  const auto titles_of = [&] {
    std::vector<std::string> titles;
    for (const plot::Figure& figure : page_of({&session}, {}, {}).figures) {
      titles.push_back(figure.title);
    }
    return titles;
  };
  CHECK(titles_of() == std::vector<std::string>{"Roofline", "Memory levels"});
  session.points.push_back(test::point_at_roofs(session, {.elements = 1 << 26, .repeat = 8}, 0.9));
  CHECK(titles_of().size() == 5);
  CHECK(titles_of().back() == "Memory levels");
}

TEST_CASE("A roofline draws DRAM copy and the roofs of what is shown; the rest when asked for") {
  engine::Session session = test::roofs_session();
  session.points.push_back(test::point_at_roofs(session, {.elements = 1 << 26, .repeat = 8}, 0.9));
  ui::View view;
  const plot::Figure figure = figure_of({&session}, test::chart("roofline"), view);
  CHECK(draws(figure, "DRAM copy"));
  CHECK(draws(figure, "fp32 FMA"));
  for (const char* other : {"DRAM read", "L1", "L2", "L3", "fp32 mul+add", "bf16 matrix"}) {
    CAPTURE(other);
    CHECK_FALSE(draws(figure, other));
    CHECK_FALSE(ui::draws_roof(session, other, view));
  }
  view.roofs = {{"L2", true}, {"fp32 FMA", false}, {"fp32 mul+add", true}};
  const plot::Figure chosen = figure_of({&session}, test::chart("roofline"), view);
  CHECK(draws(chosen, "L2"));
  CHECK(draws(chosen, "fp32 mul+add"));
  CHECK(draws(chosen, "DRAM copy"));
  CHECK_FALSE(draws(chosen, "fp32 FMA"));
}

TEST_CASE("Of two files of one device with other element types each brings its own roof") {
  engine::Session first = test::cpu_session(), second = first;
  const auto keep = [](engine::Session& session, kernels::Dtype dtype) {
    std::erase_if(session.points, [&](const auto& point) { return point.what.dtype != dtype; });
    std::erase_if(session.roofs,
                  [&](const auto& roof) { return roof.dtype.value_or(dtype) != dtype; });
  };
  keep(first, kernels::Dtype::fp32);
  keep(second, kernels::Dtype::bf16);
  const plot::Figure figure = figure_of({&first, &second}, test::chart("roofline"), {});
  CHECK(draws(figure, "fp32 FMA"));
  CHECK(draws(figure, "bf16 FMA"));
  CHECK(std::ranges::count(figure.roofs, plot::Dash::solid, &plot::Roof::dash) >= 3);
}

TEST_CASE("What matrix units sustain is a line of its own below their roof") {
  engine::Session session = test::roofs_session();
  const auto roof = std::ranges::find(session.roofs, "bf16 matrix", &engine::Roof::name);
  REQUIRE(roof != session.roofs.end());
  ui::View view;
  view.roofs = {{"bf16 matrix", true}};
  const auto line_of = [&] {
    const plot::Figure figure = figure_of({&session}, test::chart("roofline"), view);
    const auto found = std::ranges::find_if(figure.roofs, [](const plot::Roof& line) {
      return line.label.starts_with("bf16 matrix sustained");
    });
    return found == figure.roofs.end() ? plot::Roof{} : *found;
  };
  CHECK(line_of().y.empty());
  roof->sustained = roof->rate / 2;
  CHECK(line_of().thin);
  CHECK(line_of().y == std::vector{roof->sustained, roof->sustained});
}

TEST_CASE("Before any point, the slider's case says which compute roof is drawn") {
  const engine::Session session = test::roofs_session();
  ui::View view;
  CHECK(ui::draws_roof(session, "bf16 matrix", view));
  CHECK_FALSE(ui::draws_roof(session, "fp32 mul+add", view));
  view.cursor = kernels::Case{.elements = 1 << 26};
  CHECK(ui::draws_roof(session, "fp32 FMA", view));
  CHECK_FALSE(ui::draws_roof(session, "bf16 matrix", view));
}

TEST_CASE("A point that was throttled, disturbed or is noisy says so and looks doubtful") {
  engine::Session session = test::cpu_session();
  const auto flags = [&](std::size_t i) { return ui::flags_of(session, session.points[i]); };
  CHECK(flags(0).empty());
  session.points[0].conditions.throttled = true;
  session.points[1].disturbed = true;
  session.points[2].seconds.high = 2 * session.points[2].seconds.median;
  CHECK(flags(0).starts_with("heat or the power supply held the clock"));
  CHECK(flags(1) == "other work used the device");
  CHECK(flags(2) == "its 95 % interval is ±100 %");
  session.points[3].discarded = 3;  // what was left out does not count
  const plot::Figure figure = figure_of({&session}, test::chart("flops"), {});
  const std::vector<char>& flagged = figure.series.front().points->flagged;
  REQUIRE(flagged.size() > 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(flagged[i]);
  REQUIRE(figure.keys.size() == 1);
  CHECK(figure.keys[0].text == ui::doubtful_text);
  CHECK_FALSE(flagged[3]);
  session.points[3].disturbed = session.points[3].probe = true;  // a mark, which has no outline
  CHECK(page_of({&session}, {}, {})
            .caption.at(1)
            .find(", 3 doubtful (dashed outline): disturbed, noisy, throttled") !=
        std::string::npos);
}

TEST_CASE("Rates per clock and core need a clock and a number of cores") {
  kernels::DeviceInfo device;
  kernels::Conditions conditions;
  CHECK(ui::per_clock_per_core(1e12, conditions, device) == 0);
  device.multiprocessors = 4;
  CHECK(ui::per_clock_per_core(1e12, conditions, device) == 0);
  conditions.clock_hz = 2e9;
  CHECK(ui::per_clock_per_core(1e12, conditions, device) == 125);
  CHECK(ui::per_clock_text(1e12, "FLOP", conditions, device) == "125 FLOP/clk/core");
  device.kind = "cuda";
  CHECK(ui::per_clock_text(1e12, "B", conditions, device) == "125 B/clk/SM");
}

TEST_CASE("A series measured on zeros is named so") {
  engine::Point point;
  point.what.data = kernels::Data::zeros;
  CHECK(ui::series_name(point) == "fp32 fused zeros");
}

TEST_CASE("one op is no ops") {
  CHECK(ui::ops_text(1) == "1 op");
  CHECK(ui::ops_text(64) == "64 ops");
}

TEST_CASE(
    "Each line of products has the roof that bounds it: ours mma.sync, a library's that of the "
    "units") {
  using kernels::By, kernels::Dtype, kernels::Units;
  engine::Session session;
  session.device.kind = "cuda";
  session.device.name = "NVIDIA H200";
  session.roofs = {test::bandwidth("DRAM copy", 4.05e12),
                   test::compute(Dtype::bf16, Units::matrix, 955e12)};
  engine::Roof sync = test::compute(Dtype::bf16, Units::matrix, 643e12);
  sync.name = "bf16 mma.sync";
  session.roofs.push_back(sync);
  for (const By by : {By::own, By::library}) {
    for (const std::uint64_t n : {1024, 8192}) {
      engine::Point point;
      point.lab = "matmul";
      point.what =
          kernels::matmul_case(Dtype::bf16, Units::matrix, {n, n, n}, kernels::Data::random, by);
      point.work = kernels::work_of(point.what);
      point.seconds.median = point.work.flops / (by == By::library ? 776e12 : 278e12);
      session.points.push_back(point);
    }
  }
  for (const char* const id : {"matmul", "matmul-roofline"}) {
    const plot::Figure figure = figure_of({&session}, test::chart(id), {});
    CAPTURE(id);
    CHECK(draws(figure, "bf16 mma.sync"));
    CHECK(draws(figure, "bf16 matrix"));
  }
}
