#include "app/cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "app/cli/exit_codes.hpp"
#include "app/cli/suggest.hpp"
#include "app/output/stream.hpp"
#include "engine/labs/lab.hpp"
#include "engine/session/session.hpp"
#include "engine/spec.hpp"

namespace app {
namespace {

constexpr const char* exit_code_help =
    "Exit codes: 0 done (skipped points are named on standard error); 1 nothing could be measured, "
    "or a\nfile could not be written; 2 bad usage or bad input file; 3 the requested device does "
    "not exist;\n130 interrupted, and what was measured is saved.";

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
  return fmt::format("ridgepoint {} (commit {}, {}, {})\nMIT License, the Ridgepoint authors\n",
                     app.version, app.commit.empty() ? "unknown" : app.commit, app.compiler,
                     app.cuda.empty() ? "without CUDA" : "CUDA " + app.cuda);
}

std::string preset_help() {
  std::vector<std::string> presets;
  for (const plot::Preset& preset : plot::presets())
    presets.push_back(fmt::format("{} {}", preset.name, preset.help));
  return wrapped(fmt::format("What the picture is for; sets its size and font size: {}",
                             fmt::join(presets, "; ")));
}

/// `expected` says what its value looks like.
template <class Value>
void add_text(CLI::App& command, const char* names, Value& value, std::string expected,
              std::string help) {
  command.add_option(names, value, std::move(help))->option_text(std::move(expected));
}

void add_knob(CLI::App& command, SweepArguments& sweep, std::string_view knob, std::string expected,
              std::string_view help) {
  const std::string name(knob);
  const auto keep = [&sweep, name](const std::string& text) {
    sweep.knobs.emplace_back(name, text);
  };
  // The older spelling stays.
  command
      .add_option_function<std::string>(name == "lab" ? "--lab,--experiment" : "--" + name, keep,
                                        wrapped(std::string(help)))
      ->option_text(std::move(expected));
}

/// How a picture looks, whatever it shows.
void add_look_options(CLI::App& command, PictureText& picture) {
  add_text(command, "--preset", picture.preset, "web|slide|paper|paper-wide [web]", preset_help());
  add_text(command, "--size", picture.size, "WxH",
           wrapped("Width and height instead of the preset's: in pixels, or in points for .svg, "
                   ".pdf and the paper presets"));
  add_text(command, "--scale", picture.scale, "1|2|3|4 [1]",
           wrapped("PNG pixels per unit of --size; the paper presets default to 300 dpi"));
  add_text(command, "--theme", picture.theme, "light|dark|bw [light]",
           wrapped("Colours; bw tells series apart by marker and dash only"));
  command.add_flag("--transparent", picture.transparent, "Leave the background transparent");
  command.add_flag("--no-caption", picture.no_caption,
                   "Omit the caption that says what was measured, when and where");
}

void add_picture_options(CLI::App& command, PictureText& picture) {
  add_look_options(command, picture);
  add_text(command, "--x-axis", picture.x_axis, "repeat|intensity|both [repeat]",
           wrapped("X axis of the panels over ops per element: ops, FLOP/byte, or both, with the "
                   "FLOP/byte of fused series on top"));
}

/// What a sweep writes: its session, a table, pictures, its events.
void add_outputs(CLI::App& command, SweepArguments& sweep, const char* session, const char* table,
                 const char* stream) {
  add_text(command, "-o,--output", sweep.output, "FILE.json", session);
  add_text(command, "--csv", sweep.csv, "FILE.csv", table);
  add_text(command, "--plot", sweep.plot, "FILE.png|.svg|.pdf|.html",
           "A picture or page of all panels, written at the end");
  add_picture_options(command, sweep.picture);
  command.add_flag("--stream", sweep.stream, stream);
}

void add_sweep(CLI::App& app, SweepArguments& sweep) {
  CLI::App& command = *app.add_subcommand("sweep", "Run one lab without a window");
  const engine::Spec defaults;
  for (const engine::Knob& knob : engine::knobs()) {
    add_knob(command, sweep, knob.name, fmt::format("{} [{}]", knob.metavar, knob.get(defaults)),
             knob.help);
  }
  for (const engine::LabKnob& knob : engine::further_knobs()) {
    const std::string usual = knob.usual.empty() ? "" : fmt::format(" [{}]", knob.usual);
    add_knob(command, sweep, knob.name,
             knob.kind == engine::LabKnob::Kind::text ? "TEXT" + usual
             : knob.choices.empty()                   ? "N" + usual
                                    : fmt::format("{}{}", fmt::join(knob.choices, "|"), usual),
             knob.help);
  }
  add_outputs(command, sweep, "The session file, written every second and at the end",
              "The points as a table, written at the end",
              "One JSON object per event on standard output; a later event with the same id "
              "replaces the earlier");
  command.add_flag("--remeasure", sweep.remeasure,
                   "With --lab roofs: search the kernel shapes again and ignore the cache");
  command.add_flag("--list", sweep.list, "List the labs: each name, then its question");
  command.footer(
      fmt::format("Suffixes: us, ms, s for times; k, M, G and Ki, Mi, Gi for counts. Plain numbers "
                  "are SI.\n\n{}\n\n{}",
                  stream_help, exit_code_help));
}

void add_plot(CLI::App& app, PlotArguments& plot) {
  CLI::App& command = *app.add_subcommand("plot", "Draw session files as a picture");
  add_text(command, "sessions", plot.sessions, "SESSION.json ...",
           "Session files; the roofs come from the first one");
  add_text(command, "-o,--output", plot.output, "FILE.png|.svg|.pdf|.html",
           "The picture; its extension sets the format. A page of HTML shows values under the "
           "pointer, zooms, and has the numbers as a table");
  std::string charts;
  for (const engine::Chart& chart : engine::all_charts()) charts += fmt::format("{}, ", chart.id);
  add_text(command, "--panel", plot.picture.panel, "CHART [all]",
           wrapped(fmt::format("What to draw: {}or all that have points", charts)));
  command.add_flag("--data", plot.data, "Also write the plotted numbers, as FILE.csv");
  add_picture_options(command, plot.picture);
}

void add_explain(CLI::App& app, ExplainArguments& explain) {
  CLI::App& command =
      *app.add_subcommand("explain", "Say in words what limits the points of a session");
  add_text(command, "session", explain.session, "SESSION.json", "A session file");
  command.add_flag("--markdown", explain.markdown,
                   "As Markdown with tables of points and roofs, to paste into an issue");
}

void add_compare(CLI::App& app, CompareArguments& compare) {
  CLI::App& command = *app.add_subcommand(
      "compare", "Say how much faster or slower B is than A, point by point, with intervals");
  add_text(command, "sessions", compare.sessions, "A.json [B.json]",
           wrapped("A and B. Of one session, --a and --b say which of its points are which"));
  add_text(command, "--a", compare.a, "WORDS [all points, of each case the newest]",
           wrapped("Words that the points of A have, separated by commas: an element type, fused "
                   "or unfused, vector or matrix, an op, a label, run N"));
  add_text(command, "--b", compare.b, "WORDS", "The same of B");
  add_text(command, "-o,--output", compare.output, "FILE.png|.svg|.pdf|.html",
           wrapped("A picture of the ratios and of both sides on the same axes; its extension "
                   "sets the format"));
  add_text(command, "--csv", compare.csv, "FILE.csv", "The table in SI units");
  add_look_options(command, compare.picture);
}

/// A sweep of the lab that watches, with the options that it has.
void add_watch(CLI::App& app, SweepArguments& sweep) {
  CLI::App& command = *app.add_subcommand(
      "watch", "Show what limits the programs that run on a GPU now; measures nothing itself");
  add_knob(command, sweep, "device", "cuda:N", "The GPU; by default the first usable one.");
  add_knob(command, sweep, "every", "0.1s", "Length of a window, at least 0.1s.");
  add_knob(command, sweep, "time", "60s", "How long to watch; without it until an interrupt.");
  add_knob(command, sweep, "tensor", "bf16|fp16|tf32|fp8 [bf16]",
           "Type of what runs on matrix units, whose counter does not tell it.");
  add_text(command, "--roofs", sweep.roofs, "SESSION.json",
           "Roofs measured on this GPU; those of matrix units correct their FLOP/s");
  add_outputs(command, sweep, "The session file, for replay and comparison",
              "The windows as a table, written at the end",
              "One JSON object per event on standard output");
  command.footer(std::string(exit_code_help));
}

void add_tour(CLI::App& app, TourArguments& tour) {
  CLI::App& command =
      *app.add_subcommand("tour", "Run every lab with short settings and write one report");
  add_text(command, "recorded", tour.recorded, "[SESSION.json]",
           "A session to draw the report from; nothing is measured then");
  add_text(command, "--device", tour.device, "cpu|cuda:N [auto]",
           wrapped(std::string(engine::find_knob("device")->help)));
  add_text(command, "-o,--output", tour.output, "FILE.html|.pdf",
           "The report: claims, charts and verdicts of this machine");
  add_text(command, "--session", tour.session, "FILE.json",
           "Also everything that was measured, as a session");
}

void add_commands(CLI::App& app, Arguments& arguments) {
  app.set_version_flag("--version", version_text);
  add_text(app, "sessions", arguments.sessions, "SESSION.json ...",
           "Session files to open in the window");
  add_text(app, "--replay", arguments.replay, "SESSION.json",
           "Play a recorded session in the window, as if it were being measured");
  add_text(app, "--speed", arguments.speed, "N [1]",
           "Playback speed: 2 is twice as fast as it was measured");
  app.require_subcommand(0, 1);
  add_sweep(app, arguments.sweep);
  add_plot(app, arguments.plot);
  add_explain(app, arguments.explain);
  add_compare(app, arguments.compare);
  app.add_subcommand("devices", "List every device that can be measured, and why others cannot")
      ->add_flag("--json", arguments.devices_json, "As one JSON object");
  add_tour(app, arguments.tour);
  add_watch(app, arguments.sweep);
  app.footer(fmt::format("Without a command, the desktop window opens.\n\n{}", exit_code_help));
}

/// The command that was typed, or the program itself.
const CLI::App& chosen(const CLI::App& app) {
  const auto typed = app.get_subcommands();
  return typed.empty() ? app : *typed.front();
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
  std::vector<std::string> extras = app.remaining(true);
  const bool ended = std::erase(extras, "--") > 0;  // what follows it is no option
  if (extras.empty()) return;
  const std::string& first = extras.front();
  if (first.starts_with("-") && !ended) {
    const std::string name = first.substr(0, first.find('='));
    if (command.get_name() == "plot" && name == "--lab")
      bad_usage(command,
                "there is no option '--lab': a session knows its lab; choose a chart with --panel");
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

/// As other programs read it: "-" is standard input or output.
void name_standard_streams(Arguments& arguments) {
  std::vector<std::string*> read{&arguments.explain.session, &arguments.tour.recorded,
                                 &arguments.sweep.roofs};
  if (arguments.replay) read.push_back(&*arguments.replay);
  for (auto* sessions :
       {&arguments.sessions, &arguments.plot.sessions, &arguments.compare.sessions}) {
    for (std::string& session : *sessions) read.push_back(&session);
  }
  for (std::string* path : read)
    if (*path == "-") *path = "/dev/stdin";
  for (std::string* path : {&arguments.sweep.output, &arguments.sweep.csv, &arguments.tour.session,
                            &arguments.compare.csv})
    if (*path == "-") *path = "/dev/stdout";
}

void refuse_incomplete(const CLI::App& app, const Arguments& arguments) {
  const CLI::App& command = chosen(app);
  if (!arguments.command.empty() && !arguments.sessions.empty()) {
    bad_usage(app, fmt::format("'{}' before the command '{}': expected a command first",
                               arguments.sessions.front(), command.get_name()));
  }
  if (!arguments.command.empty() && app.get_option("--replay")->count() > 0) {
    bad_usage(app, fmt::format("--replay before the command '{}': expected it without a command",
                               command.get_name()));
  }
  if (app.get_option("--speed")->count() > 0 && !arguments.replay) {
    bad_usage(app, "--speed without --replay: expected --replay SESSION.json --speed N");
  }
  const auto need = [&](std::string_view of, const auto& given, const char* sentence) {
    if (arguments.command == of && given.empty()) bad_usage(command, sentence);
  };
  need("plot", arguments.plot.sessions, "plot needs a session: expected SESSION.json ...");
  need("plot", arguments.plot.output,
       "plot needs --output: expected a file that ends in .png, .svg, .pdf or .html");
  need("explain", arguments.explain.session, "explain needs a session: expected SESSION.json");
  need("tour", arguments.tour.output,
       "tour needs --output: expected a file that ends in .html or .pdf");
  const std::size_t compared = arguments.compare.sessions.size();
  if (arguments.command == "compare" && (compared == 0 || compared > 2)) {
    bad_usage(command, fmt::format("compare takes one session or two, not {}: expected A.json "
                                   "[B.json]",
                                   compared));
  }
  const TourArguments& tour = arguments.tour;
  if (!tour.recorded.empty() && (!tour.device.empty() || !tour.session.empty())) {
    bad_usage(command, fmt::format("{} beside '{}': expected none, since a report from a session "
                                   "measures nothing",
                                   tour.device.empty() ? "--session" : "--device", tour.recorded));
  }
  if (arguments.command != "sweep" && arguments.command != "watch") return;
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
  CLI::App app("Ridgepoint measures and draws the roofline of this machine", "ridgepoint");
  add_commands(app, arguments);
  app.allow_extras();
  for (CLI::App* command : app.get_subcommands({})) command->allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    arguments.text = app.help();
    return arguments;
  } catch (const CLI::CallForVersion&) {
    arguments.text = version_text();
    return arguments;
  } catch (const CLI::ParseError& problem) {
    refuse(app, problem);
  }
  refuse_extras(app);
  name_standard_streams(arguments);
  if (!app.get_subcommands().empty()) arguments.command = chosen(app).get_name();
  refuse_incomplete(app, arguments);
  return arguments;
}

}  // namespace app
