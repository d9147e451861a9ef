#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/choose_device.hpp"
#include "app/cli/commands.hpp"
#include "app/output/progress_bar.hpp"
#include "app/output/signals.hpp"
#include "app/output/targets.hpp"
#include "app/output/tour_report.hpp"
#include "engine/labs/lab.hpp"
#include "engine/measure/measure.hpp"
#include "engine/session/session_file.hpp"
#include "ui/plot/output/picture.hpp"

namespace app {
namespace {

/// By the ending of the report's name. Throws Failure.
plot::Format format_of(const std::string& file) {
  const auto format = plot::format_of(std::filesystem::path(file).extension().string());
  if (format == plot::Format::html || format == plot::Format::pdf) return *format;
  throw Failure(
      Exit::usage,
      fmt::format("--output '{}': expected a file name that ends in .html or .pdf", file));
}

/// What a tour writes.
struct TourFiles {
  Target report, session;
  plot::Format format = plot::Format::html;

  std::string text_of(const TourReport& of) const {
    if (format == plot::Format::pdf) return tour_pdf(of);
    return tour_html(of, report.path().filename().replace_extension(".csv").string());
  }
};

bool has_points(const engine::Session& session, const engine::Lab& lab) {
  return std::ranges::any_of(session.points, [&](const engine::Point& point) {
    return point.lab == lab.name && point.status == engine::Status::ok;
  });
}

/// All labs on one device, one after the other, into one session.
class Tour {
 public:
  Tour(engine::Worker& worker, const engine::Place& place, const TourFiles& files, Output& output,
       engine::Clock now)
      : worker_(worker),
        place_(place),
        files_(files),
        output_(output),
        now_(std::move(now)),
        session_(engine::new_session(place.info)) {}

  /// Until all labs ran, or an interrupt. Files are as far as the labs are.
  void run() {
    for (const engine::Lab* lab : engine::labs()) {
      if (interrupted()) return;
      run(*lab);
      if (!interrupted() && left() > 0) save();
    }
  }

  /// Throws engine::CannotWrite, once both files were tried.
  void write_files() {
    std::exception_ptr problem;
    const auto attempt = [&](const auto& write) {
      try {
        write();
      } catch (const engine::CannotWrite&) {
        problem = std::current_exception();
      }
    };
    if (files_.session.wanted())
      attempt([&] { files_.session.write(engine::to_json(session_), output_); });
    attempt([&] { files_.report.write(report(ended_early()), output_); });
    if (problem) std::rethrow_exception(problem);
  }

  const std::vector<TourStop>& stops() const { return stops_; }
  /// Why labs are missing, in a sentence; empty: none are.
  std::string ended_early() const {
    return left() == 0 ? ""
                       : fmt::format("The tour was stopped: {} of {} labs ran.", ended(),
                                     engine::labs().size());
  }

 private:
  std::size_t ended() const {
    return stops_.size() -
           static_cast<std::size_t>(std::ranges::count(stops_, true, &TourStop::interrupted));
  }
  std::size_t left() const { return engine::labs().size() - ended(); }

  void run(const engine::Lab& lab) {
    TourStop stop{.lab = &lab};
    if (lab.watches)
      stop.why_not = "It shows what other programs do: run ridgepoint watch beside them.";
    else if (lab.why_not != nullptr)
      stop.why_not = lab.why_not(place_);
    if (stop.why_not.empty()) measure(stop);
    if (interrupted() && !has_points(session_, lab)) return;
    stops_.push_back(std::move(stop));
  }

  void measure(TourStop& stop) {
    const engine::Spec spec = engine::tour_spec(*stop.lab, place_.info.id);
    std::optional<engine::SweepFinished> finished;
    bool asked_to_stop = false;
    worker_.start({spec, session_.roofs});
    while (!finished) {
      if (interrupted() && !std::exchange(asked_to_stop, true)) worker_.stop();
      if (!worker_.wait(glance)) continue;
      for (const engine::Event& event : worker_.drain()) {
        engine::apply(session_, event);
        if (const auto* progress = std::get_if<engine::Progress>(&event))
          show(*progress, stop, spec.time);
        if (const auto* warning = std::get_if<engine::Warning>(&event))
          stop.warnings.push_back(warning->text);
        if (const auto* end = std::get_if<engine::SweepFinished>(&event)) finished = *end;
      }
    }
    console_.clear();
    if (finished->end == engine::End::failed) stop.why_not = finished->why;
    stop.interrupted = finished->end == engine::End::stopped;
  }

  /// The bar counts labs; the rest is estimated at its limit.
  void show(engine::Progress progress, const TourStop& stop, double time_of_a_lab) {
    const std::size_t all = engine::labs().size();
    const auto later = static_cast<double>(all - stops_.size() - 1);
    progress.seconds_left += later * time_of_a_lab;
    progress.done = stops_.size();
    progress.total = all;
    progress.pass = 0;
    progress.now = fmt::format("{}: {}", stop.lab->title, progress.now);
    console_.show(progress);
  }

  std::string report(const std::string& note) const {
    return files_.text_of(tour_report(session_, stops_, note, now_() - began_));
  }

  /// While labs are left: what a crash would leave.
  void save() {
    try {
      if (files_.session.wanted() && !files_.session.once())
        files_.session.write(engine::to_json(session_), output_);
      if (files_.report.once()) return;
      files_.report.write(report(fmt::format("The tour has not ended: {} of {} labs ran.", ended(),
                                             engine::labs().size())),
                          output_);
    } catch (const std::exception& problem) {  // of a file, or of the library that draws
      if (!std::exchange(unsaved_, true))
        console_.say(fmt::format("{}; the tour continues and tries again", problem.what()));
    }
  }

  engine::Worker& worker_;
  const engine::Place& place_;
  const TourFiles& files_;
  Output& output_;
  engine::Clock now_;
  double began_ = now_();
  engine::Session session_;
  std::vector<TourStop> stops_;
  bool unsaved_ = false;
  Console console_;
};

/// Throws Failure.
TourFiles files_of(const TourArguments& arguments) {
  TourFiles files{Target(arguments.output), Target(arguments.session), format_of(arguments.output)};
  if (files.session.same_as(files.report)) {
    throw Failure(Exit::usage, fmt::format("'{}' and '{}' are the same file: expected two files",
                                           arguments.output, arguments.session));
  }
  if (const std::string why = plot::why_not(files.format); !why.empty())
    throw Failure(Exit::failed, why);
  files.report.check();
  files.session.check();
  return files;
}

/// The report of a session that was measured before.
Exit draw_recorded(const std::string& path, const TourFiles& files, Output& output) {
  const engine::Session session = engine::load_session(path);
  std::vector<TourStop> stops;
  for (const engine::Lab* lab : engine::labs()) {
    if (has_points(session, *lab)) stops.push_back({.lab = lab});
  }
  if (stops.empty()) {
    throw Failure(Exit::failed, fmt::format("'{}' has no points of a lab: expected a session that "
                                            "tour or sweep wrote",
                                            path));
  }
  files.report.write(files.text_of(tour_report(session, stops, "", {})), output);
  output.finish();
  Console().say(fmt::format("wrote '{}'", files.report.path().string()));
  return Exit::done;
}

}  // namespace

Exit tour_command(const TourArguments& arguments, Output& output,
                  engine::Sweeper::OpenDevices open_devices, const engine::Timing& timing) {
  const TourFiles files = files_of(arguments);
  if (!arguments.recorded.empty()) return draw_recorded(arguments.recorded, files, output);
  const Claim claims[] = {Claim(files.report), Claim(files.session)};
  catch_interrupts();
  engine::Sweeper worker(
      std::move(open_devices), [] {}, timing);
  const std::optional<engine::DevicesOpened> devices = wait_for_devices(worker);
  if (!devices) return Exit::interrupted;
  Tour tour(worker, choose_device(*devices, arguments.device), files, output, timing.now);
  tour.run();
  Console console;
  if (tour.stops().empty()) return interrupted_too_early(console);
  tour.write_files();
  output.finish();
  if (!tour.ended_early().empty()) console.say(tour.ended_early());
  for (const TourStop& stop : tour.stops()) {
    if (!stop.why_not.empty())
      console.say(fmt::format("{} did not run: {}", stop.lab->name, stop.why_not));
  }
  console.say(fmt::format("wrote '{}'", files.report.path().string()));
  if (interrupted()) return Exit::interrupted;
  const bool any = std::ranges::any_of(tour.stops(), &std::string::empty, &TourStop::why_not);
  return any ? Exit::done : Exit::failed;
}

}  // namespace app
