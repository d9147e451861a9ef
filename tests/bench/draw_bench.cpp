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

#include "engine/measure/statistics.hpp"
#include "engine/session/session_file.hpp"
#include "tests/bench/draw_scenes.hpp"
#include "ui/actions/intents.hpp"
#include "ui/plot/output/picture.hpp"

namespace {

/// One frame or export; told how many came before it.
using Frame = std::function<void(int)>;

struct Rounds {
  int count = 0;
  int in_a_row = 1;  ///< frames or exports of a row before the next one's turn; each is measured
};
constexpr Rounds frame_rounds{10, 3};
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
    scene.state.cursor_repeat = 1 + static_cast<std::uint64_t>(i % 100);
    scene.frame({0, 0});
  };
}

/// As a drag does it: along both axes, the panels over the same x axis with it.
Frame panning(bench::Scene& scene) {
  return [&scene](int i) {
    const engine::Chart& chart = *engine::find_chart("flops");
    const ui::UiMap::Plot& drawn = scene.map.plots.at(std::string(chart.id));
    const double share = i % 20 < 10 ? 0.01 : -0.01;
    ui::set_range(scene.state, chart, ui::panned({drawn.x.low, drawn.x.high}, share, true),
                  ui::panned({drawn.y.low, drawn.y.high}, share, true));
    scene.frame({0, 0});
  };
}

Frame growing(bench::Scene& scene) {
  return [&scene](int i) {
    engine::Session& session = scene.state.documents.opened.front().session.edit();
    session.points.back().seconds.median *= i % 2 == 0 ? 1.01 : 1 / 1.01;
    scene.frame({0, 0});
  };
}

void measure_frames(bench::Screen& screen, const engine::Session& usual) {
  std::vector<std::unique_ptr<bench::Scene>> scenes;
  std::vector<Row> rows{{"Dear ImGui's demo window", [&](int i) {
                           screen.frame(pointer_at(i), [] { ImGui::ShowDemoWindow(); });
                         }}};
  const auto add = [&](const std::string& name, std::vector<engine::Session> sessions,
                       double slider_goal) {
    bench::Scene& scene = *scenes.emplace_back(std::make_unique<bench::Scene>(
        bench::Scene{screen, bench::state_with(std::move(sessions)), {}, {}}));
    rows.push_back({name + ": the pointer moves", moving_pointer(scene), slider_goal});
    rows.push_back({name + ": the slider moves", moving_slider(scene), slider_goal});
    rows.push_back({name + ": the panels are panned", panning(scene), 16e-3});
    if (!scene.state.documents.opened.empty())
      rows.push_back({name + ": a point changes", growing(scene)});
  };
  add(fmt::format("{} points", usual.points.size()), {usual}, 1e-3);
  add("20 x 1000 points", bench::long_sweeps(20, 1000, 4), 2e-3);
  add("10,000 sessions of 31 points", bench::fleet(10'000), 8e-3);
  measure(rows, frame_rounds);
  print(fmt::format("CPU time of one frame without OpenGL, {} rounds of {}", frame_rounds.count,
                    frame_rounds.in_a_row),
        rows, &rows.front());
}

void measure_exports(const engine::Session& usual) {
  const std::vector<engine::Session> many = bench::long_sweeps(20, 1000, 4);
  std::vector<const engine::Session*> all;
  for (const engine::Session& session : many) all.push_back(&session);
  const plot::Page page = ui::page_of({&usual}, nullptr, {});
  const plot::Page full = ui::page_of(all, nullptr, {});
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
        {fmt::format("{}, four panels of 20 x 1000 points", name), exported(full, format), goal});
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
