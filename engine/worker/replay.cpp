#include "engine/worker/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "engine/measure/measure.hpp"
#include "engine/measure/statistics.hpp"
#include "kernels/families/conv/conv.hpp"

namespace engine {
namespace {

/// Beyond the numbers of a worker that measures beside it.
constexpr std::uint64_t first_number = std::uint64_t{1} << 32;

/// What measuring a point took, without its preparation, which no file tells.
double duration_of(const Point& point) {
  return std::accumulate(point.seconds.samples.begin(), point.seconds.samples.end(), 0.0);
}

/// A point as it stood after some of its visits, s after the recording began.
struct Seen {
  double at = 0;
  Point point;
  bool last = true;  ///< of its point
};

Point after_visits(const Point& point, std::size_t visits) {
  Point then = point;
  then.visits.resize(visits);
  then.share.reset();
  then.stop = Stop::time_limit;
  then.limit = Limit::stopped;
  then.seconds.outliers.clear();
  then.seconds.samples.resize(point.visits[visits].first);
  const Ends ends = range_of(then.seconds.samples);
  then.seconds.median = median_of(then.seconds.samples);
  then.seconds.low = ends.low;
  then.seconds.high = ends.high;
  return then;
}

/// When each visit of each point was over: at the next one, or by its samples. Sweeps follow each
/// other, as do points of files without visits.
std::vector<Seen> seen_of(const Session& session) {
  std::vector<Seen> seen;
  double begin = 0, end = 0;
  std::uint64_t run = session.points.empty() ? 0 : session.points.front().run;
  for (const Point& point : session.points) {
    if (point.run != run) begin = end;
    run = point.run;
    const std::vector<Visit>& visits = point.visits;
    for (std::size_t i = 1; i < visits.size(); ++i) {
      if (visits[i].first > 0)
        seen.push_back({begin + visits[i - 1].at, after_visits(point, i), false});
    }
    const double at = visits.empty() ? end + duration_of(point) : begin + visits.back().at;
    end = std::max(end, at);
    seen.push_back({at, point});
  }
  return seen;
}

void add_kernel(std::vector<kernels::Kernel>& kernels, const kernels::Case& what) {
  const kernels::Kernel* row = kernels::find_kernel(kernels, what);
  if (row == nullptr) {
    row = &kernels.emplace_back(kernels::Kernel{.family = what.family,
                                                .op = what.op(),
                                                .dtype = what.dtype,
                                                .units = what.units,
                                                .by = what.by});
  }
  const std::string algorithm(kernels::algorithm_of(what));
  if (what.by != kernels::By::library || algorithm.empty()) return;
  std::vector<std::string>& known =
      kernels[static_cast<std::size_t>(row - kernels.data())].algorithms;
  if (std::ranges::find(known, algorithm) == known.end()) known.push_back(algorithm);
}

}  // namespace

Place recorded_device(const Session& session) {
  Place device{.info = session.device, .kernels = {}, .free_bytes = session.device.memory_bytes};
  device.info.id = recording_id;
  device.info.name += " (recording)";
  for (const Point& point : session.points) {
    if (point.status != Status::ok) continue;
    add_kernel(device.kernels, point.what);
    // Not every file says how much memory there was; half of it held what was measured.
    device.free_bytes = std::max(device.free_bytes, 2 * kernels::footprint_of(point.what));
  }
  device.recorded = session;
  device.recorded->device = device.info;
  device.recorded->points.clear();
  device.recorded->roofs.clear();
  return device;
}

std::deque<TimedEvent> timeline(const Session& session, std::uint64_t number, double speed) {
  const std::string id(recording_id);
  const std::size_t total = session.points.size();
  std::vector<Seen> seen = seen_of(session);
  std::ranges::stable_sort(seen, {}, &Seen::at);
  const double end = seen.empty() ? 0 : seen.back().at;
  std::deque<TimedEvent> events{{0, SweepStarted{number, id, total}}};
  for (const Roof& roof : session.roofs) events.push_back({0, RoofMeasured{number, id, roof}});
  std::size_t done = 0;
  double before = 0;
  for (Seen& one : seen) {
    const std::string now = kernels::describe(one.point.what);
    const std::size_t pass = one.point.visits.empty() ? 0 : one.point.visits.size() - 1;
    events.push_back(
        {before / speed, Progress{number, done, total, (end - before) / speed, now, pass}});
    if (one.last) ++done;
    before = one.at;
    events.push_back({one.at / speed, PointMeasured{number, id, std::move(one.point)}});
  }
  events.push_back({end / speed, SweepFinished{number, End::complete, "", false, "", id}});
  return events;
}

Replay::Replay(Session recording, double speed, Clock clock)
    : recording_(std::move(recording)),
      speed_(speed),
      clock_(clock ? std::move(clock) : steady_seconds),
      last_number_(first_number) {
  due_.emplace_back(DevicesOpened{{recorded_device(recording_)}, {}});
}

std::uint64_t Replay::start(SweepRequest) {
  end(End::replaced);
  sweep_ = ++last_number_;
  coming_ = timeline(recording_, sweep_, speed_);
  started_ = clock_();
  return sweep_;
}

std::uint64_t Replay::probe(ProbeRequest request) {
  const std::uint64_t number = ++last_number_;
  const auto recorded = std::ranges::find(recording_.points, request.what, &Point::what);
  if (recorded != recording_.points.end()) {
    Point point = *recorded;
    point.probe = true;
    point.run = request.run;
    point.id = id_of(point);  // its own: the swept point stays
    due_.emplace_back(PointMeasured{number, std::string(recording_id), std::move(point)});
  }
  due_.emplace_back(SweepFinished{number, End::complete, "", true, "", std::string(recording_id)});
  return number;
}

void Replay::stop() {
  take_due();
  end(End::stopped);
}

void Replay::end(End why) {
  if (plays())
    due_.emplace_back(SweepFinished{sweep_, why, "", false, "", std::string(recording_id)});
  coming_.clear();
}

void Replay::take_due() {
  const double now = clock_() - started_;
  while (plays() && coming_.front().at <= now) {
    due_.push_back(std::move(coming_.front().event));
    coming_.pop_front();
  }
}

std::vector<Event> Replay::drain() {
  take_due();
  return std::exchange(due_, {});
}

bool Replay::wait(std::chrono::milliseconds timeout) {
  take_due();
  if (due_.empty() && plays()) {
    const std::chrono::duration<double> rest(coming_.front().at - (clock_() - started_));
    std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(rest, timeout));
    take_due();
  }
  return !due_.empty();
}

}  // namespace engine
