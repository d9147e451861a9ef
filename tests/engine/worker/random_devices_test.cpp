// Whether the headline is true: on random fake devices, whose parts of the time are known, the
// regime that a verdict calls is the largest part, and every place says the same.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "engine/verdict/predict.hpp"
#include "tests/engine/worker/sweeper_harness.hpp"
#include "tests/text.hpp"

using engine::Point;
using engine::Regime;
using engine::Session;
using kernels::Case;
using kernels::Family;
using kernels::Launched;
using tests::contains;

namespace {

// Sanitizers look at the code and not at the statistics: a fifth is enough for them.
#if defined(RIDGEPOINT_ASAN) || defined(RIDGEPOINT_TSAN)
constexpr int random_devices = 1000 / 5;
#else
constexpr int random_devices = 1000;
#endif

/// What a run takes, s. Parts may overlap, or leave some of the time unexplained.
struct Parts {
  double overhead = 0, memory = 0, arithmetic = 0;
  double total = 0;

  /// From the largest to the smallest.
  std::array<std::pair<double, Regime>, 3> sorted() const {
    std::array<std::pair<double, Regime>, 3> all{
        {{overhead, Regime::overhead}, {memory, Regime::bandwidth}, {arithmetic, Regime::compute}}};
    std::ranges::sort(all, std::greater{});
    return all;
  }
};

/// A device drawn at random.
class RandomDevice {
 public:
  explicit RandomDevice(std::uint64_t seed)
      : random_(seed),
        gpu_(uniform(0, 1) < 0.6),
        streams_alone_(uniform(0, 1) < 0.25),
        bandwidth_(between(10e9, 8e12)),
        peak_(bandwidth_ * between(0.5, 60)),
        empty_(gpu_ ? between(0.4e-6, 1.5e-6) : between(1e-6, 20e-6)),
        kernel_(empty_ * between(1, 3)),
        host_(between(2e-6, 8e-6)),
        of_bandwidth_(uniform(0.93, 1)),
        of_peak_(uniform(0.93, 1)),
        overlap_(uniform(0.5, 1)),
        idle_(uniform(0, 1) < 0.3 ? uniform(0, 2) : 0),
        noise_(between(0.0005, 0.03)),
        drift_(uniform(0, 0.1)) {}

  bool is_gpu() const { return gpu_; }
  /// From much less than a launch to much more, from far left of the ridge to far right of it.
  Case draw_case() {
    Case what;
    const double bytes = (kernel_ + (gpu_ ? host_ : 0)) * bandwidth_ * between(0.03, 100);
    what.elements = static_cast<std::uint64_t>(std::clamp(bytes / 8, 16.0, 1e9)) / 16 * 16;
    const double at_ridge = 4 * peak_ / bandwidth_;
    what.repeat = static_cast<std::uint64_t>(std::clamp(at_ridge * between(0.05, 20), 1.0, 1024.0));
    if (uniform(0, 1) < 0.2) {
      what.fusion = kernels::Fusion::unfused;
      what.repeat = std::min<std::uint64_t>(what.repeat, 32);
    }
    return what;
  }
  Launched launched(const Case& what) const {
    if (!gpu_) return Launched::threads;
    if (what.family == Family::launch) return Launched::stream;
    const kernels::Work work = kernels::work_of(what);
    const double each = std::max(work.bytes / bandwidth_, work.flops / peak_) / work.launches;
    return streams_alone_ || each >= kernels::short_launch ? Launched::stream : Launched::graph;
  }
  Parts parts(const Case& what) const {
    const kernels::Work work = kernels::work_of(what);
    const bool own = what.family == Family::chain;
    Parts parts{.overhead = work.launches * seconds_of_launch(what),
                .memory = work.bytes / bandwidth_ / (own ? of_bandwidth_ : 1),
                .arithmetic = work.flops / peak_ / (own ? of_peak_ : 1)};
    const auto [shorter, longer] = std::minmax(parts.memory, parts.arithmetic);
    const double work_alone = (longer + (1 - overlap_) * shorter) * (own ? 1 + idle_ : 1);
    parts.total = launched(what) == Launched::stream ? std::max(work_alone, parts.overhead)
                                                     : work_alone + parts.overhead;
    return parts;
  }
  /// With noise, and with a drift of the whole device.
  double seconds(const Case& what, double now) {
    const double noise = noise_ * std::normal_distribution<double>()(random_);
    return parts(what).total * std::exp(noise + drift_ * std::sin(now));
  }

 private:
  double seconds_of_launch(const Case& what) const {
    if (what.family == Family::peak) return 0;  // its shape makes it long
    if (launched(what) == Launched::stream) return host_;
    return what.family == Family::launch ? empty_ : kernel_;
  }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  /// Every magnitude is as likely.
  double between(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }

  std::mt19937_64 random_;
  bool gpu_, streams_alone_;               // short launches are no graph
  double bandwidth_, peak_;                // byte/s, FLOP/s
  double empty_, kernel_, host_;           // s of an empty launch, of a chain's, of one in a stream
  double of_bandwidth_, of_peak_;          // what a chain reaches of them
  double overlap_, idle_, noise_, drift_;  // shares
};

/// One point of a random device and all that its sweep found, with the truth.
struct Measured {
  Session session;
  Parts truth;

  const Point& point() const { return session.points.front(); }
};

Measured measure_on_random_device(std::uint64_t seed) {
  RandomDevice device(seed);
  const Case what = device.draw_case();
  fake::Script script;
  fake::Clock* clock = nullptr;
  script.seconds = [&](const Case& one) {
    constexpr double batch = 1e-3;  // s of the launches that are timed together
    clock->pass(batch);
    return device.seconds(one, clock->now());
  };
  script.launched = [&](const Case& one) { return device.launched(one); };
  script.free_bytes = 64e9;
  const char* id = device.is_gpu() ? "cuda:0" : "cpu";
  fake::Harness h(std::move(script), id);
  clock = &h.clock;
  engine::SweepRequest request;
  request.spec.device = id;
  request.spec.elements = what.elements;
  request.spec.repeats = {what.repeat};
  request.spec.fusion = what.fusion == kernels::Fusion::fused ? engine::FusionChoice::fused
                                                              : engine::FusionChoice::unfused;
  h.finish(h.sweeper.start(std::move(request)));
  Measured measured;
  measured.session.device.id = id;
  measured.session.device.kind = device.is_gpu() ? "cuda" : "cpu";
  for (const engine::Event& event : h.events) engine::apply(measured.session, event);
  REQUIRE(measured.session.points.size() == 1);
  REQUIRE(measured.point().status == engine::Status::ok);
  measured.truth = device.parts(measured.point().what);
  return measured;
}

/// How often headlines are true.
struct Score {
  int asked = 0, right = 0, silent = 0;  // silent: no regime is named, and no part is clear

  void add(const Measured& measured) {
    const engine::Verdict verdict = judge(measured.session, measured.point());
    const auto parts = measured.truth.sorted();
    constexpr double tie = 0.9, clear = 0.6;
    if (parts[1].first > tie * parts[0].first) return;
    const bool is_clear = parts[0].first > clear * measured.truth.total;
    if (verdict.regime == Regime::unknown && !is_clear) {
      ++silent;
      return;
    }
    ++asked;
    const bool true_word = verdict.regime == parts[0].second && has_two_parts(verdict, parts);
    right += true_word ? 1 : 0;
    if (!true_word)
      MESSAGE(fmt::format("{} but overhead {:.2f}, memory {:.2f}, arithmetic {:.2f}",
                          verdict.headline, measured.truth.overhead / measured.truth.total,
                          measured.truth.memory / measured.truth.total,
                          measured.truth.arithmetic / measured.truth.total));
  }
  double share() const { return static_cast<double>(right) / asked; }

 private:
  /// Near the ridge memory and arithmetic are the two largest, and alike.
  static bool has_two_parts(const engine::Verdict& verdict,
                            const std::array<std::pair<double, Regime>, 3>& parts) {
    return !verdict.two_roofs ||
           (parts[0].second != Regime::overhead && parts[1].second != Regime::overhead &&
            parts[0].first < 2.2 * parts[1].first);
  }
};

/// The headline begins with the word of tables, and so does the sentence of explain().
void check_words(const Measured& measured) {
  const Session& session = measured.session;
  const Point& point = measured.point();
  const engine::Verdict verdict = judge(session, point);
  const std::string word(limit_of(session, point));
  CAPTURE(verdict.headline);
  CHECK(verdict.limit == word);
  CHECK(contains(verdict.headline, word.substr(1) + ": "));
  CHECK(contains(explain(session), fmt::format("Repeat {}: {}:", point.what.repeat, word)));
  if (verdict.regime != Regime::unknown && !verdict.two_roofs)
    CHECK(word == name_of(verdict.regime));
}

}  // namespace

TEST_CASE(
    "on 1,000 random devices the headline calls the largest part of the true time in 99 of 100") {
  Score with_looks, without_looks;
  for (std::uint64_t seed = 1; seed <= random_devices; ++seed) {
    CAPTURE(seed);
    Measured measured = measure_on_random_device(seed);
    check_words(measured);
    with_looks.add(measured);
    measured.session.points.front().share.reset();  // as a roof of another time bounds it
    check_words(measured);
    without_looks.add(measured);
  }
  for (const Score& score : {with_looks, without_looks}) {
    MESSAGE(fmt::format("{} of {} are true, {} have no clear limit", score.right, score.asked,
                        score.silent));
    CHECK(score.asked > 0.8 * random_devices);
    CHECK(score.silent > 0.02 * random_devices);
    CHECK(score.share() >= 0.99);
  }
}

TEST_CASE("what other programs timed may hold no launch, and is then bound by its work") {
  Session session;
  session.device.kind = "cuda";
  session.roofs = fake::roofs();
  for (engine::Roof& roof : session.roofs)
    if (roof.kind == engine::RoofKind::overhead) roof.rate = 1 / 4e-6;
  Point point;
  point.source = "kernels.csv";
  point.what.elements = 32768;  // 2.6 us of memory
  point.work = kernels::work_of(point.what);
  point.seconds.median = 1.1 * point.work.bytes / fake::bandwidth;
  CHECK(judge(session, point).limit == "bandwidth-bound");
  point.seconds.median = 10 * point.work.bytes / fake::bandwidth;
  CHECK(judge(session, point).limit == "no clear limit");
  point.seconds.median = 5e-6;
  point.work.bytes /= 100;
  CHECK(judge(session, point).limit == "overhead-bound");
}
