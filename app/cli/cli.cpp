#include "app/cli/cli.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "app/cli/arguments.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/program_name.hpp"
#include "app/cli/suggest.hpp"
#include "app/output/progress_bar.hpp"
#include "app/output/signals.hpp"
#include "app/window/gui.hpp"
#include "engine/session/session_file.hpp"
#include "kernels/units.hpp"

namespace app {
namespace {

struct Command {
  std::string_view name;
  Exit (*run)(const Arguments&, Output&);
};
constexpr Command commands[] = {
    {"sweep", [](const Arguments& a, Output& o) { return sweep_command(a.sweep, o); }},
    {"plot", [](const Arguments& a, Output& o) { return plot_command(a.plot, o); }},
    {"explain", [](const Arguments& a, Output& o) { return explain_command(a.explain, o); }},
    {"compare", [](const Arguments& a, Output& o) { return compare_command(a.compare, o); }},
    {"devices", [](const Arguments& a, Output& o) { return devices_command(a.devices_json, o); }},
    {"tour", [](const Arguments& a, Output& o) { return tour_command(a.tour, o); }},
    {"watch", [](const Arguments& a, Output& o) { return watch_command(a.sweep, o); }},
};

/// A word that is meant as a command would be reported as a missing file otherwise.
void refuse_unknown_command(const std::string& word) {
  const bool looks_like_file = word.find_first_of("./") != std::string::npos;
  if (looks_like_file || std::filesystem::exists(word)) return;
  std::vector<std::string> known;
  for (const Command& command : commands) known.emplace_back(command.name);
  throw Failure(Exit::usage,
                fmt::format("'{}' is neither a command nor a session file{}; expected {} or "
                            "SESSION.json",
                            word, did_you_mean(word, known), fmt::join(known, ", ")));
}

double speed_of(const std::string& text) {
  const std::optional<double> speed = units::parse_number(text);
  if (speed && *speed > 0) return *speed;
  throw Failure(Exit::usage,
                fmt::format("--speed {}: expected a number above 0, such as 1 or 10", text));
}

Exit gui_command(const Arguments& arguments) {
  GuiOptions options;
  options.program = own_words_to_start();
  if (arguments.replay) {
    options.replay = {engine::load_session(*arguments.replay), speed_of(arguments.speed)};
  }
  for (const std::string& path : arguments.sessions) {
    refuse_unknown_command(path);
    options.sessions.push_back({path, engine::load_session(path)});
  }
  return run_gui(options);
}

Exit dispatch(int argc, char** argv) {
  const Arguments arguments = parse_arguments(argc, argv);
  Output output;
  if (!arguments.text.empty()) {
    output.say(arguments.text);
    return output.finish();
  }
  if (arguments.command.empty()) return gui_command(arguments);
  const auto command = std::ranges::find(commands, arguments.command, &Command::name);
  if (command == std::end(commands)) throw std::logic_error(arguments.command);  // lacks its row
  return command->run(arguments, output);
}

Exit report(Exit code, std::string_view sentence) {
  Console().say(sentence);
  return code;
}

Exit run_reporting_errors(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const Failure& failure) {
    return report(failure.code, failure.what());
  } catch (const engine::BadInput& problem) {
    return report(Exit::usage, problem.what());
  } catch (const std::bad_alloc&) {
    return report(Exit::failed, "out of memory; close other programs or use fewer --elements");
  } catch (const std::system_error& problem) {
    const bool threads = problem.code() == std::errc::resource_unavailable_try_again;
    return report(Exit::failed, fmt::format("{}{}", problem.what(),
                                            threads ? ": no thread can be started; raise the limit "
                                                      "(ulimit -u, ulimit -v, pids.max)"
                                                    : ""));
  } catch (const std::exception& problem) {
    return report(Exit::failed, problem.what());
  }
}

/// The C library reserves 64 MiB of addresses for each thread that allocates: where they are
/// limited (`ulimit -v`), the buffers need them.
void spare_addresses() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) mallopt(M_ARENA_MAX, 1);
}

}  // namespace

int run(int argc, char** argv) {
  spare_addresses();
  occupy_standard_streams();
  ignore_write_signals();
  return static_cast<int>(run_reporting_errors(argc, argv));
}

}  // namespace app
