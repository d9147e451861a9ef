// Panels from the cache against panels drawn anew, to the last vertex: real ImGui frames without a
// window.
#include "ui/views/panel_cache.hpp"

#include <doctest/doctest.h>
#include <imgui.h>

#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/labs/lab.hpp"
#include "tests/figures/sample_sessions.hpp"
#include "tests/model/fake_state.hpp"
#include "tests/screen/headless.hpp"
#include "ui/actions/events.hpp"
#include "ui/views/panel_view.hpp"
#include "ui/widgets/imgui_compat.hpp"

namespace {

void make_fonts(Headless& imgui, float size) {
  ImGui::GetIO().Fonts->Clear();
  ui::Fonts fonts;
  fonts.add({ui::add_builtin_font(size), static_cast<double>(size), false});
  fonts.set_discs(ui::build_texture_with_discs(10));
  imgui.use(std::move(fonts));
}

/// What the user sees and what changes it.
struct Desk {
  Headless imgui{{1200, 800}};
  ui::AppState state = fake::opened({"cpu", "cuda:0"});
  ui::Theme theme = ui::theme_of(1, false);
  plot::Rect all{0, 0, 1200, 800};
  double now = 0;

  Desk() { make_fonts(imgui, 13); }

  /// All panels through this cache: vertices and indices of the frame.
  std::string frame(ui::PanelCache& cache) {
    std::string found;
    imgui.frame([&] { found = draw_panels(cache); });
    return bytes_of(*ImGui::GetDrawData()) + found;
  }

 private:
  /// Returns what the pointer would find here and there.
  std::string draw_panels(ui::PanelCache& cache) {
    ui::UiMap map;
    ui::Ui ui{state, theme, imgui.fonts(), map, cache, {}, now};
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({1200, 800});
    ImGui::Begin("panels", nullptr, ImGuiWindowFlags_NoDecoration);
    state.look.view.cursor = ui::cursor_case(state);
    std::string found;
    double x = all.x;
    const std::vector<engine::Chart> panels = ui::charts_on_screen(state);
    const double w = all.w / static_cast<double>(panels.size());
    const ui::FigureInputs inputs = ui::figure_inputs(state);
    for (const engine::Chart& panel : panels) {
      const ui::Drawn& drawn =
          ui::draw_panel(ui, ui::prepare_panel(ui, inputs, panel), {x, all.y, w, all.h});
      found += found_in(cache, drawn);
      x += w;
    }
    ImGui::End();
    return found;
  }

  std::string found_in(ui::PanelCache& cache, const ui::Drawn& drawn) const {
    const ui::PointMap& points = cache.points(drawn);
    std::string found;
    for (const double share : {0.1, 0.4, 0.7}) {
      const plot::Rect& inside = drawn.layout.plot;
      const auto at = points.nearest({inside.x + share * inside.w, inside.y + inside.h / 2}, 300);
      found += at ? std::to_string(at->session) + ":" + std::to_string(at->point) + " " : "none ";
    }
    return found;
  }

  static std::string bytes_of(const ImDrawData& data) {
    std::string bytes;
    for (int i = 0; i < data.CmdListsCount; ++i) {
      const ImDrawList& list = *data.CmdLists[i];
      bytes.append(reinterpret_cast<const char*>(list.VtxBuffer.Data),
                   static_cast<std::size_t>(list.VtxBuffer.size_in_bytes()));
      bytes.append(reinterpret_cast<const char*>(list.IdxBuffer.Data),
                   static_cast<std::size_t>(list.IdxBuffer.size_in_bytes()));
      for (const ImDrawCmd& command : list.CmdBuffer) {
        bytes.append(reinterpret_cast<const char*>(&command.ClipRect), sizeof(command.ClipRect));
      }
    }
    return bytes;
  }
};

/// A whole number below `end`.
double below(std::mt19937& dice, unsigned end) { return static_cast<double>(dice() % end); }

engine::SheetDevice some_sheet() {
  std::vector<std::string> problems;
  return engine::datasheet_devices(&problems).front();
}

engine::Point random_point(std::mt19937& dice) {
  engine::Point point = fake::point(1 + dice() % 4096, kernels::Fusion(dice() % 2));
  point.run = dice() % 3;
  point.seconds.median *= 1 + 0.01 * below(dice, 100);
  point.probe = dice() % 10 == 0;
  point.disturbed = dice() % 5 == 0;
  if (dice() % 10 == 0) point.status = engine::Status::failed;
  return point;
}

/// One of everything that a user or the worker can do to a panel.
void change(Desk& desk, std::mt19937& dice) {
  ui::AppState& state = desk.state;
  desk.now += 1;
  switch (dice() % 18) {
    case 0:
    case 1:
    case 2:
      ui::apply(state, engine::PointMeasured{1, state.spec.device, random_point(dice)});
      break;
    case 3:
      for (engine::Roof roof : fake::roofs()) {
        roof.rate *= 1 + 0.1 * below(dice, 5);
        ui::apply(state, engine::RoofMeasured{1, state.spec.device, roof});
      }
      break;
    case 4:
      return ui::set_cursor(state, 1 + dice() % 4096, desk.now);
    case 5:
      return ui::set_x_axis(state, ui::XAxis(dice() % 3));
    case 6:
      if (const engine::Session* own = ui::current_session(state); own && !own->points.empty())
        ui::toggle_series(state, {ui::series_id(*own, own->points[dice() % own->points.size()])});
      break;
    case 7:
      state.look.zoom.y[std::string(engine::all_charts()[dice() % 6].id)] = {
          1, 10 + below(dice, 1000)};
      break;
    case 8:
      state.look.zoom = {};
      break;
    case 9:
      return ui::clear(state);
    case 10:
      return ui::undo(state);
    case 11:
      state.documents.opened.push_back({"file", {}});
      for (int i = 0; i < 3; ++i)
        state.documents.opened.back().session.edit().points.push_back(random_point(dice));
      break;
    case 12:
      return ui::set_what_if(state, dice() % 2 == 0 ? std::optional<std::size_t>(0) : std::nullopt);
    case 13:
      ui::show_lab(state, *engine::labs()[dice() % 3]);
      return ui::show_apart(state, dice() % 2 == 0);
    case 14:
      return ui::set_device(state, dice() % 2 == 0 ? "cpu" : "cuda:0", desk.now);
    case 15:
      desk.theme = dice() % 2 == 0 ? ui::theme_of(1, false) : ui::theme_of(1.25F, true);
      break;
    case 16:
      desk.all = {0, 0, 900 + below(dice, 300), 500 + below(dice, 300)};
      make_fonts(desk.imgui, static_cast<float>(12 + dice() % 3));
      break;
    case 17:
      if (!state.documents.opened.empty())
        state.documents.opened.erase(state.documents.opened.begin());
      state.worker.running.sweep = dice() % 2 == 0;
      state.worker.running.lab = dice() % 2 == 0 ? "intensity" : "fma";
      break;
  }
}

}  // namespace

TEST_CASE("after whatever changes, panels from the cache are those that are drawn anew") {
  int same_as_before = 0;
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::mt19937 dice(seed);
    Desk desk;
    desk.state.documents.sheets = {some_sheet()};
    ui::PanelCache kept;
    std::string last;
    for (int step = 0; step < 80; ++step) {
      CAPTURE(seed);
      CAPTURE(step);
      change(desk, dice);
      ui::PanelCache none;
      const std::string cached = desk.frame(kept);
      REQUIRE_FALSE(cached.empty());
      REQUIRE((cached == desk.frame(none)));
      same_as_before += cached == last ? 1 : 0;
      last = cached;
    }
  }
  CHECK(same_as_before < 300);  // even though the view of the roofs shows little of them
}

TEST_CASE("a step of the slider draws no figure again, a changed session does") {
  Desk desk;
  fake::measure(desk.state, {1, 10, 100});
  ui::set_cursor(desk.state, 4, 0);
  ui::PanelCache cache;
  desk.frame(cache);
  double& width = cache.panel(test::chart("flops")).drawn.layout.frame.w;
  const auto drawn_again = [&] {
    width = -1;
    desk.frame(cache);
    return width > 0;
  };
  CHECK_FALSE(drawn_again());
  ui::set_cursor(desk.state, 32, 0);
  CHECK_FALSE(drawn_again());
  desk.state.documents.sessions.at("cpu").edit();
  CHECK(drawn_again());
  desk.state.look.zoom.y["flops"] = {1, 10};
  CHECK(drawn_again());
}

TEST_CASE("a version belongs to one value: copies keep it, edits and moves take it away") {
  ui::Versioned<int> first(1), second(1);
  CHECK(first.version() != second.version());
  ui::Versioned<int> copy = first;
  CHECK(copy.version() == first.version());
  copy.edit() = 2;
  CHECK(copy.version() != first.version());
  const std::uint64_t before = first.version();
  const ui::Versioned<int> moved = std::move(first);
  CHECK(moved.version() == before);
  first = ui::Versioned<int>(3);
  CHECK(first.version() != before);
}
