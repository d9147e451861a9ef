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

}  // namespace

// clang-format off
TEST_CASE("All panels of a CPU, on paper") { const auto s = test::cpu_session(); check_golden("cpu_all", page_of({&s}, {}, {}), 1600, 1000, light); }
TEST_CASE("All panels of a GPU, on screen") { const auto s = test::gpu_session(); check_golden("gpu_all", page_of({&s}, {}, {}), 1600, 1000, dark); }
TEST_CASE("The roofline of a CPU") { const auto s = test::cpu_session(); check_golden("cpu_roofline", page_of({&s}, Panel::roofline, {}), 800, 600, light); }
TEST_CASE("The roofline of a GPU") { const auto s = test::gpu_session(); check_golden("gpu_roofline", page_of({&s}, Panel::roofline, {}), 800, 600, light); }
TEST_CASE("Slider and probe through all panels") { const auto s = probed(); check_golden("probe_all", page_of({&s}, {}, slider_at_11()), 1600, 1000, dark); }
TEST_CASE("Runtime against FLOP/byte") { const auto s = test::cpu_session(); check_golden("runtime_intensity", page_of({&s}, Panel::runtime, {.x = XAxis::intensity}), 800, 600, light); }
TEST_CASE("Two devices in one roofline") { const auto g = test::gpu_session(), c = test::cpu_session(); check_golden("two_devices", page_of({&g, &c}, Panel::roofline, {}), 1200, 800, light); }
TEST_CASE("A hidden series and no datasheet roofs") { const auto s = test::gpu_session(); check_golden("hidden", page_of({&s}, Panel::flops, {.hidden = {ui::series_id(s, s.points.front())}, .datasheet_roofs = false}), 800, 600, dark); }
TEST_CASE("Memory levels") { const auto s = test::roofs_session(); check_golden("levels", page_of({&s}, Panel::levels, {}), 1000, 600, light); }
TEST_CASE("Roofs and levels of a device, throttled points") { auto s = test::roofs_session(); test::add_sweep(s, {.elements = 1 << 26}, 1, 1024, 0.95); s.points.back().conditions.throttled = true; check_golden("levels_all", page_of({&s}, {}, {}), 1600, 1000, dark); }
TEST_CASE("A thumbnail") { const auto s = test::cpu_session(); check_golden("thumbnail", page_of({&s}, Panel::roofline, {}), 200, 120, light); }
TEST_CASE("A device that has not measured anything yet") { engine::Session s; s.device.name = "AMD EPYC 9B14"; check_golden("empty", page_of({&s}, {}, {}), 1600, 1000, dark); }
TEST_CASE("Roofs before the first point") { auto s = test::cpu_session(); s.points.clear(); check_golden("roofs_only", page_of({&s}, {}, {}), 1600, 1000, light); }
// clang-format on
