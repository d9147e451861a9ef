#include "tests/screen/monkey_worker.hpp"

#include <exception>
#include <utility>

#include "engine/session/session_file.hpp"
#include "engine/spec.hpp"
#include "tests/engine/fake_device.hpp"

namespace monkey {

namespace {

constexpr std::size_t most_cases = 24;  // of a sweep: many short ones try more than a long one

kernels::Conditions conditions(Dice& dice) {
  kernels::Conditions now;
  if (dice.one_in(2)) now.clock_hz = dice.between(1e9, 3e9);
  if (dice.one_in(3)) now.temperature_c = dice.between(20, 95);
  if (dice.one_in(9)) now.throttled = true;
  if (dice.one_in(9)) now.stolen = dice.between(0, 0.4);
  return now;
}

}  // namespace

Worker::Worker(Dice& dice, std::vector<engine::Place> devices)
    : dice_(dice), devices_(std::move(devices)) {
  said_.emplace_back(
      engine::DevicesOpened{devices_, {{"cuda:7", "no driver is loaded; install one"}}});
}

std::uint64_t Worker::start(engine::SweepRequest request) {
  Job job{++last_number_};
  const engine::Place* device = device_named(request.spec.device);
  try {
    if (device == nullptr) throw engine::BadInput("no device " + request.spec.device + " here");
    plan_sweep(job, request, *device);
  } catch (const std::exception& error) {
    job.events.emplace_back(engine::SweepFinished{job.number, engine::End::failed, error.what()});
  }
  begin(sweep_, std::move(job));
  return last_number_;
}

std::uint64_t Worker::probe(engine::ProbeRequest request) {
  Job job{++last_number_, true};
  const std::string& device = request.spec.device;
  if (dice_.one_in(12)) {
    job.events.emplace_back(
        engine::SweepFinished{job.number, engine::End::failed, device + " is lost", true});
  } else {
    engine::Point measured = point(request.what, request.run);
    measured.probe = true;
    job.events.emplace_back(engine::PointMeasured{job.number, device, std::move(measured)});
    job.events.emplace_back(engine::SweepFinished{job.number, engine::End::complete, "", true});
  }
  begin(probe_, std::move(job));
  return last_number_;
}

void Worker::stop() {
  end(sweep_, engine::End::stopped);
  end(probe_, engine::End::stopped);
}

std::optional<engine::Event> Worker::next() {
  const auto taken = [](std::deque<engine::Event>& from) {
    engine::Event event = std::move(from.front());
    from.pop_front();
    return event;
  };
  if (!said_.empty()) return taken(said_);
  for (std::optional<Job>* job : {&probe_, &sweep_}) {
    if (!*job) continue;
    engine::Event event = taken((*job)->events);
    if ((*job)->events.empty()) job->reset();
    return event;
  }
  return std::nullopt;
}

bool Worker::idle() const { return said_.empty() && !sweep_ && !probe_; }

void Worker::begin(std::optional<Job>& place, Job job) {
  end(place, engine::End::replaced);
  place = std::move(job);
}

void Worker::end(std::optional<Job>& job, engine::End why) {
  if (!job) return;
  said_.emplace_back(engine::SweepFinished{job->number, why, "", job->probe});
  job.reset();
}

const engine::Place* Worker::device_named(const std::string& id) const {
  for (const engine::Place& device : devices_) {
    if (device.info.id == id) return &device;
  }
  return nullptr;
}

void Worker::plan_sweep(Job& job, const engine::SweepRequest& request,
                        const engine::Place& device) {
  const std::string& id = device.info.id;
  plan_roofs(job, device);
  if (request.spec.lab == "roofs") {
    job.events.emplace_back(engine::SweepFinished{job.number, engine::End::complete, ""});
    return;
  }
  std::vector<kernels::Case> cases = expand(request.spec, device.info, device.free_bytes);
  if (cases.size() > most_cases) cases.resize(most_cases);
  job.events.emplace_front(engine::SweepStarted{job.number, id, cases.size()});
  const std::size_t lost_at = dice_.one_in(6) ? dice_.below(cases.size()) : cases.size();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    job.events.emplace_back(engine::Progress{job.number, i, cases.size(),
                                             static_cast<double>(cases.size() - i), "fp32 fused"});
    engine::Point measured = point(cases[i], job.number);
    if (i >= lost_at) {
      measured.status = engine::Status::failed;
      measured.stop = {};  // of a point that was measured
      measured.why = "the device is lost";
      measured.seconds = {};
      measured.share.reset();
      measured.visits.clear();
    }
    job.events.emplace_back(engine::PointMeasured{job.number, id, std::move(measured)});
  }
  if (dice_.one_in(4)) {
    job.events.emplace_back(engine::Warning{job.number, "2 points scatter; close other programs"});
  }
  const bool lost = lost_at < cases.size();
  job.events.emplace_back(
      engine::SweepFinished{job.number, lost ? engine::End::failed : engine::End::complete,
                            lost ? id + " is lost: restart to measure on it" : ""});
}

void Worker::plan_roofs(Job& job, const engine::Place& device) {
  const kernels::Dtype dtype =
      dice_.any_of(std::vector{kernels::Dtype::fp64, kernels::Dtype::fp32, kernels::Dtype::bf16});
  for (engine::Roof& roof : fake::roofs(dtype)) {
    roof.rate *= dice_.between(0.5, 2);
    roof.rate_low = 0.98 * roof.rate;
    roof.rate_high = 1.02 * roof.rate;
    job.events.emplace_back(engine::RoofMeasured{job.number, device.info.id, std::move(roof)});
  }
}

engine::Point Worker::point(const kernels::Case& what, std::uint64_t run) {
  engine::Point made;
  made.what = what;
  made.run = run;
  made.work = kernels::work_of(what);
  made.before = conditions(dice_);
  made.conditions = conditions(dice_);
  if (dice_.one_in(15)) {
    made.status = dice_.one_in(2) ? engine::Status::skipped : engine::Status::failed;
    made.why = "element 17 is 3, expected 4";
    return made;
  }
  const double seconds = fake::ideal_seconds(what) / dice_.between(0.2, 1.3);
  made.seconds = {seconds,
                  0.97 * seconds,
                  1.04 * seconds,
                  std::vector<double>(1 + dice_.below(9), seconds),
                  {}};
  // Few samples have no interval: then it is all that was seen.
  if (!made.seconds.has_interval()) made.seconds.low = made.seconds.high = seconds;
  if (dice_.one_in(2)) {
    made.share = engine::Share{"DRAM copy", {dice_.between(0.2, 1.3)}};
    made.visits = {{.first = 0, .at = 1.5},
                   {.first = 1, .at = 2.5, .looks = {{"DRAM copy", 1e11}}}};
  }
  made.checked = true;
  made.disturbed = dice_.one_in(8);
  if (dice_.one_in(8)) made.stop = engine::Stop::time_limit;
  return made;
}

}  // namespace monkey
