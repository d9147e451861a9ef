// The window's program on a machine that is the same everywhere: its one device is made up, and so
// are the seconds of every run, which pass at once.
#include <cmath>
#include <cstdio>
#include <exception>
#include <stop_token>

#include "app/window/gui.hpp"
#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "tests/engine/fake_device.hpp"
#include "tests/engine/made_up_lab.hpp"

namespace {

/// Rounds off the corner at the ridge, as a real device does.
double rounded_seconds(const kernels::Case& what) {
  const kernels::Work work = kernels::work_of(what);
  const double moving = work.bytes / fake::bandwidth, computing = work.flops / fake::peak;
  constexpr double sharpness = 6;
  const double both =
      std::pow(std::pow(moving, sharpness) + std::pow(computing, sharpness), 1 / sharpness);
  return both + work.launches / fake::launches_per_second;
}

/// So that a sweep ends before its time limit.
constexpr double times_as_fast = 100;

engine::Timing sped_up(fake::Clock& clock) {
  return {
      [&clock] { return clock.now() / times_as_fast; },
      [&clock](double seconds, const std::stop_token&) { clock.pass(times_as_fast * seconds); }};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    // A fixed list: a new lab changes no picture of the window.
    engine::use_labs({engine::find_lab("intensity"), engine::find_lab("roofs"), &fake::few_ops});
    app::GuiOptions options;
    for (int i = 1; i < argc; ++i)
      options.sessions.push_back({argv[i], engine::load_session(argv[i])});
    fake::Clock clock;
    fake::Script script;
    script.seconds = rounded_seconds;
    script.clock = &clock;
    options.open_devices = fake::machine_with(script);
    options.timing = sped_up(clock);
    return static_cast<int>(app::run_gui(options));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
