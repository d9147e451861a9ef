// One sweep or probe on one device, on the worker's thread. Knows no queue and no lock. Private to
// the engine.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/excess.hpp"
#include "engine/forecast.hpp"
#include "engine/roofs.hpp"
#include "engine/sweeper.hpp"

namespace engine {

/// What a sweep gets from the worker beside its device.
struct SweepNeeds {
  const std::vector<Roof>& known;  ///< by the session
  std::vector<Roof>& measured;     ///< by earlier sweeps of the worker, and by this one
  std::function<void()> between;   ///< called before each case: probes come first
};

/// The one case of a probe, checked and with its size filled in as in a sweep. Throws BadInput.
kernels::Case case_of_probe(const ProbeRequest&, const kernels::Device&);

/// Everything but the constructor throws Cancelled and DeviceLost, unless it says otherwise.
class SweepRun {
 public:
  using Send = std::function<void(Event)>;

  SweepRun(std::uint64_t number, kernels::Device&, const Spec&, RoofCache&, const Timing&,
           std::stop_token, Send);

  /// The roofs that bound `cases`: the data sheet's, those in `measured`, and the rest now, which
  /// are added to `measured`. Whatever is not in `known` is reported.
  void find_roofs(const std::vector<kernels::Case>& cases, const std::vector<Roof>& known,
                  std::vector<Roof>& measured);

  /// Every roof of the device and the data sheet, into `measured`, with the shapes tried as points;
  /// `between` is called before each. Higher measured rates in `before` stay where the new ones are
  /// disturbed.
  void find_all_roofs(kernels::Data, const std::vector<Roof>& before, std::vector<Roof>& measured,
                      const std::function<void()>& between);

  /// How many of the cases are done, how long the rest will take, and what runs now.
  void report_progress(const std::vector<kernels::Case>& cases, std::string now);

  /// Every case in order, with progress; needs.between is called before each. A roof that a point
  /// lies above is none: the device was slower while it was measured. It is measured again at
  /// once, the better result stays, in needs.measured too, and what came of it is said. At the end
  /// a few points far below their neighbours are measured again; what is faster takes their place.
  /// So is a memory roof that no point came near.
  void run_cases(const std::vector<kernels::Case>& cases, const SweepNeeds& needs);

  /// Reports the cases that are still to come as failed. Throws neither.
  void fail_rest(const std::vector<kernels::Case>& cases, const std::string& why);

  /// One case, reported as a probe of that run of the session; the roofs as in run_cases().
  void run_probe(const kernels::Case&, std::uint64_t run, std::vector<Roof>& measured);

 private:
  Point measured_point(const kernels::Case&);
  void report(Point);
  /// Into what the warnings at the end tell; `times` -1 takes it out again.
  void count(const Point&, int times);
  void measure_dents_again(const std::vector<kernels::Case>& cases, const SweepNeeds&);
  void report_roof(const Roof&);
  void report_sheet(const std::function<void(const Roof&)>&);
  void or_warn(const std::function<void()>&);
  void learn(const Roof&);
  /// Roofs that a probe, or a sweep whose events were dropped, has measured higher.
  void adopt_better(const std::vector<Roof>& measured);
  void raise_roofs(const std::vector<kernels::Case>& cases, std::vector<Roof>& measured);
  /// Reports each roof that points lie above and that measuring again has not raised once more,
  /// with that as its flaw.
  void doubt_exceeded();
  /// "150 %": what points reached at least of an exceeded roof.
  std::string reached(const Roof&) const;
  /// Where no point that memory bounds came near its roof, the memory was faster while that was
  /// measured: measured again, a clearly lower one takes its place, and that is said.
  void lower_memory_roof(const std::vector<kernels::Case>& cases, std::vector<Roof>& measured);
  void warn_of_excess();
  void warn_of_lower(const std::vector<Roof>& before, const std::vector<Roof>& measured);
  RoofEvents events_into(std::vector<Roof>& measured);
  RoofBench bench();
  void warn(std::string text) { send_(Warning{number_, std::move(text)}); }
  void warn_of_conditions();
  void warn_of_disturbance();

  std::uint64_t number_;
  kernels::Device& device_;
  std::string experiment_;
  bool remeasure_;
  Policy policy_;
  RoofCache& cache_;
  const Timing& timing_;
  std::stop_token stop_;
  Send send_;
  Forecast forecast_;
  Excess excess_;
  std::map<std::string, int> raises_;          // measured again, by roof
  std::map<std::string, std::string> before_;  // rates in words before that
  std::set<std::string> doubted_;              // names of roofs that points lie above
  std::size_t done_ = 0;                       // cases reported
  int measured_ = 0;
  std::map<Limit, int> stopped_at_;  // points short of their noise goal
  int throttled_ = 0;
  int disturbed_ = 0;
};

}  // namespace engine
