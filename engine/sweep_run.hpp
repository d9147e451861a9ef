// One sweep or probe on one device, on the worker's thread. Knows no queue and no lock. Private to
// the engine.
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/forecast.hpp"
#include "engine/sweeper.hpp"

namespace engine {

/// What the roofs of an experiment without points must bound: each dtype and units once. Throws
/// BadInput.
std::vector<kernels::Case> cases_for_roofs(Spec, const kernels::Device&);

/// The one case of a probe, checked and with its size filled in as in a sweep. Throws BadInput.
kernels::Case case_of_probe(const ProbeRequest&, const kernels::Device&);

/// Everything but the constructor throws Cancelled and DeviceLost, unless it says otherwise.
class SweepRun {
 public:
  using Send = std::function<void(Event)>;

  SweepRun(std::uint64_t number, kernels::Device&, const Spec&, const Clock& now, std::stop_token,
           Send);

  /// The roofs that bound `cases`: the data sheet's, those in `measured`, and the rest now, which
  /// are added to `measured`. Whatever is not in `known` is reported.
  void find_roofs(const std::vector<kernels::Case>& cases, const std::vector<Roof>& known,
                  std::vector<Roof>& measured);

  /// How many of the cases are done, how long the rest will take, and what runs now.
  void report_progress(const std::vector<kernels::Case>& cases, std::string now);

  /// Every case in order, with progress; `between` is called before each.
  void run_cases(const std::vector<kernels::Case>& cases, const std::function<void()>& between);

  /// Reports the cases that are still to come as failed. Throws neither.
  void fail_rest(const std::vector<kernels::Case>& cases, const std::string& why);

  /// One case, reported as a probe of that run of the session.
  void run_probe(const kernels::Case&, std::uint64_t run);

 private:
  Point measured_point(const kernels::Case&);
  void report(Point);
  void report_roof(const Roof&);
  void warn(std::string text) { send_(Warning{number_, std::move(text)}); }
  void warn_of_conditions();

  std::uint64_t number_;
  kernels::Device& device_;
  std::string experiment_;
  Policy policy_;
  const Clock& now_;
  std::stop_token stop_;
  Send send_;
  Forecast forecast_;
  std::size_t done_ = 0;  // cases reported
  std::size_t measured_ = 0;
  std::map<Limit, std::size_t> stopped_at_;  // points short of their noise goal
  std::size_t throttled_ = 0;
};

}  // namespace engine
