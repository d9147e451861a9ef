#include <doctest/doctest.h>

#include <map>
#include <string>

#include "tests/figures/sample_sessions.hpp"
#include "tests/plot/recording_canvas.hpp"
#include "ui/figures/figures.hpp"
#include "ui/plot/draw.hpp"

namespace {

/// Where the texts of the figure stand.
std::map<std::string, double> standing_texts(const engine::Session& session,
                                             const engine::Chart& panel, std::uint64_t repeat) {
  const kernels::Case at{.elements = session.points.front().what.elements, .repeat = repeat};
  const plot::Figure figure = ui::figure_of({&session}, panel, {.cursor = at});
  test::RecordingCanvas canvas(760, 420);
  std::map<std::string, double> places;
  for (const auto& text : plot::draw(figure, {0, 0, 760, 420}, plot::dark_style(), canvas).texts) {
    places[text.text] = text.box.x + 10000 * text.box.y;
  }
  return places;
}

}  // namespace

TEST_CASE("No other text moves or goes while the slider passes the points of the sweep") {
  for (const engine::Session& session : {test::cpu_session(), test::gpu_session()}) {
    for (const engine::Chart& panel : {test::chart("roofline"), test::chart("runtime"),
                                       test::chart("flops"), test::chart("bandwidth")}) {
      const auto between = standing_texts(session, panel, 3);
      CHECK(between.size() > 4);
      for (const std::uint64_t repeat : {2, 4, 7, 8, 16, 17, 32, 64, 128})
        CHECK(standing_texts(session, panel, repeat) == between);
    }
  }
}
