#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "app/cli/choose_device.hpp"
#include "app/cli/commands.hpp"
#include "app/output/progress_bar.hpp"
#include "app/output/results.hpp"
#include "app/output/signals.hpp"
#include "app/output/stream.hpp"
#include "app/output/targets.hpp"
#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "engine/watch/windows.hpp"
#include "kernels/counted.hpp"
#include "kernels/units.hpp"
#include "ui/pages/html_page.hpp"

namespace app {
namespace {

/// What a sweep leaves behind.
struct SweepFiles {
  Target session;
  Target csv;
  Target plot;
  PictureOptions picture;
  plot::Format format = plot::Format::png;

  std::array<const Target*, 3> targets() const { return {&session, &csv, &plot}; }
  bool any() const { return std::ranges::any_of(targets(), &Target::wanted); }
  bool use_stdout() const { return std::ranges::any_of(targets(), &Target::is_stdout); }
};

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

constexpr std::string_view watch_head =
    "    time  GPU-Util     busy       DRAM  of roof   performance  busiest units     clock   "
    "power  "
    "limit\n";

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string watch_line(const engine::Session& session, const engine::Point& window) {
  namespace counted = kernels::counted;
  const auto or_dash = [](std::optional<double> value, auto text) {
    return value ? text(*value) : std::string("-");
  };
  const std::optional<double> busy = engine::busy_share(window);
  const engine::Busiest pipe = engine::busiest_pipe(window);
  // Without roofs shares are known, but no rates.
  const bool counts_bytes = window.work.bytes > 0 || engine::told(window, counted::dram) == 0.0;
  const bool counts_flops = window.work.flops > 0 || (busy && pipe.share == 0);
  const std::string units =
      pipe.share > 0 ? fmt::format("{} {:.0f} %", pipe.counted, 100 * pipe.share) : "-";
  return fmt::format(
      "{:>8} {:>9} {:>8} {:>10} {:>8} {:>13} {:>14} {:>9} {:>7}  {}\n",
      fmt::format("{:.1f} s", engine::value_of(window, engine::time_value)),
      or_dash(engine::told(window, counted::any_kernel), percent), or_dash(busy, percent),
      counts_bytes ? units::bytes_per_second(window.bytes_per_second()) : "-",
      or_dash(engine::memory_share(session, window), percent),
      counts_flops ? units::flops_per_second(window.flops_per_second()) : "-", units,
      or_dash(window.conditions.clock_hz, [](double hz) { return units::hertz(hz); }),
      or_dash(window.conditions.power_w, [](double w) { return fmt::format("{:.0f} W", w); }),
      busy ? engine::limit_word(engine::main_limit_of(session, window)) : "not counted");
}

constexpr double unknown_time = std::numeric_limits<double>::infinity();

/// One sweep from opening the devices to the last file: follows the worker's events, keeps the
/// session and its files, and decides how the program ends.
class HeadlessSweep {
 public:
  HeadlessSweep(const engine::Spec& spec, const SweepFiles& files, bool stream,
                engine::Worker& worker, Output& output, const std::optional<engine::Session>& roofs)
      : lab_(engine::lab_of(spec)),
        spec_(spec),
        files_(files),
        stream_(stream),
        worker_(worker),
        output_(output),
        roofs_(roofs) {}

  /// Returns done, failed or interrupted. Throws Failure and engine::BadInput before anything is
  /// measured.
  Exit run() {
    const std::optional<engine::DevicesOpened> devices = wait_for_devices(worker_);
    if (!devices) return interrupted_too_early(console_);
    start(*devices);
    follow();
    save_session(true);
    write_rest();
    report();
    return verdict_on_the_run();
  }

 private:
  void start(const engine::DevicesOpened& devices) {
    const engine::Place& device = choose_device(devices, spec_.device);
    if (spec_.device.empty()) {
      if (const std::string why = why_no_gpu(devices); !why.empty()) {
        console_.say(
            fmt::format("{} the CPU: {}", lab_.watches ? "watching" : "measuring on", why));
      }
      spec_.device = device.info.id;
    }
    // What this device cannot hold, or has no kernels for, is bad input.
    const engine::Session nothing;
    const engine::Spec spec = engine::suited(spec_, device);
    lab_.plan(spec, device, {spec, nothing, {}});
    session_ = engine::new_session(device.info);
    if (roofs_ && roofs_->device.name != device.info.name) {
      throw Failure(Exit::usage, fmt::format("--roofs has roofs of '{}': expected those of '{}'",
                                             roofs_->device.name, device.info.name));
    }
    worker_.start({spec_, roofs_ ? roofs_->roofs : std::vector<engine::Roof>{}});
  }

  void follow() {
    bool asked_to_stop = false;
    while (!finished_) {
      if (!asked_to_stop && (interrupted() || nothing_waits_for_results())) {
        worker_.stop();
        asked_to_stop = true;
      }
      if (worker_.wait(glance)) {
        for (const engine::Event& event : worker_.drain()) handle(event);
      }
      save_now_and_then();
    }
    console_.clear();
  }

  bool nothing_waits_for_results() const { return stream_ && !output_.usable() && !files_.any(); }

  void handle(const engine::Event& event) {
    const bool had_room = session_.left_out == 0;
    engine::apply(session_, event);
    if (had_room && session_.left_out > 0) console_.say(engine::full_warning(session_));
    const auto* started = std::get_if<engine::SweepStarted>(&event);
    if (started != nullptr && started->cases > 0) {
      cases_ = started->cases;
      console_.show({started->sweep, 0, started->cases, unknown_time, "measuring the roofs"});
    }
    if (const auto* progress = std::get_if<engine::Progress>(&event)) console_.show(*progress);
    if (const auto* point = std::get_if<engine::PointMeasured>(&event)) {
      unsaved_points_ = true;
      tell_of(point->point);
    }
    if (const auto* warning = std::get_if<engine::Warning>(&event)) console_.say(warning->text);
    if (const auto* finished = std::get_if<engine::SweepFinished>(&event)) finished_ = *finished;
    if (stream_) output_.write(stream_line(event, session_));
  }

  /// A line a second of what is watched.
  void tell_of(const engine::Point& window) {
    if (!lab_.watches || stream_ || files_.use_stdout()) return;
    const double begin = engine::value_of(window, engine::time_value);
    if (begin < next_line_) return;
    if (next_line_ == 0) output_.say(watch_head);
    next_line_ = std::floor(begin) + 1;
    output_.say(watch_line(session_, window));
  }

  /// Of its own; a lab that watches measures none.
  bool measured_roofs() const {
    return !lab_.watches && std::ranges::count(session_.roofs, engine::RoofSource::measured,
                                               &engine::Roof::source) > 0;
  }

  /// Whether there is what a file is worth replacing for: a point, or a measured roof where the
  /// lab has no points.
  bool has_results() const { return !session_.points.empty() || (cases_ == 0 && measured_roofs()); }

  bool measured_anything() const {
    if (session_.points.empty()) return measured_roofs();
    return std::ranges::any_of(session_.points, [](const engine::Point& point) {
      return point.status == engine::Status::ok && !point.cached;
    });
  }

  void save_now_and_then() {
    // Writing takes time from the cores that are measured.
    constexpr double between_saves = 1;  // s
    constexpr double most_of_time = 1.0 / 300;
    const double now = engine::steady_seconds();
    if (!unsaved_points_ || now < last_save_ + std::max(between_saves, save_took_ / most_of_time))
      return;
    save_session(false);
    unsaved_points_ = false;
    last_save_ = engine::steady_seconds();
    save_took_ = last_save_ - now;
  }

  void save_session(bool last) {
    if (!files_.session.wanted() || !has_results()) return;
    if (files_.session.once() && !last) return;
    const std::string file = fmt::format("'{}'", files_.session.path().string());
    if (files_.session.is_pipe())
      console_.say(fmt::format("writing to the pipe {}, once another program reads it", file));
    try {
      files_.session.write(engine::to_json(session_), output_);
      if (session_unsaved_) console_.say(fmt::format("writing {} works again", file));
      session_unsaved_ = false;
      if (last) written_.push_back(file);
    } catch (const engine::CannotWrite& problem) {
      if (!session_unsaved_) {
        console_.say(fmt::format("{}{}", problem.what(),
                                 last ? "" : "; the sweep continues and tries again"));
      } else if (last) {
        console_.say(fmt::format("the last points were not saved: {}", problem.what()));
      }
      session_unsaved_ = true;
    }
  }

  void write_rest() {
    if (!has_results()) return;
    write_target(files_.csv, [&] { return engine::to_csv(session_); });
    write_target(files_.plot, [&] {
      return ui::file_of(page_of({&session_}, files_.picture), {&session_}, files_.picture.look,
                         files_.format, files_.plot.path().string());
    });
  }

  void write_target(const Target& target, const std::function<std::string()>& bytes) {
    if (!target.wanted()) return;
    try {
      target.write(bytes(), output_);
      written_.push_back(fmt::format("'{}'", target.path().string()));
    } catch (const std::exception& problem) {  // a picture can also be too large to draw
      console_.say(problem.what());
      file_failed_ = true;
    }
  }

  std::string sweep_report() const {
    const std::string verdict = engine::verdict_text(lab_, engine::results_of(lab_.name, session_));
    if (lab_.watches) return verdict;
    std::vector<std::string> parts{results_table(session_, columns_of(STDOUT_FILENO))};
    // As in the window: what limits the points is said of labs that have a slider, or no claim.
    if (!lab_.slider.empty() || lab_.verdict == nullptr) parts.push_back(verdict_lines(session_));
    parts.push_back(verdict);
    parts.push_back(kernel_sources(session_));
    std::erase(parts, "");
    return fmt::format("{}", fmt::join(parts, "\n"));
  }

  void report() {
    for (const std::string& sentence : left_out(session_)) console_.say(sentence);
    if (stream_) return;
    const std::string text = lab_.lists_roofs ? roofs_table(session_) : sweep_report();
    // Where a file goes to standard output, the table must not end up in it.
    if (files_.use_stdout()) {
      print_to_stderr(units::printable(text, units::Lines::kept));
    } else {
      output_.say(text);
    }
  }

  Exit verdict_on_the_run() {
    if (interrupted()) {
      const std::size_t measured = count_points(session_, engine::Status::ok);
      if (measured == 0 && written_.empty()) return interrupted_too_early(console_);
      std::string saved = "not saved";
      if (!written_.empty())
        saved = fmt::format("saved in {}", fmt::join(written_, ", "));
      else if (!files_.session.wanted())
        saved += "; --output FILE.json saves while it measures";
      console_.say(fmt::format(
          "interrupted; {} {}",
          units::counted(static_cast<std::int64_t>(measured), "measured point"), saved));
      return Exit::interrupted;
    }
    if (finished_->end == engine::End::failed) {
      console_.say(fmt::format(
          "{}: {}", lab_.watches ? "watching stopped" : "the sweep ended early", finished_->why));
      return Exit::failed;
    }
    output_.finish();
    if (finished_->end == engine::End::complete && !measured_anything()) {
      console_.say(
          "nothing could be measured; see the reasons above, and `ridgepoint devices` for what "
          "runs");
      return Exit::failed;
    }
    return session_unsaved_ || file_failed_ ? Exit::failed : Exit::done;
  }

  const engine::Lab& lab_;
  engine::Spec spec_;
  const SweepFiles& files_;
  bool stream_;
  engine::Worker& worker_;
  Output& output_;
  Console console_;
  engine::Session session_;
  const std::optional<engine::Session>& roofs_;  // the caller's: measured before, of this device
  std::size_t cases_ = 0;                        // of the lab
  double next_line_ = 0;                         // s since the first window
  std::optional<engine::SweepFinished> finished_;
  bool unsaved_points_ = false;
  double last_save_ = 0;          // s on the steady clock; the first points are saved at once
  double save_took_ = 0;          // s, the last time
  bool session_unsaved_ = false;  // the last attempt to write it failed
  bool file_failed_ = false;
  std::vector<std::string> written_;  // files that hold the results, quoted
};

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
