// How often the intervals that are published hold the truth: the real measuring code on a clock of
// its own, on devices whose noise is known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/measure/measure.hpp"
#include "tests/engine/fake_device.hpp"

namespace coverage {

/// How the time of a run differs from the true one.
enum class Noise { independent, bimodal, heavy };

/// A machine: noise of each run, alike to that before it, and a pace that drifts for all that runs.
struct Setting {
  std::string_view name;
  double run = 1e-3;  ///< s, true median
  Noise noise = Noise::independent;
  double spread = 0.01;   ///< of a run
  double alike = 0;       ///< autocorrelation of neighbours
  double drift = 0;       ///< standard deviation of the pace, Ornstein-Uhlenbeck
  double drift_time = 1;  ///< s, of its relaxation
  kernels::Pace pace{};
  double step = 0;         ///< the clock is lower by so much, for 30 ms once in a second
  double power_limit = 0;  ///< by so much load lowers the clock within 50 ms
  bool shares = drift > 0 || power_limit > 0;  ///< only the share of the roof is promised
};

const std::vector<Setting>& settings();

/// A case and the roof beside it on such a machine. The case reaches 0.8 of the roof. Over repeats,
/// its time stays up to the knee and then grows with every op.
class Machine {
 public:
  static constexpr double share = 0.8;
  static constexpr double knee = 20;  ///< repeat

  Machine(const Setting& setting, std::uint64_t seed) : setting_(setting), random_(seed) {
    latent_ = normal_(random_);
    pace_ = normal_(random_);
    for (fake::Script* script : {&case_script_, &roof_script_}) script->clock = &clock_;
    case_script_.seconds = [this](const kernels::Case& what) {
      return setting_.run * slope(what) * noise() * pace();
    };
    // The roof's runs are independent: short ones of a plain kernel.
    roof_script_.seconds = [this](const kernels::Case& what) {
      return share * setting_.run * slope(what) * (1 + 0.002 * normal_(random_)) * pace();
    };
  }

  /// One point, until it is done. Between visits others are measured.
  engine::Measurement measured(engine::Policy policy) {
    policy.pace = setting_.pace;
    fake::Trial trial(case_script_, {}), roof(roof_script_, {});
    const engine::Control control{roof, "roof", 1, 1};
    engine::Sampler sampler(policy, clock_.now());
    const engine::Timing timing = clock_.timing();
    sampler.visit(trial, {}, engine::quick_visit, {}, timing);
    while (!sampler.enough()) {
      clock_.pass(0.2);
      sampler.visit(trial, {&control, setting_.shares ? 1U : 0U}, usual_visit(), {}, timing);
    }
    return sampler.result();
  }

  /// The case and its roof alone, for other ways to measure them.
  fake::Trial case_trial() { return {case_script_, {}}; }
  fake::Trial roof_trial() { return {roof_script_, {}}; }
  fake::Clock& clock() { return clock_; }

  /// A sweep in passes over rising repeats.
  std::vector<engine::Point> sweep(engine::Policy policy) {
    policy.pace = setting_.pace;
    const engine::Timing timing = clock_.timing();
    std::vector<engine::Point> points(5);
    std::vector<engine::Sampler> samplers(points.size(), {policy, clock_.now()});
    for (std::size_t i = 0; i < points.size(); ++i)
      points[i].what.repeat = std::uint64_t{1} << (2 * i);
    std::vector<bool> done(points.size());
    for (int pass = 0; std::ranges::count(done, true) < std::ssize(done); ++pass) {
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (done[i]) continue;
        fake::Trial trial(case_script_, points[i].what), roof(roof_script_, points[i].what);
        const engine::Control control{roof, "roof", 1, 1};
        samplers[i].visit(trial, {&control, pass > 0 ? 1U : 0U},
                          pass > 0 ? usual_visit() : engine::quick_visit, {}, timing);
        done[i] = samplers[i].enough();
      }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      engine::Measurement result = samplers[i].result();
      points[i].seconds = std::move(result.seconds);
      points[i].visits = std::move(result.visits);
    }
    return points;
  }

  /// How many times as long a run at this repeat takes as one at 1.
  static double slope(const kernels::Case& what) {
    return std::max(1.0, static_cast<double>(what.repeat) / knee);
  }

 private:
  engine::VisitPlan usual_visit() const {
    engine::VisitPlan plan = engine::usual_visit;
    plan.warm = setting_.pace.stays_warm > 0;
    return plan;
  }
  /// Of median 1.
  double noise() {
    latent_ = setting_.alike * latent_ +
              std::sqrt(1 - setting_.alike * setting_.alike) * normal_(random_);
    switch (setting_.noise) {
      case Noise::independent:
        return 1 + setting_.spread * latent_;
      case Noise::bimodal:  // two of five runs are slower
        return 1 + setting_.spread * (0.1 * latent_ + (latent_ > 0.2533 ? 3 : 0));
      case Noise::heavy:
        return 1 + setting_.spread * (std::exp(latent_) - 1);
    }
    return 1;
  }
  double pace() { return drift() * step() * power_limit(); }
  /// Times between steps are exponential.
  double step() {
    constexpr double lasts = 0.03, every = 1;
    if (setting_.step <= 0) return 1;
    const double now = clock_.now();
    while (now > next_step_ + lasts)
      next_step_ += lasts + std::exponential_distribution<double>(1 / every)(random_);
    return now > next_step_ ? 1 + setting_.step : 1;
  }
  double power_limit() {
    constexpr double pause = 0.02, reacts_within = 0.05;
    if (setting_.power_limit <= 0) return 1;
    const double passed = clock_.now() - loaded_at_;
    const double keep = std::exp(-passed / reacts_within);
    lowered_ = passed > pause ? keep * lowered_ : 1 - keep * (1 - lowered_);
    loaded_at_ = clock_.now();
    return 1 + setting_.power_limit * lowered_;
  }
  double drift() {
    if (setting_.drift <= 0) return 1;
    const double now = clock_.now();
    const double keep = std::exp(-(now - last_) / setting_.drift_time);
    pace_ = keep * pace_ + std::sqrt(1 - keep * keep) * normal_(random_);
    last_ = now;
    return std::exp(setting_.drift * pace_);
  }

  Setting setting_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  fake::Clock clock_;
  fake::Script case_script_, roof_script_;
  double latent_ = 0, pace_ = 0, last_ = 0;
  double next_step_ = 1000;  // when the clock of the machine begins
  double lowered_ = 0, loaded_at_ = 0;
};

struct Counted {
  int cases = 0, without_interval = 0, held = 0;
  double samples = 0;
  double width = 0;  ///< of the interval, relative; mean

  double share() const {
    return cases > without_interval ? static_cast<double>(held) / (cases - without_interval) : 0;
  }
};

/// Where the pace drifts, of the share of the roof, which alone is promised there; else of the
/// time.
Counted count(const Setting&, int cases);
/// The same of the knee of a sweep, as it is published.
Counted count_knees(const Setting&, int cases);
/// Of how many times as long a run past the knee takes as the shortest.
Counted count_quotients(const Setting&, int cases);

}  // namespace coverage
