// One case on one device, from the question whether it can run to the measured point. Private to
// the engine.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/measure/measure.hpp"
#include "engine/session/session.hpp"
#include "kernels/device.hpp"

namespace engine {

/// Why the device cannot run a case whatever its size; empty when it can.
std::string why_not(const kernels::Device&, const kernels::Case&);

/// A point without a measurement: skipped or failed, with the reason.
Point point_without_time(const kernels::Device&, const kernels::Case&, Status, std::string why);

/// A roof that runs beside a case, see Control.
struct ControlCase {
  std::string roof;
  kernels::Case what;  ///< at its fastest shape
  double kernels::Work::*amount = nullptr;
  double of_case = 0;
};

/// A case that is measured in visits. Whatever goes wrong makes a skipped or failed point of it,
/// with the reason; only Cancelled and DeviceLost are thrown.
class CaseRun {
 public:
  /// `begin`: when the sweep began.
  CaseRun(kernels::Device&, const kernels::Case&, const Policy&, double begin);

  /// Prepares, verifies if it was not yet and the plan asks for it, and runs. `beside`: the roofs
  /// that bound it.
  void visit(const VisitPlan&, std::span<const ControlCase> beside, const std::stop_token&,
             const Timing&);
  /// Does not run at all, with the reason.
  void skip(std::string why);

  /// How many were completed.
  std::size_t visits() const { return visited_ ? gathering_.visits() : 0; }
  bool done() const { return !why_.empty() || gathering_.done(); }
  double seconds_left(double run) const { return done() ? 0 : gathering_.seconds_left(run); }
  /// As far as it is measured. Requires a visit, or that it was skipped.
  Point point() const;

 private:
  void run(const VisitPlan&, std::span<const ControlCase> beside, const std::stop_token&,
           const Timing&);
  bool verify(kernels::Trial&, const std::stop_token&);
  /// What was measured before stays.
  void fail(Status, std::string why);

  kernels::Device* device_;
  kernels::Case what_;
  Gathering gathering_;
  Point facts_;  // of the trial
  double error_ = 0;
  std::optional<kernels::Conditions> before_;  // the first visit
  kernels::Conditions after_;                  // the last one
  double stolen_ = 0, wall_ = 0;               // core seconds of all visits
  bool throttled_ = false;                     // in any visit that counts
  std::optional<double> quota_;                // the most that it took in a visit
  bool visited_ = false;
  Status status_ = Status::ok;
  std::string why_;
};

/// A case in one visit.
Point run_case(kernels::Device&, const kernels::Case&, const Policy&, const VisitPlan&,
               const std::stop_token&, const Timing&);

}  // namespace engine
