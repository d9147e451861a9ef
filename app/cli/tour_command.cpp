#include "app/cli/tour_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/cli/choose_device.hpp"
#include "app/output/progress_bar.hpp"
#include "app/output/signals.hpp"
#include "app/output/targets.hpp"
#include "app/output/tour_report.hpp"
#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "ui/plot/output/picture.hpp"

namespace app {
namespace {

/// All labs on one device, one after the other, into one session.
class Tour {
 public:
  Tour(engine::Worker& worker, const engine::Place& place)
      : worker_(worker), place_(place), session_(engine::new_session(place.info)) {}

  /// Until all labs ran, or an interrupt.
  void run() {
    for (const engine::Lab* lab : engine::labs()) {
      if (interrupted()) return;
      run(*lab);
    }
  }

  const engine::Session& session() const { return session_; }
  const std::vector<TourStop>& stops() const { return stops_; }
  /// Why labs are missing, in a sentence; empty: none are.
  std::string ended_early() const {
    const std::size_t all = engine::labs().size();
    if (stops_.size() == all) return "";
    return fmt::format("The tour was stopped: {} of {} labs ran.", stops_.size(), all);
  }

 private:
  void run(const engine::Lab& lab) {
    TourStop stop{.lab = &lab};
    if (lab.why_not != nullptr) stop.why_not = lab.why_not(place_);
    if (stop.why_not.empty()) measure(stop);
    if (interrupted()) return;  // half a lab is none
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

  engine::Worker& worker_;
  const engine::Place& place_;
  engine::Session session_;
  std::vector<TourStop> stops_;
  Console console_;
};

}  // namespace

Exit tour_command(const TourArguments& arguments, Output& output,
                  engine::Sweeper::OpenDevices open_devices) {
  const Target report(arguments.output), session(arguments.session);
  if (session.wanted() && session.same_as(report)) {
    throw Failure(Exit::usage, fmt::format("'{}' and '{}' are the same file: expected two files",
                                           arguments.output, arguments.session));
  }
  if (const std::string& why = plot::why_no_pictures(); !why.empty())
    throw Failure(Exit::failed, fmt::format("the report has charts: {}", why));
  report.check();
  if (session.wanted()) session.check();
  catch_interrupts();
  engine::Sweeper worker(std::move(open_devices), [] {});
  const std::optional<engine::DevicesOpened> devices = wait_for_devices(worker);
  if (!devices) return Exit::interrupted;
  const engine::Place& place = choose_device(*devices, arguments.device);
  Tour tour(worker, place);
  tour.run();
  Console console;
  if (tour.stops().empty()) {
    console.say("interrupted before the first lab ended; no file was written");
    return Exit::interrupted;
  }
  if (session.wanted()) session.write(engine::to_json(tour.session()), output);
  report.write(tour_report(tour.session(), tour.stops(), tour.ended_early()), output);
  output.finish();
  if (!tour.ended_early().empty()) console.say(tour.ended_early());
  for (const TourStop& stop : tour.stops()) {
    if (!stop.why_not.empty())
      console.say(fmt::format("{} did not run: {}", stop.lab->name, stop.why_not));
  }
  console.say(fmt::format("wrote '{}'", report.path().string()));
  if (interrupted()) return Exit::interrupted;
  const bool any = std::ranges::any_of(tour.stops(), &std::string::empty, &TourStop::why_not);
  return any ? Exit::done : Exit::failed;
}

}  // namespace app
