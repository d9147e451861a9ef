#include "app/sweep_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/headless_sweep.hpp"
#include "app/results.hpp"
#include "engine/experiment_knobs.hpp"
#include "engine/session_file.hpp"
#include "engine/spec.hpp"

namespace app {
namespace {

engine::Spec spec_of(const SweepArguments& arguments) {
  engine::Spec spec;
  for (const auto& [name, text] : arguments.knobs) engine::find_knob(name)->set(spec, text);
  for (const auto& [name, text] : arguments.knobs) {
    if (engine::reads_knob(spec.experiment, name)) continue;
    throw Failure(Exit::usage,
                  fmt::format("--{} changes nothing in --experiment {}: expected only {} with it",
                              name, spec.experiment, engine::knobs_read_by(spec.experiment)));
  }
  if (arguments.remeasure && spec.experiment != "roofs") {
    throw Failure(Exit::usage,
                  "--remeasure searches the kernel shapes of roofs: expected --experiment roofs");
  }
  spec.remeasure = arguments.remeasure;
  // Contradictions show on any device; here one without limits stands for all of them.
  engine::expand(spec, kernels::DeviceInfo{}, std::numeric_limits<double>::max());
  return spec;
}

void refuse_same_file_twice(const SweepFiles& files) {
  const std::vector<const Target*> targets{&files.session, &files.csv, &files.plot};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!targets[i]->same_as(*targets[j])) continue;
      throw Failure(Exit::usage,
                    fmt::format("'{}' and '{}' are one file, named for two outputs: expected a "
                                "file of its own for each of --output, --csv and --plot",
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
  if (files.plot.wanted()) files.format = picture_format("--plot", arguments.plot, files.picture);
  refuse_same_file_twice(files);
  if (arguments.stream && files.use_stdout()) {
    throw Failure(Exit::usage,
                  "--stream and a file on standard output exclude each other: expected a file name "
                  "for --output, --csv and --plot");
  }
  return files;
}

std::string list_of_experiments() {
  std::vector<std::vector<std::string>> rows;
  for (const engine::Experiment& experiment : engine::experiments()) {
    rows.push_back({std::string(experiment.name), std::string(experiment.help)});
  }
  return aligned(rows, {0, 1});
}

}  // namespace

Exit sweep_command(const SweepArguments& arguments, Output& output) {
  if (arguments.list) {
    output.write(list_of_experiments());
    output.finish();
    return Exit::done;
  }
  const engine::Spec spec = spec_of(arguments);
  const SweepFiles files = files_of(arguments);
  for (const Target* target : {&files.session, &files.csv, &files.plot}) target->check();
  return HeadlessSweep(spec, files, arguments.stream, output).run();
}

}  // namespace app
