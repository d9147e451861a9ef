// One case on one device, from the question whether it can run to the measured point: check,
// prepare, verify, warm up, visit, summarize. Private to the engine.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/measure.hpp"
#include "engine/session/session.hpp"
#include "kernels/device.hpp"

namespace engine {

/// Why the device cannot run a case whatever its size; empty when it can.
std::string why_not(const kernels::Device&, const kernels::Case&);

/// A point without a measurement: skipped or failed, with the reason.
Point point_without_time(const kernels::Device&, const kernels::Case&, Status, std::string why);

/// The device around a load.
struct Around {
  kernels::Conditions before;
  kernels::Conditions after;
  double core_seconds = 0;  ///< of all cores together
  double stolen = 0;        ///< of these, by the hypervisor
  double taken = 0;         ///< share of the device that others took meanwhile

  /// Why what was measured meanwhile does not count; mostly empty.
  std::string disturbance() const;
};
/// `load` is told whether the device is warm from a load of these units a moment ago.
Around watch(kernels::Device&, kernels::Units, const Timing&,
             const std::function<void(bool warm)>& load);

/// A trial that ran for some seconds, and what the device counted in the last of these: nothing
/// where it counts nothing, or nothing that this user may read.
struct CountedRun {
  kernels::Sample last;
  std::optional<kernels::Activity> counted;
};
/// Runs as long before as counters lag behind, where there are any. Throws as Trial::run_for()
/// does.
CountedRun run_counted(kernels::Device&, kernels::Trial&, double seconds, const std::stop_token&);
/// s that it takes to count the bandwidth of a point, with that.
inline constexpr double time_to_count = 0.6;

/// A roof that runs beside a case, see Control.
struct ControlCase {
  std::string roof;
  kernels::Case what;  ///< at its fastest shape
  double kernels::Work::*amount = nullptr;
  double of_case = 0;
};

/// The trial of a case, and those of the roofs beside it: null where one cannot run.
struct Trials {
  std::unique_ptr<kernels::Trial> own;
  std::vector<std::unique_ptr<kernels::Trial>> roofs{};
  std::optional<kernels::Check> check{};  ///< of its own, once it was verified
};

/// A case that is measured in visits. Whatever goes wrong makes a skipped or failed point of it,
/// with the reason; only Cancelled and DeviceLost are thrown.
class CaseRun {
 public:
  /// `begin`: when the sweep began.
  CaseRun(kernels::Device&, const kernels::Case&, const Policy&, double begin);

  /// Prepares, verifies if it was not yet and the plan asks for it, and runs. `beside`: the roofs
  /// that bound it. `kept`: trials that stay, prepared in time that does not count where there are
  /// none yet.
  void visit(const VisitPlan&, std::span<const ControlCase> beside, const std::stop_token&,
             const Timing&, Trials* kept = nullptr);
  /// Does not run at all, with the reason.
  void skip(std::string why) { fail(Status::skipped, std::move(why)); }

  /// How many were completed.
  std::size_t visits() const { return visited_ ? sampler_.visits() : 0; }
  bool done() const { return !facts_.why.empty() || sampler_.done(); }
  double seconds_left(double run) const { return done() ? 0 : sampler_.seconds_left(run); }
  /// As far as it is measured. Requires a visit, or that it was skipped.
  Point point() const;

 private:
  void run(const VisitPlan&, std::span<const ControlCase> beside, const std::stop_token&,
           const Timing&, Trials* kept);
  void prepare(Trials&, const std::stop_token&) const;
  bool verify(Trials&, const std::stop_token&);
  void summarize(const Around&, const kernels::Trial&);
  /// The bandwidth of the finished point by the device's own counters, as far as there is time.
  void count(kernels::Trial&, const std::stop_token&, const Timing&);
  /// What was measured before stays.
  void fail(Status, std::string why);

  kernels::Device* device_;
  Sampler sampler_;
  Point facts_;  // without the samples
  double error_ = 0;
  double stolen_ = 0, core_seconds_ = 0;  // of all visits that count
  bool throttled_ = false;                // in any visit that counts
  std::optional<double> quota_;           // the most that it took in a visit
  bool visited_ = false;
  bool counted_ = false;                 // or tried to
  std::optional<double> counted_bytes_;  // of DRAM in one run, by the device's counters
};

/// A case in one visit, with trials that stay where they are given.
Point run_case(kernels::Device&, const kernels::Case&, const Policy&, const VisitPlan&,
               const std::stop_token&, const Timing&, Trials* kept = nullptr);

}  // namespace engine
