#include "engine/worker/sweeper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "engine/session/session_file.hpp"
#include "engine/watch/windows.hpp"
#include "engine/worker/sweep_run.hpp"

namespace engine {
namespace {

DevicesOpened summary_of(const kernels::Devices& devices) {
  DevicesOpened opened;
  for (const auto& device : devices.usable) opened.usable.push_back(place_of(*device));
  opened.unavailable = devices.unavailable;
  return opened;
}

/// 0 for events of no sweep.
std::uint64_t sweep_of(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::uint64_t {
        if constexpr (requires { e.sweep; }) {
          return e.sweep;
        } else {
          return 0;
        }
      },
      event);
}

bool is_probe(const Event& event) {
  const auto* point = std::get_if<PointMeasured>(&event);
  return point != nullptr && point->point.probe;
}

}  // namespace

Sweeper::Sweeper(OpenDevices open, Wake wake, Timing timing, std::filesystem::path cache)
    : open_(std::move(open)),
      wake_(std::move(wake)),
      timing_(std::move(timing)),
      cache_folder_(std::move(cache)),
      worker_([this](std::stop_token quit) { work(std::move(quit)); }) {}

Sweeper::~Sweeper() { stop(); }

std::stop_source Sweeper::Queue::end_all(End why) {
  for (Waiting& request : waiting) {
    if (!request.ended) request.ended = why;
  }
  if (!ended) ended = why;
  return cancel;
}

std::uint64_t Sweeper::push(Queue& queue, Request request) {
  std::unique_lock lock(mutex_);
  const std::uint64_t number = queue.newest = ++last_number_;
  std::stop_source replaced = queue.end_all(End::replaced);
  queue.waiting.push_back({number, std::move(request), {}});
  lock.unlock();  // a device may have something to do when it is stopped
  replaced.request_stop();
  changed_.notify_all();
  return number;
}

std::uint64_t Sweeper::start(SweepRequest request) { return push(sweeps_, std::move(request)); }

std::uint64_t Sweeper::probe(ProbeRequest request) { return push(probes_, std::move(request)); }

void Sweeper::stop() {
  std::unique_lock lock(mutex_);
  std::stop_source running[] = {sweeps_.end_all(End::stopped), probes_.end_all(End::stopped)};
  lock.unlock();
  for (std::stop_source& one : running) one.request_stop();
}

void Sweeper::forget_roofs(const std::string& device) {
  const std::lock_guard lock(mutex_);
  forgotten_.push_back(device);
}

std::vector<Event> Sweeper::drain() {
  std::unique_lock lock(mutex_);
  std::vector<Event> events = std::exchange(events_, {});
  const std::uint64_t current = sweeps_.newest;
  lock.unlock();
  std::erase_if(events, [&](const Event& event) {
    const std::uint64_t sweep = sweep_of(event);
    return sweep != 0 && sweep < current && !std::holds_alternative<SweepFinished>(event) &&
           !is_probe(event);
  });
  return events;
}

bool Sweeper::wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [this] { return !events_.empty(); });
}

void Sweeper::send(Event event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  changed_.notify_all();
  if (wake_) wake_();
}

void Sweeper::work(std::stop_token quit) {
  open_devices();
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, quit,
                    [this] { return !sweeps_.waiting.empty() || !probes_.waiting.empty(); });
    }
    if (quit.stop_requested()) return;
    run_next(probes_);
    run_next(sweeps_);
  }
}

void Sweeper::open_devices() {
  const double begin = timing_.now();
  try {
    devices_ = open_();
    opening_ = timing_.now() - begin;
    send(summary_of(devices_));
  } catch (const std::exception& error) {
    send(DevicesOpened{{}, {{"", fmt::format("no device could be opened: {}", error.what())}}});
  }
}

/// Runs the oldest waiting request of this kind, or says that it has ended already; false when
/// there was none.
bool Sweeper::run_next(Queue& queue) {
  std::stop_source cancel;
  std::optional<Queue::Waiting> next;
  {
    const std::lock_guard lock(mutex_);
    if (queue.waiting.empty()) return false;
    next = std::move(queue.waiting.front());
    queue.waiting.pop_front();
    queue.cancel = cancel;
    queue.ended = next->ended;
  }
  SweepFinished finished = outcome_of(queue, *next, cancel.get_token());
  finished.probe = &queue == &probes_;
  finished.at = utc_now();
  std::visit([&](const auto& request) { finished.device = request.spec.device; }, next->request);
  send(finished);
  return true;
}

SweepFinished Sweeper::outcome_of(Queue& queue, const Queue::Waiting& next, std::stop_token stop) {
  if (next.ended) return {next.number, *next.ended, ""};
  try {
    std::visit([&](const auto& request) { run(next.number, request, stop); }, next.request);
    return {next.number, End::complete, ""};
  } catch (const kernels::Cancelled&) {
    const std::lock_guard lock(mutex_);
    return {next.number, queue.ended.value_or(End::stopped), ""};
  } catch (const std::exception& error) {
    return {next.number, End::failed, error.what()};
  }
}

/// Measured so far, without what was to be forgotten meanwhile.
std::vector<Roof>& Sweeper::roofs_of(const std::string& device) {
  const std::lock_guard lock(mutex_);
  for (const std::string& forgotten : forgotten_) roofs_[forgotten].clear();
  forgotten_.clear();
  return roofs_[device];
}

SweepNeeds Sweeper::needs(const kernels::DeviceInfo& device, std::vector<Roof> known,
                          std::stop_token stop) {
  return {.cache = caches_.try_emplace(device.id, cache_folder_, device).first->second,
          .timing = timing_,
          .stop = std::move(stop),
          .send = [this](Event event) { send(std::move(event)); },
          .measured = roofs_of(device.id),
          .known = std::move(known)};
}

void Sweeper::run(std::uint64_t number, const SweepRequest& request, std::stop_token stop) {
  const Lab& lab = lab_of(request.spec);
  // To watch a device it needs not be open.
  kernels::Device& device =
      lab.watches ? device_named(request.spec.device) : opened(request.spec.device);
  const Place place = place_of(device);
  if (lab.why_not != nullptr) {
    if (const std::string why = lab.why_not(place); !why.empty()) throw BadInput(why);
  }
  SweepNeeds needs = this->needs(device.info(), request.known_roofs, std::move(stop));
  needs.between = [this] {
    while (run_next(probes_)) {
    }
  };
  if (lab.watches) return watch_device(number, device, request.spec, std::move(needs));
  needs.opening = std::exchange(opening_, 0);
  SweepRun sweep(number, device, request.spec, std::move(needs));
  try {
    sweep.run(lab, place);
  } catch (const kernels::DeviceLost& lost) {
    sweep.fail_rest(lost.what());
    throw;
  }
}

void Sweeper::run(std::uint64_t number, const ProbeRequest& request, std::stop_token stop) {
  kernels::Device& device = opened(request.spec.device);
  const kernels::Case what = case_of_probe(request, device);
  Spec spec = request.spec;
  spec.remeasure = false;
  SweepRun probe(number, device, spec, needs(device.info(), request.known_roofs, std::move(stop)));
  probe.run_probe(what, request.run);
}

kernels::Device& Sweeper::opened(const std::string& id) {
  kernels::Device& device = device_named(id);
  const double begin = timing_.now();
  device.open();
  opening_ += timing_.now() - begin;
  return device;
}

kernels::Device& Sweeper::device_named(const std::string& id) {
  std::string there;
  for (const auto& device : devices_.usable) {
    if (id.empty() || device->info().id == id) return *device;
    there += fmt::format("{}{}", there.empty() ? "" : ", ", device->info().id);
  }
  for (const kernels::Unavailable& device : devices_.unavailable) {
    if (device.id == id) there += fmt::format("; {}: {}", device.id, device.why);
  }
  throw BadInput(fmt::format("there is no device {}; available: {}", id.empty() ? "at all" : id,
                             there.empty() ? "none" : there));
}

std::string_view name_of(End end) {
  constexpr std::array<std::string_view, 4> names{"complete", "stopped", "replaced", "failed"};
  return names[static_cast<std::size_t>(end)];
}

bool apply(Session& session, const Event& event) {
  if (const auto* started = std::get_if<SweepStarted>(&event)) {
    if (started->device != session.device.id || !started->run) return false;
    add_run(session, *started->run);
    return true;
  }
  if (const auto* finished = std::get_if<SweepFinished>(&event)) {
    const auto run = std::ranges::find(session.runs, finished->sweep, &Run::number);
    if (run == session.runs.end() || run->begin.empty() || !run->end.empty()) return false;
    run->end = finished->at;
    run->why = finished->end == End::failed ? finished->why : name_of(finished->end);
    return true;
  }
  if (const auto* roof = std::get_if<RoofMeasured>(&event)) {
    if (roof->device != session.device.id) return false;
    add_roof(session, roof->roof);
    return true;
  }
  if (const auto* point = std::get_if<PointMeasured>(&event)) {
    if (point->device != session.device.id) return false;
    const bool added = add_point(session, point->point);
    if (is_window(point->point)) put_alike_together(session, point->point.run);
    return added;
  }
  return false;
}

}  // namespace engine
