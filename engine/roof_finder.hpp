// One roof after the other: the fastest shape from the cache or a search, then a proper
// measurement. Private to the engine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/roof_rounds.hpp"
#include "engine/roof_tasks.hpp"
#include "engine/roofs.hpp"

namespace engine {

class RoofFinder {
 public:
  RoofFinder(const RoofBench& bench, const RoofEvents& events) : bench_(bench), events_(events) {}

  /// Measures and reports one roof, or a problem. Throws Cancelled, DeviceLost.
  void find(const RoofTask&);

  /// Bandwidth of reads against working set.
  std::vector<CurvePoint> level_curve(kernels::Data);

  void report_missing(const MissingRoof&);

  /// The names of the roofs that look_again() takes: peaks and caches, and those of the memory
  /// where the level curve read it faster than its roof says.
  std::vector<std::string> worth_another_look() const;
  /// One more round of each of them, long after its first ones: what slows a device for a second
  /// (another guest on its cores) slows all rounds that follow each other. Where it is much faster,
  /// the shapes are searched anew. `before` is told the name of each. Throws Cancelled, DeviceLost.
  void look_again(const std::function<void(const std::string& name)>& before);

  /// One sentence for all roofs that nobody should rely on for the same reason.
  void report_flaws();

 private:
  struct Measured {
    RoofTask asked;
    RoofTask task;  ///< at its shape
    TrialFacts trial;
    std::vector<Round> rounds;  ///< the one that counts first
    Roof roof;                  ///< what they amount to
  };
  struct Searched {
    std::vector<kernels::Shape> candidates;
    bool whole = true;  ///< false: its time was over before it came to an end, or it was disturbed
  };

  /// With the shape that an earlier search found; nothing when there was none, when it runs no
  /// more, or when it is no longer the better one.
  std::optional<Measured> remembered(const RoofTask&, std::vector<Point>& tried);
  bool memory_is_faster_now() const;
  Measured best_roof(const RoofTask&, std::vector<Point>& tried);
  Searched search(const RoofTask&, std::vector<Point>& tried);
  /// From a short measurement, on a smaller working set where that tells as much; 0: it does not
  /// run.
  double quick_rate(const RoofTask&, const kernels::Shape&, std::vector<Point>& tried);
  /// Of those that run.
  kernels::Shape fastest(const RoofTask&, const std::vector<kernels::Shape>& candidates,
                         std::vector<Point>& tried);
  Measured measured(const RoofTask&, const kernels::Shape&, int rounds, std::vector<Point>& tried);
  /// Adds rounds to a roof or, at another shape, takes its place if it is faster. What fails is
  /// said, and nothing known is lost.
  void measure_more(Measured& known, const kernels::Shape&, int rounds, std::vector<Point>& tried);
  /// Measured once more, as often as one of its own tries lies above it, and not for ever.
  Measured above_its_tries(Measured, std::vector<Point>& tried);
  /// Whether its shape is ours to choose.
  bool is_searched(const RoofTask&) const;
  /// Says that a roof turned out clearly higher than `before`.
  void say_raised(const Roof&, double before);
  /// Runs `work`; why it failed is said of the roof. Throws Cancelled, DeviceLost.
  template <class Work>
  void or_say(const Roof&, const Work& work);
  void report(Point);
  void report(const Measured&);
  bool gives_way(const Measured&) const;
  void report_cached(const RoofTask&);
  /// For comparing; a device that idled before needs longer until it is at speed.
  Policy quick_policy(bool after_idling) const;

  const RoofBench& bench_;
  const RoofEvents& events_;
  std::vector<Measured> found_;
  double beyond_caches_ = 0;  // byte/s, the fastest point of the level curve there
};

}  // namespace engine
