#include <doctest/doctest.h>

#include <map>
#include <string>

#include "tests/plot/recording_canvas.hpp"
#include "tests/plot/sample_sessions.hpp"
#include "ui/figures.hpp"
#include "ui/plot/draw.hpp"

namespace {

using ui::Panel;

/// Where the texts stand that do not belong to the slider.
std::map<std::string, double> standing_texts(const engine::Session& session, Panel panel,
                                             std::uint64_t repeat) {
  const kernels::Case at{.elements = session.points.front().what.elements, .repeat = repeat};
  const plot::Figure figure = ui::figure_of({&session}, panel, {.cursor = at});
  test::RecordingCanvas canvas(760, 420);
  std::map<std::string, double> places;
  for (const auto& text : plot::draw(figure, {0, 0, 760, 420}, plot::dark_style(), canvas).texts) {
    bool own = figure.cursor && text.text == figure.cursor->label;
    for (const plot::Mark& mark : figure.marks) {
      const bool of_slider =
          mark.kind == plot::Mark::Kind::probe || mark.kind == plot::Mark::Kind::predicted;
      own = own || (of_slider && (text.text == mark.label || text.text == mark.short_label));
    }
    if (!own) places[text.text] = text.box.x + 10000 * text.box.y;
  }
  return places;
}

}  // namespace

TEST_CASE("No other text moves or goes while the slider passes the points of the sweep") {
  for (const engine::Session& session : {test::cpu_session(), test::gpu_session()}) {
    for (const Panel panel : {Panel::roofline, Panel::runtime, Panel::flops, Panel::bandwidth}) {
      const auto between = standing_texts(session, panel, 3);
      CHECK(between.size() > 4);
      for (const std::uint64_t repeat : {2, 4, 7, 8, 16, 17, 32, 64, 128})
        CHECK(standing_texts(session, panel, repeat) == between);
    }
  }
}
