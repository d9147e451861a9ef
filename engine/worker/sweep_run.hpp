// One sweep, probe or watch on one device, on the worker's thread. Knows no queue and no lock.
// Private to the engine.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/labs/lab.hpp"
#include "engine/measure/forecast.hpp"
#include "engine/measure/run_case.hpp"
#include "engine/roofs/roofs.hpp"
#include "engine/worker/worker.hpp"

namespace engine {

/// What a sweep gets from the worker beside its device.
struct SweepNeeds {
  RoofCache& cache;
  Timing timing;
  std::stop_token stop;
  std::function<void(Event)> send;
  std::vector<Roof>& measured;            ///< by earlier sweeps of the worker, and this one
  std::vector<Roof> known{};              ///< by the session
  std::function<void()> between = [] {};  ///< called before each case: probes come first
  double opening = 0;  ///< s that opening the devices took, where this is the first use of them
};

/// The one case of a probe, checked and with its size filled in as in a sweep. Throws BadInput.
kernels::Case case_of_probe(const ProbeRequest&, const kernels::Device&);

/// Everything but the constructor throws Cancelled and DeviceLost, unless it says otherwise.
class SweepRun {
 public:
  SweepRun(std::uint64_t number, kernels::Device&, const Spec&, SweepNeeds);
  SweepRun(const SweepRun&) = delete;

  /// Asks the lab for its plan, measures what it asks for with the roofs that bound it, and asks
  /// again with the points so far, until it asks for nothing new.
  void run(const Lab&, const Place&);

  /// A sweep of one point, reported as a probe of that run of the session.
  void run_probe(const kernels::Case&, std::uint64_t run);

  /// Reports what was asked for and not measured as failed. Throws neither.
  void fail_rest(const std::string& why);

 private:
  /// A point that was asked for.
  struct Asked {
    Ask ask;
    CaseRun run;
    std::vector<kernels::Span> phases{};  // of all visits
    /// The roofs that run beside it, in the first visit only where runs are long; decided once, so
    /// that its share is of the same ones.
    std::optional<std::vector<ControlCase>> beside{};
    bool reported = false;
    bool again = false;  ///< an earlier run was reported, and holds until this one is done
  };
  /// Rates of looks at a roof. Those in visits that others disturbed count while there are no
  /// better ones, as their samples do.
  struct Looks {
    std::vector<double> before{}, alone{}, disturbed{};
    double highest_clock = 0;  // after those that nobody disturbed
  };
  /// Of a roof, the points that exceed it, and the largest share.
  struct Above {
    std::vector<kernels::Case> cases;
    double most = 0;
  };

  void run(const std::function<Plan()>& plan);
  /// What the plan asks for beyond what was asked for already; its roofs and single visits are
  /// measured at once.
  std::vector<kernels::Case> ask(const std::function<Plan()>& plan);
  /// Adds what the plan asks for again; the cases of that.
  std::vector<kernels::Case> take(const Plan&);
  CaseRun fresh_run(const Ask&) const;

  // Passes.
  /// Visits each point that was asked for and is not done (in pass 0: was never visited), with
  /// progress; `between` is called before each visit. False where none was left, or no time.
  bool run_pass(std::size_t pass);
  /// All passes after the first.
  void run_passes();
  void visit(Asked&);
  /// The points that a pass visits, by index, in its order: at first those of brief runs,
  /// later at random. Points of equal inputs follow each other.
  std::vector<std::size_t> order_of(std::size_t pass) const;
  /// As far as can be told before its first run.
  bool is_brief(const kernels::Case&) const;
  bool time_is_over() const;
  /// Skips the points that were never visited; the others stay as they are.
  void end_early();

  // Roofs.
  /// The roofs that bound `cases`: the datasheet's, those in `measured`, and the rest now, which
  /// are added to `measured`. Whatever is not in `known` is reported.
  void find_roofs(const std::vector<kernels::Case>& cases);
  /// Roofs that a plan asks for by name, with the shapes tried as points, and its single visits;
  /// `between` is called before each. Whether there was something new.
  bool find_asked(Plan);
  void find(const RoofTask&, bool asked);
  /// No memory is faster than the cache above it: marks the roofs of DRAM that seem to be. Says
  /// which roofs had no round that nobody disturbed.
  void doubt_asked();
  /// Searches the kernel of each roof again, once in a sweep, that points exceed with their
  /// intervals, and says so. True where a faster one was found: what ran beside the roof is to be
  /// measured again.
  bool doubt_roofs();
  std::map<std::string, Above> exceeded_roofs() const;
  /// That roof, measured again without the shape that is remembered for it; nothing where it can't
  /// be.
  std::optional<Roof> searched_again(const std::string& name, const std::vector<kernels::Case>&);
  /// What ran beside it is to be measured again.
  void forget_looks(const std::string& roof);
  /// Roofs that ran beside points: the looks at them are rounds of theirs.
  /// `clock_hz`: at the end of the visit.
  void keep_looks(const Visit&, std::optional<double> clock_hz);
  void publish_looks();
  /// The rate that each roof of matrix units sustains that ran beside a point, or every one, where
  /// the device has a power limit and nobody has measured it.
  void find_sustained(bool every);
  RoofBench bench(bool asked);
  void or_warn(const std::function<void()>&);
  /// Says what the cache could not read or write.
  void save_cache();

  // Events.
  /// What the worker did since the last call was for this.
  void take_phases(std::string_view whom);
  /// As a point of this sweep.
  Point named(Point, const std::string& label) const;
  void report(Point);
  void report_roof(const Roof&);
  void report_measured(const Roof&);
  void report_sheet(const std::function<void(const Roof&)>&);
  /// Of a search, with what the worker did for it.
  void report_tried(Point);
  /// How many of the cases are done, how long the rest will take, and what runs now.
  void report_progress(std::string now);
  /// The same of roofs that were asked for.
  void report_search(std::string now);
  /// Reports points that were measured again and are not done, since nothing more comes.
  void report_again();
  void warn(std::string text) { needs_.send(Warning{number_, std::move(text)}); }
  void warn_of_conditions();

  std::uint64_t number_;
  kernels::Device& device_;
  Spec spec_;
  SweepNeeds needs_;
  Policy policy_;
  Phases phases_;
  LastLoad last_load_;
  Timing timing_;             // of which phases_ keeps account
  const Lab* lab_ = nullptr;  // null: a probe
  bool started_ = false;
  std::optional<std::uint64_t> probe_of_;  // the run of the session that it is a probe of
  std::vector<kernels::Span> spent_;       // on what was not measured; the next point takes it
  Forecast forecast_;
  double begin_;                  // of the sweep
  double time_ = 0;               // s of its points; 0: no limit
  std::optional<double> end_by_;  // where its points have a time limit; from the end of the roofs
  std::vector<Asked> asked_;
  std::vector<Ask> visited_once_;
  std::set<std::string> said_;           // roofs that a plan asked for, notes, warnings
  std::size_t found_ = 0, to_find_ = 0;  // of these roofs
  double search_begin_ = 0;
  std::size_t pass_ = 0;
  std::size_t passes_ = 0;              // so far, those of what a plan asked for earlier, too
  std::map<std::string, Looks> looks_;  // by roof
  std::set<std::string> doubted_;       // roofs
};

/// Reports what a device counts of all that runs on it, window by window, as points of the lab
/// `watch`, until it is stopped or the time of the spec is over. Launches nothing, and does not
/// open the device. Its roofs are those that are known and the datasheet's. Throws Cancelled, and
/// Unsupported with why the device counts nothing, or nothing more.
void watch_device(std::uint64_t number, kernels::Device&, const Spec&, SweepNeeds);

}  // namespace engine
