// Pictures of made-up sessions, one line each.
#include "tests/plot/golden.hpp"

#include <doctest/doctest.h>

#include "tests/plot/sample_sessions.hpp"
#include "ui/figures.hpp"

using test::check_golden;
using ui::page_of;
using ui::Panel;
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
plot::Page on_screen(const engine::Session& session, const View& view) {
  plot::Page page = page_of({&session}, {}, view);
  REQUIRE(page.figures.size() == ui::sweep_panels.size());
  for (std::size_t i = 0; i < page.figures.size(); ++i)
    page.figures[i] = figure_of({&session}, ui::sweep_panels[i], view);
  return page;
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

plot::PictureSpec preset(const char* name) { return {.preset = plot::preset_named(name)}; }

}  // namespace

// clang-format off
TEST_CASE("All panels of a CPU, on paper") { const auto s = test::cpu_session(); check_golden("cpu_all", page_of({&s}, {}, {}), 1600, 1000, light); }
TEST_CASE("All panels of a GPU, on screen") { const auto s = test::gpu_session(); check_golden("gpu_all", page_of({&s}, {}, {}), 1600, 1000, dark); }
TEST_CASE("The roofline of a CPU") { const auto s = test::cpu_session(); check_golden("cpu_roofline", page_of({&s}, Panel::roofline, {}), 800, 600, light); }
TEST_CASE("The roofline of a GPU") { const auto s = test::gpu_session(); check_golden("gpu_roofline", page_of({&s}, Panel::roofline, {}), 800, 600, light); }
TEST_CASE("Slider and probe through all panels") { const auto s = probed(); check_golden("probe_all", on_screen(s, slider_at_11()), 1600, 1000, dark); }
TEST_CASE("Runtime against FLOP/byte") { const auto s = test::cpu_session(); check_golden("runtime_intensity", page_of({&s}, Panel::runtime, {.x = XAxis::intensity}), 800, 600, light); }
TEST_CASE("FLOP/byte above the plots") { const auto s = fp32_session(); check_golden("axis_above", page_of({&s}, {}, {.x = XAxis::both}), 1600, 1000, light); }
TEST_CASE("FLOP/byte above a plot in a column") { const auto s = fp32_session(); check_golden("paper_axis_above", page_of({&s}, Panel::runtime, {.x = XAxis::both}), preset("paper")); }
TEST_CASE("Launch overhead") { const auto s = short_runs(); check_golden("overhead", page_of({&s}, Panel::runtime, {}), 800, 600, light); }
TEST_CASE("Launch overhead in a column") { const auto s = short_runs(); check_golden("paper_overhead", page_of({&s}, Panel::runtime, {}), preset("paper")); }
TEST_CASE("Roofs on one another") { const auto s = equal_roofs(); check_golden("equal_roofs", page_of({&s}, Panel::roofline, {}), 800, 600, dark); }
TEST_CASE("Two devices in one roofline") { const auto g = test::gpu_session(), c = test::cpu_session(); check_golden("two_devices", page_of({&g, &c}, Panel::roofline, {}), 1200, 800, light); }
TEST_CASE("A hidden series and no datasheet roofs") { const auto s = test::gpu_session(); check_golden("hidden", page_of({&s}, Panel::flops, {.hidden = {ui::series_id(s, s.points.front())}, .datasheet_roofs = false}), 800, 600, dark); }
TEST_CASE("Memory levels") { const auto s = test::roofs_session(); check_golden("levels", page_of({&s}, Panel::levels, {}), 1000, 600, light); }
TEST_CASE("Roofs and levels of a device, throttled points") { auto s = test::roofs_session(); test::add_sweep(s, {.elements = 1 << 26}, 1, 1024, 0.95); s.points.back().conditions.throttled = true; check_golden("levels_all", page_of({&s}, {}, {}), 1600, 1000, dark); }
TEST_CASE("A thumbnail") { const auto s = test::cpu_session(); check_golden("thumbnail", page_of({&s}, Panel::roofline, {}), 200, 120, light); }
TEST_CASE("A device that has not measured anything yet") { engine::Session s; s.device.name = "AMD EPYC 9B14"; check_golden("empty", page_of({&s}, {}, {}), 1600, 1000, dark); }
TEST_CASE("Roofs before the first point") { auto s = test::cpu_session(); s.points.clear(); check_golden("roofs_only", page_of({&s}, {}, {}), 1600, 1000, light); }
TEST_CASE("A column of a paper") { const auto s = test::cpu_session(); check_golden("paper", page_of({&s}, Panel::roofline, {}), preset("paper")); }
TEST_CASE("All panels in a column of a paper") { const auto s = test::cpu_session(); check_golden("paper_all", page_of({&s}, {}, {}), preset("paper")); }
TEST_CASE("The width of a paper") { const auto s = test::gpu_session(); check_golden("paper_wide", page_of({&s}, {}, {}), preset("paper-wide")); }
TEST_CASE("A slide") { const auto s = test::gpu_session(); check_golden("slide", page_of({&s}, Panel::roofline, {}), preset("slide")); }
TEST_CASE("A dark slide of all panels") { const auto s = test::cpu_session(); auto p = preset("slide"); p.theme = plot::Theme::dark; check_golden("slide_dark", page_of({&s}, {}, {}), p); }
TEST_CASE("The web, without a word") { const auto s = test::gpu_session(); check_golden("web", page_of({&s}, Panel::flops, {}), preset("web")); }
TEST_CASE("Black and white") { const auto s = test::cpu_session(); auto p = preset("paper"); p.theme = plot::Theme::bw; check_golden("bw_paper", page_of({&s}, Panel::flops, {}), p); }
TEST_CASE("Many series in black and white") { const auto s = crowded(); auto p = preset("web"); p.theme = plot::Theme::bw; check_golden("bw_crowded", page_of({&s}, {}, {}), p); }
TEST_CASE("Without its caption") { const auto s = test::cpu_session(); auto p = preset("web"); p.caption = false; check_golden("no_caption", page_of({&s}, Panel::roofline, {}), p); }
TEST_CASE("Transparent") { const auto s = test::cpu_session(); auto p = preset("web"); p.transparent = true; p.theme = plot::Theme::dark; check_golden("transparent", page_of({&s}, Panel::runtime, {}), p); }
TEST_CASE("A preset at a size of its own") { const auto s = test::cpu_session(); auto p = preset("paper"); p.size = {400, 300}; check_golden("paper_sized", page_of({&s}, Panel::bandwidth, {}), p); }
TEST_CASE("A caption of many sessions in a column") { const auto g = test::gpu_session(), c = test::cpu_session(), r = test::roofs_session(); check_golden("paper_three", page_of({&g, &c, &r}, Panel::roofline, {}), preset("paper")); }
TEST_CASE("Memory levels in a column") { const auto s = test::roofs_session(); check_golden("paper_levels", page_of({&s}, Panel::levels, {}), preset("paper")); }
// clang-format on
