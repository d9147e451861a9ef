// Figures of the real window, not tests: `cmake --build BUILD --target window_bench_run`. The times
// include what xdotool and the file that tells the state need, a few milliseconds.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/files.hpp"
#include "tests/window/shared.hpp"

using nlohmann::json;

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void print(const char* what, std::vector<double> values, const char* unit) {
  std::sort(values.begin(), values.end());
  std::printf("%-44s median %8.1f %s, %0.1f to %0.1f, %zu times\n", what, values[values.size() / 2],
              unit, values.front(), values.back(), values.size());
}

/// Clock ticks that a process has used, user and system (proc(5), fields 14 and 15 of stat).
long ticks_of(int process) {
  std::istringstream line(tests::read_file("/proc/" + std::to_string(process) + "/stat"));
  std::vector<std::string> fields{std::istream_iterator<std::string>(line), {}};
  return std::stol(fields.at(13)) + std::stol(fields.at(14));
}

}  // namespace

TEST_CASE("start to the first frame") {
  std::vector<double> first, ready;
  for (int i = 0; i < 7; ++i) {
    const TemporaryFolder folder;
    write_small_settings(folder);
    const auto start = Clock::now();
    App app(screen(), folder);
    ready.push_back(milliseconds_since(start));
    first.push_back(app.milliseconds_to_first_frame());
  }
  print("start to first frame", first, "ms");
  print("start to devices opened", ready, "ms");
}

/// The milliseconds from each of `moves` movements of the slider to the frame that shows the new
/// place; `ready` says when the next one may start.
std::vector<double> slider_moves(App& app, int moves, const App::Wanted& ready) {
  const Place slider = app.control("intensity");
  const auto move_to = [&](double share) {
    app.move_to(slider.x + slider.w * share, slider.y + slider.h / 2);
  };
  move_to(0.2);
  app.mouse("mousedown");
  std::vector<double> times;
  for (int i = 0; i < moves; ++i) {
    const json before = app.wait("the time to move", ready);
    const auto start = Clock::now();
    move_to(0.3 + 0.04 * i);  // far enough not to stay on one mark
    app.wait("the moved cursor", [&](const json& map) {
      return map.at("state").at("cursor_repeat") != before.at("state").at("cursor_repeat");
    });
    times.push_back(milliseconds_since(start));
  }
  app.mouse("mouseup");
  return times;
}

TEST_CASE("slider to the redrawn cursor when idle") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app(screen(), folder);
  sweep(app);
  int probes = 0;
  const auto idle = slider_moves(app, 15, [&](const json& map) {
    const json& state = map.at("state");
    if (state.at("probe").get<bool>() || state.at("probes").get<int>() <= probes) return false;
    probes = state.at("probes");
    return true;
  });
  print("slider to the redrawn cursor, idle", idle, "ms");
}

TEST_CASE("slider to the redrawn cursor while a probe runs") {
  const TemporaryFolder folder;
  write_small_settings(folder, {{"spec", {{"elements", "auto"}, {"repeat", "1"}}}});
  App app(screen(), folder);
  const auto probing = slider_moves(
      app, 15, [](const json& map) { return map.at("state").at("probe").get<bool>(); });
  print("slider to the redrawn cursor, while a probe runs", probing, "ms");
}

TEST_CASE("Space to a stopped sweep") {
  std::vector<double> times;
  const TemporaryFolder folder;
  write_small_settings(folder, {{"spec", {{"elements", "auto"}, {"repeat", "1:1024:x2"}}}});
  App app(screen(), folder);
  for (int i = 0; i < 7; ++i) {
    app.key("space");
    app.wait("a running case", [&](const json& map) {
      const json& state = map.at("state");
      return state.at("sweep").get<bool>() && state.at("done").get<int>() > i;
    });
    const auto start = Clock::now();
    app.key("space");
    app.wait("the stop", [](const json& map) { return !map.at("state").at("sweep").get<bool>(); });
    times.push_back(milliseconds_since(start));
  }
  print("Space to a stopped sweep", times, "ms");
}

TEST_CASE("processor time of an idle window") {
  const TemporaryFolder folder;
  write_small_settings(folder);
  App app(screen(), folder);
  sweep(app);
  app.stays_still(1);
  const long before = ticks_of(app.process());
  constexpr double seconds = 10;
  app.stays_still(seconds);
  const double share = static_cast<double>(ticks_of(app.process()) - before) /
                       static_cast<double>(sysconf(_SC_CLK_TCK)) / seconds;
  std::printf("%-44s %.2f %% of one core over %.0f s\n", "idle window", 100 * share, seconds);
}
