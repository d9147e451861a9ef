// Prints what a frame of the window costs the CPU, without OpenGL, beside a frame of Dear ImGui's
// own demo window, and what an export costs: medians of rounds in which all take turns, several
// frames of one and then of the next, as a window draws one frame of a scene after the other. CPU
// time of this thread, so that other programs disturb little.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/session_file.hpp"
#include "engine/statistics.hpp"
#include "tests/bench/draw_scenes.hpp"
#include "ui/plot/picture.hpp"

namespace {

/// One frame or export; told how many came before it.
using Frame = std::function<void(int)>;

struct Rounds {
  int count = 0;
  int in_a_row = 1;  ///< frames or exports of a row before the next one's turn; each is measured
};
constexpr Rounds frame_rounds{15, 5};
constexpr Rounds export_rounds{7, 1};

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Row {
  std::string name;
  Frame frame;
  double goal = 0;  ///< s; 0 = none
  std::vector<double> seconds{};
};

/// The first rounds only warm up.
void measure(std::vector<Row>& rows, Rounds rounds) {
  constexpr int warm_up = 3;
  for (int round = 0; round < warm_up + rounds.count; ++round) {
    for (Row& row : rows) {
      for (int i = 0; i < rounds.in_a_row; ++i) {
        const double start = cpu_seconds();
        row.frame(round * rounds.in_a_row + i);
        if (round >= warm_up) row.seconds.push_back(cpu_seconds() - start);
      }
    }
  }
}

/// Median and least of each row beside its goal, and as a multiple of the yardstick.
void print(const std::string& title, const std::vector<Row>& rows, const Row* yardstick) {
  fmt::print("{:<58} {:>11} {:>11} {:>9}\n", title, "median", "least", "goal");
  for (const Row& row : rows) {
    const double median = engine::median_of(row.seconds);
    const double least = *std::ranges::min_element(row.seconds);
    fmt::print("{:<58} {:8.2f} ms {:8.2f} ms", row.name, 1e3 * median, 1e3 * least);
    const bool has_goal = row.goal > 0;
    fmt::print(" {:>9} {:<6}", has_goal ? fmt::format("<= {:g} ms", 1e3 * row.goal) : "",
               !has_goal            ? ""
               : median <= row.goal ? "kept"
                                    : "MISSED");
    if (yardstick != nullptr)
      fmt::print(" {:8.2f} x demo", median / engine::median_of(yardstick->seconds));
    fmt::print("\n");
  }
}

/// Over the plots, a little further in each frame.
ImVec2 pointer_at(int frame) { return {600.0F + static_cast<float>(frame % 40), 250}; }

Frame moving_pointer(bench::Scene& scene) {
  return [&scene](int i) { scene.frame(pointer_at(i)); };
}

Frame moving_slider(bench::Scene& scene) {
  return [&scene](int i) {
    scene.state.cursor_repeat = 1 + static_cast<std::uint64_t>(i);
    scene.frame({0, 0});
  };
}

Frame panning(bench::Scene& scene) {
  return [&scene](int i) {
    const double low = 1 + 0.01 * (i % 40);
    scene.state.zoom.y[ui::index_of(ui::Panel::flops)] = {1e9 * low, 1e12 * low};
    scene.frame({0, 0});
  };
}

Frame growing(bench::Scene& scene) {
  return [&scene](int i) {
    engine::Session& session = scene.state.opened.front().session.edit();
    session.points.back().seconds.median *= i % 2 == 0 ? 1.01 : 1 / 1.01;
    scene.frame({0, 0});
  };
}

void measure_frames(bench::Screen& screen, const engine::Session& usual) {
  const std::vector<engine::Session> many = bench::long_sweeps(20, 4096, 4);
  const std::vector<engine::Session> most = bench::long_sweeps(20, 50'000, 1);
  const plot::Figure smooth = bench::flops_figure(many);
  const plot::Figure scattered = bench::scattered_figure(20, 4096);
  const plot::Figure million = bench::flops_figure(most);
  std::vector<std::unique_ptr<bench::Scene>> scenes;
  const auto scene = [&](std::vector<engine::Session> sessions) -> bench::Scene& {
    return *scenes.emplace_back(std::make_unique<bench::Scene>(
        bench::Scene{screen, bench::state_with(std::move(sessions)), {}, {}}));
  };
  const std::string hundred = fmt::format("window, {} points", usual.points.size());
  std::vector<Row> rows{
      {"Dear ImGui's demo window",
       [&](int i) { screen.frame(pointer_at(i), [] { ImGui::ShowDemoWindow(); }); }},
      {"one panel drawn anew, 20 x 4096 points", [&](int) { bench::panel_frame(screen, smooth); }},
      {"one panel drawn anew, 20 x 4096 points anywhere",
       [&](int) { bench::panel_frame(screen, scattered); }},
      {"one panel drawn anew, 1,000,000 points", [&](int) { bench::panel_frame(screen, million); }},
      {hundred + ", the pointer moves", moving_pointer(scene({usual})), 1e-3},
      {hundred + ", the slider moves", moving_slider(scene({usual}))},
      {"window, 20 x 4096 points, the pointer moves", moving_pointer(scene(many)), 2e-3},
      {"window, 20 x 4096 points, the slider moves", moving_slider(scene(many)), 2e-3},
      {"window, 20 x 4096 points, a panel is panned", panning(scene(many))},
      {"window, 20 x 4096 points, a point changes", growing(scene(many))},
      {"window, 1,000,000 points, the pointer moves", moving_pointer(scene(most)), 4e-3},
      {"window, 1,000,000 points, the slider moves", moving_slider(scene(most)), 4e-3},
      {"window, 1,000,000 points, a panel is panned", panning(*scenes.back())},
  };
  measure(rows, frame_rounds);
  print(fmt::format("CPU time of one frame without OpenGL, {} rounds of {}", frame_rounds.count,
                    frame_rounds.in_a_row),
        rows, &rows.front());
}

void measure_exports(const engine::Session& usual) {
  const std::vector<engine::Session> many = bench::long_sweeps(20, 4096, 4);
  std::vector<const engine::Session*> all;
  for (const engine::Session& session : many) all.push_back(&session);
  const plot::Page page = ui::page_of({&usual}, std::nullopt, {});
  const plot::Page full = ui::page_of(all, std::nullopt, {});
  const auto exported = [](const plot::Page& what, plot::Format format) -> Frame {
    return [&what, format](int) { plot::render(what, 3840, 2160, plot::light_style(), format); };
  };
  std::vector<Row> rows;
  for (const auto& [format, name, goal] : {std::tuple{plot::Format::png, "PNG 3840 x 2160", 0.5},
                                           {plot::Format::svg, "SVG", 0.2},
                                           {plot::Format::pdf, "PDF", 0.0}}) {
    rows.push_back({fmt::format("{}, four panels of {} points", name, usual.points.size()),
                    exported(page, format), goal});
    rows.push_back(
        {fmt::format("{}, four panels of 20 x 4096 points", name), exported(full, format), goal});
  }
  measure(rows, export_rounds);
  fmt::print("\n");
  print(fmt::format("CPU time of one export, {} rounds", export_rounds.count), rows, nullptr);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const engine::Session usual =
        count > 1 ? engine::load_session(arguments[1]) : bench::usual_sweep();
    bench::Screen screen;
    measure_frames(screen, usual);
    measure_exports(usual);
  } catch (const std::exception& error) {
    fmt::print(stderr, "draw_bench: {}\n", error.what());
    return 1;
  }
}
