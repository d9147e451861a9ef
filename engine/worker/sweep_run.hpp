// One sweep or probe on one device, on the worker's thread. Knows no queue and no lock. Private to
// the engine.
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

  /// `opening`: seconds that opening the devices took, where this is the first use of them.
  SweepRun(std::uint64_t number, kernels::Device&, const Spec&, RoofCache&, const Timing&,
           std::stop_token, Send, double opening = 0);
  SweepRun(const SweepRun&) = delete;

  /// Asks the lab for its plan, measures what it asks for with the roofs that bound it, and asks
  /// again with the points so far, until it asks for nothing new.
  void run(const Lab&, const Place&, const SweepNeeds&);

  /// Reports what was asked for and not measured as failed. Throws neither.
  void fail_rest(const std::string& why);

  /// One case, reported as a probe of that run of the session.
  void run_probe(const kernels::Case&, std::uint64_t run, const SweepNeeds&);

 private:
  /// The roofs that bound `cases`: the datasheet's, those in `measured`, and the rest now, which
  /// are added to `measured`. Whatever is not in `known` is reported.
  void find_roofs(const std::vector<kernels::Case>& cases, const SweepNeeds&);
  /// Every roof of the device and the datasheet, into `measured`, with the shapes tried as points;
  /// `between` is called before each.
  void find_all_roofs(const SweepNeeds&);
  /// How many of the cases are done, how long the rest will take, and what runs now.
  void report_progress(std::string now);
  /// Visits each point that was asked for and is not done (in pass 0: was never visited), with
  /// progress; needs.between is called before each visit. False where none was left, or no time.
  bool run_pass(std::size_t pass, const SweepNeeds&);
  /// All passes after the first.
  void run_passes(const SweepNeeds&);
  /// Reports points that were measured again and are not done, since nothing more comes.
  void report_again();
  /// Searches the kernel of each roof again, once in a sweep, that points exceed with their
  /// intervals, and says so. True where a faster one was found: what ran beside the roof is to be
  /// measured again.
  bool doubt_roofs(const SweepNeeds&);
  /// Of a roof, those that exceed it, and the largest share.
  struct Above {
    std::vector<kernels::Case> cases;
    double most = 0;
  };
  std::map<std::string, Above> exceeded_roofs() const;
  /// Forgets the looks at the old one, and all visits beside it.
  void replace_roof(const Roof&, std::vector<Roof>& measured);
  /// That roof, measured again without the shape that is remembered for it; nothing where it can't
  /// be.
  std::optional<Roof> searched_again(const std::string& name, const std::vector<kernels::Case>&);
  bool time_is_over() const;
  /// In the middle of a pass. A limit that the user did not set leaves no point unmeasured.
  bool may_end() const;
  /// Skips the points that were never visited; the others stay as they are.
  void end_early();
  /// The points that a pass visits, by index, in its order: at first those of brief runs,
  /// later at random. Points of equal inputs follow each other.
  std::vector<std::size_t> order_of(std::size_t pass) const;
  /// As far as can be told before its first run.
  bool is_brief(const kernels::Case&) const;
  void visit(std::size_t index, std::size_t pass);
  /// Roofs that ran beside points: the looks at them are rounds of theirs.
  /// `clock_hz`: at the end of the visit.
  void keep_looks(const Visit&, std::optional<double> clock_hz);
  void publish_looks(std::vector<Roof>& measured);
  /// The rate that each roof of matrix units sustains that ran beside a point, or every one, where
  /// the device has a power limit and nobody has measured it.
  void find_sustained(const SweepNeeds&, bool every);
  /// Adds what the plan asks for again; the cases of that.
  std::vector<kernels::Case> take(const Plan&);
  /// Keeps account of the time since the last call.
  void spend(std::string_view whom);
  /// As a point of this sweep.
  Point named(Point, const std::string& label) const;
  void report(Point);
  void report_roof(const Roof&);
  void report_sheet(const std::function<void(const Roof&)>&);
  void or_warn(const std::function<void()>&);
  RoofEvents events_into(std::vector<Roof>& measured);
  /// `phases`: null where all that it does is one phase.
  RoofBench bench(Phases* phases);
  void warn(std::string text) { send_(Warning{number_, std::move(text)}); }
  void warn_of_conditions();

  std::uint64_t number_;
  kernels::Device& device_;
  Spec spec_;
  Policy policy_;
  RoofCache& cache_;
  Phases phases_;
  LastLoad last_load_;
  Timing timing_;  // of which phases_ keeps account
  std::stop_token stop_;
  Send send_;
  std::vector<kernels::Span> spent_;  // on what was not measured; the next point takes it
  Forecast forecast_;
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
  CaseRun fresh_run(const Ask&) const;
  double begin_;                  // of the sweep
  double time_ = 0;               // s of its points; 0: no limit
  std::optional<double> end_by_;  // where its points have a time limit; from the end of the roofs
  std::vector<Asked> asked_;
  std::size_t pass_ = 0;
  /// Rates of looks. Those in visits that others disturbed count while there are no better ones, as
  /// their samples do.
  struct Looks {
    std::vector<double> alone, disturbed;
    double highest_clock = 0;  // after those that nobody disturbed
    const std::vector<double>& counting() const { return alone.empty() ? disturbed : alone; }
  };
  std::map<std::string, Looks> looks_;                        // by roof
  std::map<std::string, std::vector<double>> rounds_before_;  // these looks
  std::set<std::string> doubted_;                             // roofs
};

}  // namespace engine
