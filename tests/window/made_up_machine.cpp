// The window's program on a machine that is the same everywhere: its one device is made up, and so
// are the seconds of every run.
#include <cmath>
#include <cstdio>
#include <exception>

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

}  // namespace

int main(int argc, char** argv) {
  try {
    // A fixed list: a new lab changes no picture of the window.
    engine::use_labs({engine::find_lab("intensity"), engine::find_lab("roofs"), &fake::few_ops});
    app::GuiOptions options;
    for (int i = 1; i < argc; ++i)
      options.sessions.push_back({argv[i], engine::load_session(argv[i])});
    fake::Script script;
    script.seconds = rounded_seconds;
    options.open_devices = fake::machine_with(script);
    return static_cast<int>(app::run_gui(options));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
