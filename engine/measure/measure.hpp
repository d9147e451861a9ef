// How often to run a trial, what its samples amount to, and when they are enough. Knows trials, not
// kinds of devices.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/session.hpp"
#include "kernels/device.hpp"

namespace engine {

/// Seconds since some fixed moment, never going back.
using Clock = std::function<double()>;
double steady_seconds();

/// Leaves the device alone for some seconds, or until the stop token fires.
using Rest = std::function<void(double seconds, const std::stop_token&)>;
void idle(double seconds, const std::stop_token&);

/// What the worker spends its time on, as spans: allocating, verifying, measuring, waiting. One
/// phase at a time, so that spans do not overlap. Reads the clock only between timed regions.
class Phases {
 public:
  /// Time counts from now on; where the devices were opened for this, from `opening` seconds ago.
  explicit Phases(std::function<double()> now, double opening = 0);

  /// This is done from now on, until the next call; empty: nothing worth telling.
  void enter(std::string_view phase);
  /// So many seconds of the present phase were spent on something else, such as waiting. That may
  /// be hundreds of times: all are one span, at its end.
  void spent_on(std::string_view other, double seconds) { aside_[std::string(other)] += seconds; }
  /// Ends the present phase. All spans since the last call, in lanes by phase, named for whom they
  /// were.
  std::vector<kernels::Span> take(std::string_view whom);

 private:
  void end(double at);

  std::function<double()> now_;
  double origin_;
  double begin_;                         // of the present phase
  std::map<std::string, double> aside_;  // s in it, by lane
  std::string phase_;                    // empty: none
  std::vector<kernels::Span> spans_;
};

/// The last load of a device: after a load of the same kind it needs no warm-up.
struct LastLoad {
  kernels::Units units = kernels::Units::vector;
  std::optional<double> end{};  ///< s; none yet
};

/// Where time comes from, how it is let pass, and who keeps account of it.
struct Timing {
  Clock now = steady_seconds;
  Rest rest = idle;
  Phases* phases = nullptr;       ///< null: nobody
  LastLoad* last_load = nullptr;  ///< null: every load warms up

  void enter(std::string_view phase) const {
    if (phases != nullptr) phases->enter(phase);
  }
  void spent_on(std::string_view other, double seconds) const {
    if (phases != nullptr) phases->spent_on(other, seconds);
  }
};

/// When a point is good enough. The defaults are explained in docs/measuring.md, "Passes".
struct Policy {
  double noise = 0.01;     ///< relative width of the interval: of the share of the roof, or of the
                           ///< time where no roof runs beside it
  double max_time = 2.0;   ///< s of one point in all its visits, without the looks at its roof;
                           ///< half as much beside it for others to leave the cores
  int max_samples = 1000;  ///< bounds the file
  double warm_up = 0.02;   ///< s under the same load before the samples of a visit
  kernels::Pace pace{};    ///< of the device
  double stated_clock =
      0;  ///< Hz, the device's highest; a settled clock above it is none. 0 = unknown
};

/// How long one visit lasts: `runs`, and of brief runs more, until `seconds` have passed.
struct VisitPlan {
  int runs = 1;
  int most_runs = 1;
  double seconds = 0;
  bool verified = true;  ///< false: a candidate of a search, whose winner is verified
  bool warm = false;     ///< no warm-up: the device was under such a load a moment ago
  bool counted = false;  ///< where it is the last one, the device's counters are read afterwards
  std::size_t pass = 0;  ///< in which it is
};
/// The first visit of a point is as short as it can be. The others have a look at the roof between
/// runs; they begin no run after so many seconds, looks included, so that no point takes a pass.
/// They begin with the shortest visit of the device and double where the noise goal is missed.
inline constexpr VisitPlan quick_visit{};
inline constexpr VisitPlan usual_visit{.runs = 1, .most_runs = 64, .seconds = 0.12};

/// A roof that runs beside a case: the amount (byte or FLOP) of one run of its trial, and of one
/// run of the case.
struct Control {
  kernels::Trial& trial;
  std::string roof;
  double amount;
  double of_case;
};

/// A point with what its samples tell. `disturbed`: every visit was set aside, and these are their
/// samples.
struct Measurement : Point {
  bool contended_throughout = false;  ///< no sample was of cores alone: these are the others
  double settled_clock = 0;           ///< Hz, median under load before samples count; 0 = not known
  bool throttled = false;    ///< no sample was at the settled clock: these are the slow ones
  bool slowed_down = false;  ///< the settled clock of the last visit was far below an earlier one
  std::optional<double> clock_hz{};  ///< median during the samples that count
  kernels::Sample last{};            ///< run of the trial, of all visits
};

/// One point while it is measured, visit by visit. A sample taken while the clock was held back is
/// discarded and the device left alone for a while; one of cores on which others ran is left out.
/// Where there are no others, these count, and the measurement says so. No sample is left out for
/// its own time.
class Sampler {
 public:
  /// `begin`: when the sweep began, for the time of visits.
  Sampler(const Policy&, double begin);

  /// Warm-up unless it is warm, then runs, with each control before and after each: none, the roof
  /// that bounds the case, or both where the case lies near their ridge. Its share is that of the
  /// one that takes longer then. A run that is its own warm-up has them after it. At least one run,
  /// however long it takes. Throws Cancelled, DeviceLost, and runtime_error when the trial's clock
  /// returns no time.
  void visit(kernels::Trial&, std::span<const Control>, const VisitPlan&, const std::stop_token&,
             const Timing&);
  /// The samples of the last visit do not count, unless no other visit is left.
  void set_aside(std::string why);
  /// Counts time that the point took elsewhere, such as preparing it.
  void add_time(double seconds) { spent_ += seconds; }
  /// After a visit: whether the point is done.
  bool enough();
  /// Nothing more comes.
  void end(Limit);

  bool done() const { return ended_; }
  /// s of the point so far, as its time limit counts them.
  double spent() const { return spent_; }
  std::size_t visits() const { return visits_.size(); }
  /// s that it still takes, as far as can be told; `run`: of one run, before the first visit.
  double seconds_left(double run) const;
  /// `facts`: what is known of the point without its samples.
  Measurement result(Point facts = {}) const;

 private:
  struct Sample {
    double seconds = 0;
    double clock_hz = 0;    // 0: the device cannot tell
    double share = 0;       // of the slower of the roofs beside it; 0: none ran
    std::size_t bound = 0;  // that roof, in roofs_
    std::size_t visit = 0;
    bool contended = false;
    bool held_back = false;  // the clock was
    bool kept() const { return !contended && !held_back; }
  };
  /// Of each roof: the seconds of a byte or FLOP, and whether others ran on the same cores.
  struct Look {
    double seconds = 0;
    bool contended = false;
  };

  Sample run(kernels::Trial&, const std::stop_token&, const Timing&);
  void wait_for_others(kernels::Trial&, const std::stop_token&, const Timing&);
  /// The run that counts, where one takes as long as a warm-up, or no other fits.
  std::optional<Sample> warm_up(kernels::Trial&, const std::stop_token&, const Timing&);
  /// `clock`: Hz under this load.
  void settle_at(double clock);
  /// At each roof.
  std::vector<Look> look(std::span<const Control>, const std::stop_token&, const Timing&);
  void keep(Sample, const std::stop_token&, const Timing&);
  bool waits() const;
  bool another_fits() const { return spent_ + last_run_ <= policy_.max_time; }
  /// Of cores alone at the settled clock; `sound`: in visits that nobody disturbed.
  std::vector<Sample> kept(bool sound) const;
  /// The sound ones, or the next best where there are none.
  std::vector<Sample> counting() const;
  bool is_narrow(const std::vector<Sample>&);

  Policy policy_;
  double begin_;
  std::vector<Sample> samples_;
  std::vector<Visit> visits_;
  double settled_ = 0;          // Hz, of the visit at hand
  double highest_settled_ = 0;  // of all visits
  std::optional<bool> warms_itself_{};
  double spent_ = 0;
  double waited_ = 0;
  double last_run_ = 0;  // s, with everything around the timed region
  kernels::Sample last_;
  double rest_ = 0;
  double visit_;                    // s of the next one, looks included
  std::vector<std::string> roofs_;  // that run beside it
  std::size_t next_look_ = 7;
  double missed_by_ = 0;  // width of the interval over the goal at the last look; 0: none yet
  bool ended_ = false;
  Stop stop_ = Stop::time_limit;
  Limit limit_ = Limit::time;
};

}  // namespace engine
