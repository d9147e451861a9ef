#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/cli/commands.hpp"
#include "app/cli/headless_sweep.hpp"
#include "app/output/results.hpp"
#include "app/output/signals.hpp"
#include "app/output/targets.hpp"
#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "engine/spec.hpp"
#include "engine/worker/sweeper.hpp"

namespace app {
namespace {

engine::Spec spec_of(const SweepArguments& arguments) {
  engine::Spec spec;
  for (const auto& [name, text] : arguments.knobs) engine::set_knob(spec, name, text);
  const engine::Lab& lab = engine::lab_of(spec);
  for (const auto& [name, text] : arguments.knobs) {
    if (engine::reads_knob(lab, name)) continue;
    throw Failure(Exit::usage, fmt::format("--{} has no effect with --lab {}: expected only {}",
                                           name, spec.lab, engine::knobs_read_by(lab)));
  }
  if (arguments.remeasure && !lab.lists_roofs) {
    throw Failure(Exit::usage,
                  "--remeasure searches the kernel shapes of roofs: expected --lab roofs");
  }
  spec.remeasure = arguments.remeasure;
  engine::refuse_contradictions(spec);  // before a device is opened; the rest depends on the device
  return spec;
}

void refuse_same_file_twice(const SweepFiles& files) {
  const auto targets = files.targets();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!targets[i]->same_as(*targets[j])) continue;
      throw Failure(Exit::usage,
                    fmt::format("'{}' and '{}' are the same file: expected a different file for "
                                "each of --output, --csv and --plot",
                                targets[j]->path().string(), targets[i]->path().string()));
    }
  }
}

SweepFiles files_of(const SweepArguments& arguments) {
  SweepFiles files;
  files.session = Target(arguments.output);
  files.csv = Target(arguments.csv);
  files.plot = Target(arguments.plot);
  files.picture = parse(arguments.picture);
  if (files.plot.wanted())
    files.format = picture_format("--plot", arguments.plot, arguments.picture, files.picture);
  refuse_same_file_twice(files);
  if (arguments.stream && files.use_stdout()) {
    throw Failure(Exit::usage,
                  "--stream already uses standard output: expected a file name for --output, --csv "
                  "and --plot");
  }
  return files;
}

/// The file that --roofs names, with its measured roofs alone; nothing without.
std::optional<engine::Session> roofs_of(const SweepArguments& arguments, const SweepFiles& files) {
  if (arguments.roofs.empty()) return std::nullopt;
  for (const Target* target : files.targets()) {
    if (!target->same_as(Target(arguments.roofs))) continue;
    throw Failure(Exit::usage,
                  fmt::format("'{}' would replace the file of --roofs: expected another file",
                              arguments.roofs));
  }
  engine::Session session = engine::load_session(arguments.roofs);
  std::erase_if(session.roofs, [](const engine::Roof& roof) {
    return roof.source != engine::RoofSource::measured;
  });
  if (session.roofs.empty()) {
    throw Failure(Exit::usage, fmt::format("--roofs '{}' has no measured roofs: expected a session "
                                           "of this device, as --lab roofs --output writes it",
                                           arguments.roofs));
  }
  return session;
}

std::string list_of_labs() {
  Rows rows;
  for (const engine::Lab* lab : engine::labs())
    rows.push_back({std::string(lab->name), std::string(lab->question)});
  return aligned(rows);
}

}  // namespace

Exit sweep_command(const SweepArguments& arguments, Output& output,
                   engine::Sweeper::OpenDevices open_devices) {
  if (arguments.list) {
    output.say(list_of_labs());
    return output.finish();
  }
  const engine::Spec spec = spec_of(arguments);
  const SweepFiles files = files_of(arguments);
  const std::optional<engine::Session> roofs = roofs_of(arguments, files);
  for (const Target* target : files.targets()) target->check();
  const Claim claims[] = {Claim(files.session), Claim(files.csv), Claim(files.plot)};
  catch_interrupts();
  engine::Sweeper sweeper(std::move(open_devices), [] {});
  return HeadlessSweep(spec, files, arguments.stream, sweeper, output, roofs).run();
}

Exit watch_command(SweepArguments arguments, Output& output,
                   engine::Sweeper::OpenDevices open_devices) {
  const auto watches = std::ranges::find(engine::labs(), true, &engine::Lab::watches);
  if (watches == engine::labs().end()) throw Failure(Exit::failed, "no lab watches");
  arguments.knobs.emplace(arguments.knobs.begin(), "lab", (*watches)->name);
  return sweep_command(arguments, output, std::move(open_devices));
}

}  // namespace app
