#include "app/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/exit_codes.hpp"
#include "app/stream.hpp"
#include "app/suggest.hpp"
#include "engine/session.hpp"
#include "engine/spec.hpp"

namespace app {
namespace {

constexpr const char* exit_code_help =
    "Exit codes: 0 done (skipped points are named on standard error); 1 nothing could be measured, "
    "or a\nfile could not be written; 2 bad usage or bad input file; 3 the device asked for is not "
    "there;\n130 interrupted, with what was measured so far saved.";

/// Breaks a sentence at spaces, so that it fits beside CLI11's column of names.
std::string wrapped(std::string text) {
  constexpr std::size_t columns = 70;
  for (std::size_t begin = 0; text.size() - begin > columns;) {
    const std::size_t space = text.rfind(' ', begin + columns);
    if (space == std::string::npos || space <= begin) break;
    text[space] = '\n';
    begin = space + 1;
  }
  return text;
}

std::string version_text() {
  const engine::AppInfo app = engine::app_info();
  return fmt::format("ridgepoint {} (commit {}, {}, {})\n", app.version,
                     app.commit.empty() ? "unknown" : app.commit, app.compiler,
                     app.cuda.empty() ? "without CUDA" : "CUDA " + app.cuda);
}

std::string preset_help() {
  std::string text = "What the picture is for, which sets its size and type:";
  std::string_view mark = " ";
  for (const plot::Preset& preset : plot::presets()) {
    text += fmt::format("{}{} {}", mark, preset.name, preset.help);
    mark = "; ";
  }
  return wrapped(text);
}

void add_picture_options(CLI::App& command, PictureText& picture) {
  command.add_option("--preset", picture.preset, preset_help())
      ->option_text("web|slide|paper|paper-wide [web]");
  command
      .add_option("--size", picture.size,
                  wrapped("Width and height in place of the preset's: pixels, with the presets of "
                          "paper and in .svg and .pdf points"))
      ->option_text("WxH");
  command
      .add_option("--scale", picture.scale,
                  wrapped("Pixels of a .png for each of these; paper has 300 dpi without it"))
      ->option_text("1|2|3|4 [1]");
  command
      .add_option("--theme", picture.theme,
                  wrapped("Colours; bw tells series apart by marker and dash alone"))
      ->option_text("light|dark|bw [light]");
  command
      .add_option(
          "--x-axis", picture.x_axis,
          wrapped("Of the panels over ops per element: the ops, the FLOP/byte, or both, the "
                  "FLOP/byte of fused series above"))
      ->option_text("repeat|intensity|both [repeat]");
  command.add_flag("--transparent", picture.transparent, "No background");
  command.add_flag("--no-caption", picture.no_caption,
                   "No lines below that say what was measured, when and on what");
}

void add_sweep(CLI::App& app, SweepArguments& sweep) {
  CLI::App& command = *app.add_subcommand("sweep", "Run one experiment without a window");
  const engine::Spec defaults;
  for (const engine::Knob& knob : engine::knobs()) {
    const std::string name(knob.name);
    command
        .add_option_function<std::string>(
            "--" + name,
            [&sweep, name](const std::string& text) { sweep.knobs.emplace_back(name, text); },
            wrapped(std::string(knob.help)))
        ->option_text(fmt::format("{} [{}]", knob.metavar, knob.get(defaults)));
  }
  command.add_option("-o,--output", sweep.output, "The session, written after every point")
      ->option_text("FILE.json");
  command.add_option("--csv", sweep.csv, "The points as a table, written at the end")
      ->option_text("FILE.csv");
  command.add_option("--plot", sweep.plot, "A picture of all panels, written at the end")
      ->option_text("FILE.png|.svg|.pdf");
  add_picture_options(command, sweep.picture);
  command.add_flag(
      "--stream", sweep.stream,
      "One JSON object per event on standard output; what is measured again comes again");
  command.add_flag("--remeasure", sweep.remeasure,
                   "With --experiment roofs: search the kernel shapes anew, whatever is cached");
  command.add_flag("--list", sweep.list, "Name the experiments, one sentence each, and end");
  command.footer(
      fmt::format("Times take us, ms, s; counts take k, M, G and Ki, Mi, Gi; a number "
                  "without a unit is SI.\n\n{}\n\n{}",
                  stream_help, exit_code_help));
}

void add_plot(CLI::App& app, PlotArguments& plot) {
  CLI::App& command = *app.add_subcommand("plot", "Draw session files as a picture");
  command.add_option("sessions", plot.sessions, "Session files; the first one's roofs are drawn")
      ->option_text("SESSION.json ...");
  command.add_option("-o,--output", plot.output, "The picture; its ending decides the format")
      ->option_text("FILE.png|.svg|.pdf");
  command.add_option("--panel", plot.picture.panel, "What to draw")
      ->option_text("roofline|runtime|flops|bandwidth|levels|speedup|all [all]");
  command.add_flag("--data", plot.data, "The numbers behind it too, as FILE.csv");
  add_picture_options(command, plot.picture);
}

void add_commands(CLI::App& app, Arguments& arguments) {
  app.set_version_flag("--version", version_text);
  app.add_option("sessions", arguments.sessions, "Session files to open in the window")
      ->option_text("SESSION.json ...");
  app.require_subcommand(0, 1);
  add_sweep(app, arguments.sweep);
  add_plot(app, arguments.plot);
  app.add_subcommand("explain", "Say in words what limits the points of a session")
      ->add_option("session", arguments.explain, "A session file")
      ->option_text("SESSION.json");
  app.add_subcommand("devices", "List every device it can measure, and why others cannot be")
      ->add_flag("--json", arguments.devices_json, "As one JSON object");
  app.footer(fmt::format("Without a command, the desktop window opens.\n\n{}", exit_code_help));
}

/// The command that was typed, or the program itself.
const CLI::App& chosen(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : *commands.front();
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

[[noreturn]] void bad_usage(const CLI::App& command, const std::string& sentence) {
  const bool whole = command.get_parent() == nullptr;
  throw Failure(Exit::usage, fmt::format("{}; see ridgepoint {}--help", sentence,
                                         whole ? "" : command.get_name() + " "));
}

void refuse_extras(const CLI::App& app) {
  const CLI::App& command = chosen(app);
  const std::vector<std::string> extras = app.remaining(true);
  if (extras.empty()) return;
  const std::string& first = extras.front();
  if (first.starts_with("-")) {
    const std::string name = first.substr(0, first.find('='));
    bad_usage(command, fmt::format("there is no option '{}'{}", name,
                                   did_you_mean(name, option_names(command))));
  }
  bad_usage(command, fmt::format("'{}' was not expected here", first));
}

/// CLI11 names the option first: "--repeat: 1 required TEXT missing".
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& problem) {
  const CLI::App& command = chosen(app);
  const std::string what = problem.what();
  const std::string name = what.substr(0, what.find(':'));
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_name() != name) continue;
    const bool repeated = option->count() > 1;
    bad_usage(command, repeated ? fmt::format("{} was given more than once: expected one", name)
                                : fmt::format("{} needs a value: expected {}", name,
                                              option->get_option_text()));
  }
  bad_usage(command, what);
}

Command command_of(const CLI::App& app) {
  const std::string& name = chosen(app).get_name();
  if (app.get_subcommands().empty()) return Command::gui;
  if (name == "sweep") return Command::sweep;
  if (name == "plot") return Command::plot;
  return name == "explain" ? Command::explain : Command::devices;
}

void refuse_incomplete(const CLI::App& app, const Arguments& arguments) {
  const CLI::App& command = chosen(app);
  if (arguments.command != Command::gui && !arguments.sessions.empty()) {
    bad_usage(app, fmt::format("'{}' before the command '{}': expected a command first",
                               arguments.sessions.front(), command.get_name()));
  }
  if (arguments.command == Command::plot && arguments.plot.sessions.empty()) {
    bad_usage(command, "plot needs a session: expected SESSION.json ...");
  }
  if (arguments.command == Command::plot && arguments.plot.output.empty()) {
    bad_usage(command, "plot needs --output: expected a file that ends in .png, .svg or .pdf");
  }
  if (arguments.command == Command::explain && arguments.explain.empty()) {
    bad_usage(command, "explain needs a session: expected SESSION.json");
  }
  if (arguments.command != Command::sweep) return;
  for (const char* name : {"--output", "--csv", "--plot"}) {
    const CLI::Option* option = command.get_option(name);
    if (option->count() > 0 && option->as<std::string>().empty()) {
      bad_usage(command, fmt::format("{} is empty: expected a file name", name));
    }
  }
}

}  // namespace

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Ridgepoint: a roofline of this machine, measured", "ridgepoint");
  add_commands(app, arguments);
  app.allow_extras();
  for (CLI::App* command : app.get_subcommands({})) command->allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    arguments.command = Command::text;
    arguments.text = app.help();
    return arguments;
  } catch (const CLI::CallForVersion&) {
    arguments.command = Command::text;
    arguments.text = version_text();
    return arguments;
  } catch (const CLI::ParseError& problem) {
    refuse(app, problem);
  }
  refuse_extras(app);
  arguments.command = command_of(app);
  refuse_incomplete(app, arguments);
  return arguments;
}

std::vector<std::string> command_names() { return {"sweep", "plot", "explain", "devices"}; }

}  // namespace app
