#include "app/cli.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <string_view>

#include "app/arguments.hpp"
#include "app/devices_command.hpp"
#include "app/explain_command.hpp"
#include "app/gui.hpp"
#include "app/plot_command.hpp"
#include "app/program_name.hpp"
#include "app/progress_bar.hpp"
#include "app/signals.hpp"
#include "app/suggest.hpp"
#include "app/sweep_command.hpp"
#include "engine/session_file.hpp"

namespace app {
namespace {

/// A word that is meant as a command would be reported as a missing file otherwise.
void refuse_unknown_command(const std::string& word) {
  const bool looks_like_file = word.find_first_of("./") != std::string::npos;
  if (looks_like_file || std::filesystem::exists(word)) return;
  throw Failure(Exit::usage,
                fmt::format("'{}' is neither a command nor a session file{}; expected sweep, plot, "
                            "explain, devices or SESSION.json",
                            word, did_you_mean(word, command_names())));
}

Exit gui_command(const std::vector<std::string>& sessions) {
  GuiOptions options;
  options.program = own_words_to_start();
  for (const std::string& path : sessions) {
    refuse_unknown_command(path);
    options.sessions.push_back({path, engine::load_session(path)});
  }
  return run_gui(options);
}

Exit write(const std::string& text, Output& output) {
  output.write(text);
  output.finish();
  return Exit::done;
}

Exit dispatch(int argc, char** argv) {
  const Arguments arguments = parse_arguments(argc, argv);
  Output output;
  switch (arguments.command) {
    case Command::text:
      return write(arguments.text, output);
    case Command::gui:
      return gui_command(arguments.sessions);
    case Command::sweep:
      return sweep_command(arguments.sweep, output);
    case Command::plot:
      return plot_command(arguments.plot, output);
    case Command::explain:
      return explain_command(arguments.explain, output);
    case Command::devices:
      return devices_command(arguments.devices_json, output);
  }
  return Exit::usage;
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
  } catch (const engine::CannotWrite& problem) {
    return report(Exit::failed, problem.what());
  } catch (const std::bad_alloc&) {
    return report(Exit::failed, "out of memory; close other programs or ask for fewer --elements");
  } catch (const std::exception& problem) {
    return report(Exit::failed, problem.what());
  }
}

}  // namespace

int run(int argc, char** argv) {
  occupy_standard_streams();
  ignore_write_signals();
  return static_cast<int>(run_reporting_errors(argc, argv));
}

}  // namespace app
