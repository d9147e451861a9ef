// Pictures of made-up sessions, one line each.
#include "tests/plot/golden.hpp"

#include <doctest/doctest.h>

#include "tests/figures/sample_sessions.hpp"
#include "ui/figures/figures.hpp"

using test::check_golden;
using ui::page_of;
using ui::View;
using ui::XAxis;

namespace {

const plot::Style light = plot::light_style();
const plot::Style dark = plot::dark_style();

/// The CPU's session with the slider at repeat 11 and its point measured.
engine::Session probed() {
  engine::Session session = test::cpu_session();
  engine::Point probe =
      test::point_at_roofs(session, {.elements = std::uint64_t{64} << 20, .repeat = 11}, 0.93);
  probe.probe = true;
  session.points.push_back(probe);
  return session;
}

View slider_at_11() {
  return {.cursor = kernels::Case{.elements = std::uint64_t{64} << 20, .repeat = 11}};
}

/// The window's four plots, with what the slider put there.
std::array<test::Shown, 4> on_screen(const engine::Session& session, const View& view) {
  std::array<test::Shown, 4> shown;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    auto& [figure, overlay] = shown[i];
    figure = figure_of({&session}, test::sweep_charts()[i], view);
    overlay = overlay_of({&session}, test::sweep_charts()[i], view);
    ui::widen_to(figure, overlay);
  }
  return shown;
}

/// Tiles of three dtypes with and without matrix units: many series, few of them alike.
engine::Session crowded() {
  engine::Session session = test::gpu_session();
  for (const kernels::Dtype dtype : {kernels::Dtype::fp16, kernels::Dtype::fp64}) {
    test::add_sweep(session, {.dtype = dtype, .elements = std::uint64_t{1} << 28}, 2, 1024, 0.9);
  }
  return session;
}

/// The CPU's session without its bf16 points.
engine::Session fp32_session() {
  engine::Session session = test::cpu_session();
  std::erase_if(session.points, [](const engine::Point& point) {
    return point.what.dtype == kernels::Dtype::bf16;
  });
  return session;
}

/// So few elements that launching them takes longer than computing them.
engine::Session short_runs() {
  engine::Session session = test::cpu_session();
  session.points.clear();
  session.roofs.push_back(test::launches(5e-6));
  for (const kernels::Fusion fusion : {kernels::Fusion::fused, kernels::Fusion::unfused})
    test::add_sweep(session, {.fusion = fusion, .elements = 10000}, 1, 1024, 0.9);
  return session;
}

/// Three dtypes of one rate, as on many CPUs.
engine::Session equal_roofs() {
  engine::Session session = test::cpu_session();
  for (const kernels::Dtype dtype : {kernels::Dtype::fp16, kernels::Dtype::int32}) {
    session.roofs.push_back(test::compute(dtype, kernels::Units::vector, 236e9));
    test::add_sweep(session, {.dtype = dtype, .elements = std::uint64_t{64} << 20}, 1, 1024, 0.9);
  }
  return session;
}

/// Speed down the ladder of element types, on vector and on matrix units.
engine::Session ladder() {
  engine::Session session = test::gpu_session();
  session.points.clear();
  double seconds = 40e-3;
  for (const kernels::Dtype dtype :
       {kernels::Dtype::fp64, kernels::Dtype::fp32, kernels::Dtype::tf32, kernels::Dtype::bf16}) {
    for (const kernels::Units units : {kernels::Units::vector, kernels::Units::matrix}) {
      engine::Point& point = session.points.emplace_back();
      point.what = {.dtype = dtype, .units = units, .elements = 1 << 28, .repeat = 512};
      point.work = kernels::work_of(point.what);
      point.seconds = {seconds, 0.96 * seconds, 1.07 * seconds, {seconds, seconds}, {}};
      seconds *= 0.72;
    }
  }
  return session;
}

engine::Chart bars() {
  engine::Chart chart{.id = "speed", .title = "Speed", .kind = engine::Kind::bars};
  chart.x = engine::labels::dtype;
  chart.y = engine::metrics::flops;
  chart.series = chart.colour = engine::labels::units;
  return chart;
}

std::optional<engine::Interval> share_of_runtime(const engine::Row& row, std::string_view) {
  double all = 0;
  for (const engine::Point* point : row.all) all += point->seconds.median;
  return engine::Interval{row.point.seconds.median / all};
}

engine::Chart stacked() {
  engine::Chart chart{.id = "shares", .title = "Share of runtime"};
  chart.kind = engine::Kind::stacked_bars;
  chart.x = engine::labels::units;
  chart.y = engine::metrics::share;
  chart.y.title = "Share of runtime";
  chart.y.of = share_of_runtime;
  chart.series = chart.colour = engine::labels::dtype;
  return chart;
}

/// What three streams did, one after the other and side by side.
engine::Session streams() {
  engine::Session session = test::gpu_session();
  session.points.clear();
  for (const char* how : {"serial", "overlapped"}) {
    engine::Point& point = session.points.emplace_back();
    point.label = how;
    point.seconds.median = 3e-3;
    const bool serial = point.label == "serial";
    for (int i = 0; i < 4; ++i) {
      const double begin = (serial ? 2.4e-3 : 1.0e-3) * i;
      point.spans.push_back({"copy in", "host to device", begin, begin + 0.9e-3});
      point.spans.push_back({"compute", "kernel", begin + 0.95e-3, begin + 1.6e-3});
      point.spans.push_back({"copy out", "device to host", begin + 1.65e-3, begin + 2.3e-3});
    }
  }
  return session;
}

engine::Chart lanes() {
  engine::Chart chart{.id = "lanes", .title = "What ran when", .kind = engine::Kind::lanes};
  chart.series = engine::labels::label;
  return chart;
}

plot::PictureSpec preset(const char* name) { return {.preset = plot::preset_named(name)}; }

}  // namespace

// clang-format off
TEST_CASE("All panels of a CPU, on paper") { const auto s = test::cpu_session(); check_golden("cpu_all", page_of({&s}, {}, {}), 1600, 1000, light); }
TEST_CASE("All panels of a GPU, on screen") { const auto s = test::gpu_session(); check_golden("gpu_all", page_of({&s}, {}, {}), 1600, 1000, dark); }
TEST_CASE("The roofline of a CPU") { const auto s = test::cpu_session(); check_golden("cpu_roofline", page_of({&s}, &test::chart("roofline"), {}), 800, 600, light); }
TEST_CASE("The roofline of a GPU") { const auto s = test::gpu_session(); check_golden("gpu_roofline", page_of({&s}, &test::chart("roofline"), {}), 800, 600, light); }
TEST_CASE("Slider and probe through all panels") { const auto s = probed(); check_golden("probe_all", on_screen(s, slider_at_11()), 1600, 1000, dark); }
TEST_CASE("Runtime against FLOP/byte") { const auto s = test::cpu_session(); check_golden("runtime_intensity", page_of({&s}, &test::chart("runtime"), {.x = XAxis::intensity}), 800, 600, light); }
TEST_CASE("FLOP/byte above the plots") { const auto s = fp32_session(); check_golden("axis_above", page_of({&s}, {}, {.x = XAxis::both}), 1600, 1000, light); }
TEST_CASE("FLOP/byte above a plot in a column") { const auto s = fp32_session(); check_golden("paper_axis_above", page_of({&s}, &test::chart("runtime"), {.x = XAxis::both}), preset("paper")); }
TEST_CASE("Launch overhead") { const auto s = short_runs(); check_golden("overhead", page_of({&s}, &test::chart("runtime"), {}), 800, 600, light); }
TEST_CASE("Launch overhead in a column") { const auto s = short_runs(); check_golden("paper_overhead", page_of({&s}, &test::chart("runtime"), {}), preset("paper")); }
TEST_CASE("Roofs on one another") { const auto s = equal_roofs(); check_golden("equal_roofs", page_of({&s}, &test::chart("roofline"), {}), 800, 600, dark); }
TEST_CASE("Two devices in one roofline") { const auto g = test::gpu_session(), c = test::cpu_session(); check_golden("two_devices", page_of({&g, &c}, &test::chart("roofline"), {}), 1200, 800, light); }
TEST_CASE("A hidden series and no datasheet roofs") { const auto s = test::gpu_session(); check_golden("hidden", page_of({&s}, &test::chart("flops"), {.hidden = {ui::series_id(s, s.points.front())}, .datasheet_roofs = false}), 800, 600, dark); }
TEST_CASE("Memory levels") { const auto s = test::roofs_session(); check_golden("levels", page_of({&s}, &test::chart("levels"), {}), 1000, 600, light); }
TEST_CASE("Roofs and levels of a device, throttled points") { auto s = test::roofs_session(); test::add_sweep(s, {.elements = 1 << 26}, 1, 1024, 0.95); s.points.back().conditions.throttled = true; check_golden("levels_all", page_of({&s}, {}, {}), 1600, 1000, dark); }
TEST_CASE("A thumbnail") { const auto s = test::cpu_session(); check_golden("thumbnail", page_of({&s}, &test::chart("roofline"), {}), 200, 120, light); }
TEST_CASE("A device that has not measured anything yet") { engine::Session s; s.device.name = "AMD EPYC 9B14"; check_golden("empty", page_of({&s}, {}, {}), 1600, 1000, dark); }
TEST_CASE("Roofs before the first point") { auto s = test::cpu_session(); s.points.clear(); check_golden("roofs_only", page_of({&s}, {}, {}), 1600, 1000, light); }
TEST_CASE("A column of a paper") { const auto s = test::cpu_session(); check_golden("paper", page_of({&s}, &test::chart("roofline"), {}), preset("paper")); }
TEST_CASE("All panels in a column of a paper") { const auto s = test::cpu_session(); check_golden("paper_all", page_of({&s}, {}, {}), preset("paper")); }
TEST_CASE("The width of a paper") { const auto s = test::gpu_session(); check_golden("paper_wide", page_of({&s}, {}, {}), preset("paper-wide")); }
TEST_CASE("A slide") { const auto s = test::gpu_session(); check_golden("slide", page_of({&s}, &test::chart("roofline"), {}), preset("slide")); }
TEST_CASE("A dark slide of all panels") { const auto s = test::cpu_session(); auto p = preset("slide"); p.theme = plot::Theme::dark; check_golden("slide_dark", page_of({&s}, {}, {}), p); }
TEST_CASE("The web, without a word") { const auto s = test::gpu_session(); check_golden("web", page_of({&s}, &test::chart("flops"), {}), preset("web")); }
TEST_CASE("Black and white") { const auto s = test::cpu_session(); auto p = preset("paper"); p.theme = plot::Theme::bw; check_golden("bw_paper", page_of({&s}, &test::chart("flops"), {}), p); }
TEST_CASE("Many series in black and white") { const auto s = crowded(); auto p = preset("web"); p.theme = plot::Theme::bw; check_golden("bw_crowded", page_of({&s}, {}, {}), p); }
TEST_CASE("Without its caption") { const auto s = test::cpu_session(); auto p = preset("web"); p.caption = false; check_golden("no_caption", page_of({&s}, &test::chart("roofline"), {}), p); }
TEST_CASE("Transparent") { const auto s = test::cpu_session(); auto p = preset("web"); p.transparent = true; p.theme = plot::Theme::dark; check_golden("transparent", page_of({&s}, &test::chart("runtime"), {}), p); }
TEST_CASE("A preset at a size of its own") { const auto s = test::cpu_session(); auto p = preset("paper"); p.size = {400, 300}; check_golden("paper_sized", page_of({&s}, &test::chart("bandwidth"), {}), p); }
TEST_CASE("A caption of many sessions in a column") { const auto g = test::gpu_session(), c = test::cpu_session(), r = test::roofs_session(); check_golden("paper_three", page_of({&g, &c, &r}, &test::chart("roofline"), {}), preset("paper")); }
TEST_CASE("Memory levels in a column") { const auto s = test::roofs_session(); check_golden("paper_levels", page_of({&s}, &test::chart("levels"), {}), preset("paper")); }
TEST_CASE("Bars") { const auto s = ladder(); const auto c = bars(); check_golden("bars", page_of({&s}, &c, {}), 800, 600, light); }
TEST_CASE("Bars in the dark") { const auto s = ladder(); const auto c = bars(); check_golden("bars_dark", page_of({&s}, &c, {}), 800, 600, dark); }
TEST_CASE("Stacked bars") { const auto s = ladder(); const auto c = stacked(); check_golden("stacked_bars", page_of({&s}, &c, {}), 800, 600, light); }
TEST_CASE("Lanes") { const auto s = streams(); const auto c = lanes(); check_golden("lanes", page_of({&s}, &c, {}), 1000, 500, light); }
TEST_CASE("Lanes in the dark") { const auto s = streams(); const auto c = lanes(); check_golden("lanes_dark", page_of({&s}, &c, {}), 1000, 500, dark); }
// clang-format on
