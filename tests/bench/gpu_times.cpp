// How long sweeps, roofs and the tour take on a GPU, on a clock of its own: the real worker over a
// device whose runs take what a recording of a GPU says. Beside it the same with the pace of a CPU
// and sensors that the measuring thread reads, as it was. Arguments: a recorded sweep,
// recorded roofs, and a recorded tour (docs/lab-notes.md, "Passes in figures").
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/labs/lab.hpp"
#include "engine/session/session_file.hpp"
#include "engine/worker/sweeper.hpp"
#include "kernels/cuda/runtime/pace.hpp"
#include "kernels/families/family.hpp"
#include "tests/engine/fake_device.hpp"

namespace {

using engine::Point;
using engine::Session;
using kernels::Case;

// Around a timed region on an H200: 1.26 ms of a sample whose runs take 1.07 ms.
constexpr double around_a_region = 0.19e-3;
// A region of memory lasts at least 1 ms, others 0.1 ms, and are aimed at 1.3 times as long
// (kernels/cuda/trials/trials.hpp, runtime/runner.cpp).
constexpr double aimed = 1.3;
constexpr double shortest_cold = 1e-3, shortest_warm = 100e-6;
constexpr double opening = 0.35;          // s, 0.32 to 0.40 on that H200
constexpr double look_at_sensors = 9e-3;  // s, of 5 to 20

/// What a recording tells of the times of a device.
class Recorded {
 public:
  explicit Recorded(std::vector<Session> sessions) : sessions_(std::move(sessions)) {
    for (const Session& session : sessions_)
      for (const Point& point : session.points) learn(point);
  }
  const Session& first() const { return sessions_.front(); }
  const std::vector<Session>& sessions() const { return sessions_; }

  /// Seconds of one run: a sample of that point, else of the family's kernel at its share of a
  /// roof.
  double run_seconds(const Case& what, std::mt19937& random) const {
    const auto draw = [&](const std::vector<double>& values) {
      return values[random() % values.size()];
    };
    Case plain = what;
    plain.shape = {};
    for (const Point* point : points_of(what))
      if (Case known = point->what; (known.shape = {}, known == plain))
        return draw(point->seconds.samples);
    const kernels::Work work = kernels::work_of(what, "cuda");
    if (const engine::Roof* roof = roof_of(what); roof != nullptr) {
      const double amount = what.family->role == kernels::Role::bandwidth ? work.bytes
                            : what.family->role == kernels::Role::compute ? peak_flops
                                                                          : work.launches;
      return std::max(amount, 1.0) / draw(roof->rounds);
    }
    std::normal_distribution<double> noise(1, 0.001);
    const double seconds = std::max({work.bytes / memory, work.flops / arithmetic, 2e-6});
    return seconds * noise(random);
  }
  double fill_seconds(const Case& what) const { return mean(fills_, what); }
  double verify_seconds(const Case& what) const { return mean(verifications_, what); }

  static constexpr double peak_flops = 66e9;  // 1 ms of fp32 FMA, as the trials aim at
 private:
  static constexpr double memory = 4.2e12, arithmetic = 40e12;

  /// Time that the worker spent on the point before its first run, and how often it was prepared.
  void learn(const Point& point) {
    by_family_[name_of(point.what.family)].push_back(&point);
    double fill = 0, verify = 0;
    for (const kernels::Span& span : point.phases) {
      if (span.lane == "allocate, fill") fill += span.end - span.begin;
      if (span.lane == "verify") verify += span.end - span.begin;
    }
    const auto visits = static_cast<double>(std::max<std::size_t>(point.visits.size(), 1));
    if (point.phases.empty()) return;
    auto& [fill_sum, fill_count] = fills_[name_of(point.what.family)];
    fill_sum += fill, fill_count += visits;
    auto& [verify_sum, verify_count] = verifications_[name_of(point.what.family)];
    verify_sum += verify, verify_count += 1;
  }
  using Means = std::map<std::string_view, std::pair<double, double>>;
  static double mean(const Means& means, const Case& what) {
    const auto found = means.find(name_of(what.family));
    return found == means.end() || found->second.second <= 0
               ? 1e-3
               : found->second.first / found->second.second;
  }
  std::vector<const Point*> points_of(const Case& what) const {
    const auto found = by_family_.find(name_of(what.family));
    std::vector<const Point*> measured;
    if (found == by_family_.end() || what.family->role != kernels::Role::workload) return measured;
    for (const Point* point : found->second)
      if (point->status == engine::Status::ok) measured.push_back(point);
    return measured;
  }
  const engine::Roof* roof_of(const Case& what) const {
    if (what.family->role == kernels::Role::workload) return nullptr;
    std::string name = "launch";
    if (what.family->role == kernels::Role::bandwidth)
      name = fmt::format("DRAM {}", name_of(what.op()));
    if (what.family->role == kernels::Role::compute)
      name = engine::compute_roof_name(what.dtype, what.units, what.op());
    for (const Session& session : sessions_)
      for (const engine::Roof& roof : session.roofs)
        if (roof.name == name && !roof.rounds.empty()) return &roof;
    return nullptr;
  }

  std::vector<Session> sessions_;
  std::map<std::string_view, std::vector<const Point*>> by_family_;
  Means fills_, verifications_;
};

struct Manner {
  kernels::Pace pace{};
  double conditions = 0;  ///< s that a look at the sensors takes the measuring thread
};

class RecordedTrial final : public kernels::Trial {
 public:
  RecordedTrial(const Recorded& recorded, fake::Clock& clock, std::mt19937& random,
                const Case& what)
      : recorded_(recorded), clock_(clock), random_(random), what_(what) {}
  kernels::Sample run(std::stop_token) override {
    const double one = recorded_.run_seconds(what_, random_);
    const double least = aimed * (cold() ? shortest_cold : shortest_warm);
    clock_.pass(std::max(1.0, std::ceil(least / one)) * one + around_a_region);
    return {.seconds = one, .clock_hz = 1.98e9};
  }
  kernels::Sample run_for(double seconds, std::stop_token) override {
    clock_.pass(seconds);
    return {.seconds = recorded_.run_seconds(what_, random_), .clock_hz = 1.98e9};
  }
  kernels::Work work() const override {
    kernels::Work work = kernels::work_of(what_, "cuda");
    if (what_.family->role == kernels::Role::compute) work.flops = Recorded::peak_flops;
    return work;
  }
  kernels::Check verify(std::stop_token) override {
    clock_.pass(recorded_.verify_seconds(what_));
    return {true, ""};
  }
  bool cold() const override { return kernels::footprint_of(what_) >= kernels::surely_dram / 2; }

 private:
  const Recorded& recorded_;
  fake::Clock& clock_;
  std::mt19937& random_;
  Case what_;
};

class RecordedDevice final : public kernels::Device {
 public:
  RecordedDevice(const Recorded& recorded, fake::Clock& clock, Manner manner)
      : recorded_(recorded), clock_(clock), manner_(manner), info_(recorded.first().device) {
    std::set<std::string> seen;
    for (const Session& session : recorded.sessions()) {
      for (const Point& point : session.points) {
        const Case& what = point.what;
        if (point.status != engine::Status::ok) continue;
        for (const kernels::Op op : what.ops) {
          kernels::Kernel row{.family = what.family,
                              .op = op,
                              .dtype = what.dtype,
                              .units = what.units,
                              .by = what.by};
          const std::string key =
              fmt::format("{} {} {} {} {}", name_of(row.family), name_of(op), name_of(row.dtype),
                          name_of(row.units), name_of(row.by));
          if (seen.insert(key).second) rows_.push_back(row);
        }
      }
    }
  }
  const kernels::DeviceInfo& info() const override { return info_; }
  std::span<const kernels::Kernel> kernels() const override { return rows_; }
  void open() override {
    if (!std::exchange(open_, true)) clock_.pass(opening);
  }
  std::unique_ptr<kernels::Trial> prepare(const Case& what, std::stop_token) override {
    open();
    // Recorded times of points hold those of the roofs beside them, from their second use on.
    const bool roof = what.family->role != kernels::Role::workload;
    if (!roof || prepared_.insert(kernels::describe(what)).second)
      clock_.pass(recorded_.fill_seconds(what));
    return std::make_unique<RecordedTrial>(recorded_, clock_, random_, what);
  }
  kernels::Conditions conditions() override {
    clock_.pass(manner_.conditions);
    return {};
  }
  kernels::Pace pace() const override { return manner_.pace; }
  double free_bytes() const override { return 0.95 * info_.memory_bytes; }

 private:
  const Recorded& recorded_;
  fake::Clock& clock_;
  Manner manner_;
  kernels::DeviceInfo info_;
  std::vector<kernels::Kernel> rows_;
  std::set<std::string> prepared_;
  std::mt19937 random_{1};
  bool open_ = false;
};

/// s on the device's clock since the start; 0: it did not come.
struct Times {
  double first_point = 0, curve = 0, end = 0;
  int points = 0, missed = 0;  ///< missed: short of the noise goal
};

/// The worker on such a device, as the command line uses it.
class Program {
 public:
  Program(const Recorded& recorded, Manner manner)
      : begin_(clock_.now()),
        sweeper_(
            [&recorded, manner, this] {
              kernels::Devices devices;
              devices.usable.push_back(std::make_unique<RecordedDevice>(recorded, clock_, manner));
              return devices;
            },
            [] {}, clock_.timing(), {}) {
    session_ = engine::new_session(recorded.first().device);
  }

  Times run(engine::Spec spec) {
    spec.device = session_.device.id;
    const std::uint64_t number = sweeper_.start({spec, session_.roofs});
    Times times;
    std::map<std::string, Point> points;
    for (bool done = false; !done;) {
      sweeper_.wait(std::chrono::seconds(1));
      for (const engine::Event& event : sweeper_.drain()) {
        engine::apply(session_, event);
        if (const auto* one = std::get_if<engine::PointMeasured>(&event)) {
          const Point& point = one->point;
          if (point.status != engine::Status::ok || point.phases.empty()) continue;
          // The clock has gone on since: the last span of its phases is when it was measured.
          double at = 0;
          for (const kernels::Span& span : point.phases) at = std::max(at, span.end);
          if (times.first_point == 0) times.first_point = at;
          points[point.id] = point;
          if (point.what.fusion == kernels::Fusion::fused) fused_.insert(point.id);
          if (times.curve == 0 && fused_.size() == 11) times.curve = at;
        }
        if (const auto* one = std::get_if<engine::SweepFinished>(&event))
          done = one->sweep == number;
      }
    }
    times.end = clock_.now() - begin_;
    for (const auto& [id, point] : points) {
      ++times.points;
      if (point.stop == engine::Stop::time_limit) ++times.missed;
    }
    return times;
  }

 private:
  fake::Clock clock_;
  double begin_;
  engine::Session session_;
  std::set<std::string> fused_;
  engine::Sweeper sweeper_;  // last member: its worker uses the rest
};

void print(const char* what, const char* manner, double seconds, const Times& times) {
  fmt::print("{:<34}{:<8}{:>8.2f} s", what, manner, seconds);
  if (times.points > 0)
    fmt::print("   {} of {} points at their noise goal", times.points - times.missed, times.points);
  fmt::print("\n");
}

void print_all(const char* name, const Manner& manner, const Recorded& sweep, const Recorded& roofs,
               const Recorded& tour) {
  const Times fused = Program(sweep, manner).run({});
  print("first point", name, fused.first_point, {});
  print("complete fused curve", name, fused.curve, {});
  print("default sweep, fused", name, fused.end, fused);
  engine::Spec spec;
  spec.fusion = engine::FusionChoice::both;
  const Times both = Program(sweep, manner).run(spec);
  print("default sweep, fused and unfused", name, both.end, both);
  engine::Spec all;
  all.lab = "roofs";
  print("roofs, shapes known", name, Program(roofs, manner).run(all).end, {});
  Program program(tour, manner);
  Times end, sum;
  for (const engine::Lab* lab : engine::labs()) {
    end = program.run(engine::tour_spec(*lab, tour.first().device.id));
    sum.points += end.points;
    sum.missed += end.missed;
  }
  print("tour", name, end.end, sum);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr,
               "gpu_times: give a recorded sweep, recorded roofs and at least one recorded lab\n");
    return 2;
  }
  const Recorded sweep({engine::load_session(argv[1]), engine::load_session(argv[2])});
  const Recorded roofs({engine::load_session(argv[2])});
  std::vector<Session> labs{engine::load_session(argv[2]), engine::load_session(argv[1])};
  for (int i = 3; i < argc; ++i) labs.push_back(engine::load_session(argv[i]));
  const Recorded tour(std::move(labs));
  fmt::print("{}, on a clock of its own:\n", sweep.first().device.name);
  print_all("before", {.conditions = look_at_sensors}, sweep, roofs, tour);
  print_all("now", {.pace = kernels::cuda::pace_of_gpu}, sweep, roofs, tour);
}
