// A job that a test makes up, as the counters of a GPU tell of it: its phases, their shares of time
// and the verdict.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/session/session_file.hpp"
#include "engine/watch/windows.hpp"
#include "kernels/counted.hpp"
#include "tests/engine/worker/sweeper_harness.hpp"
#include "tests/text.hpp"

namespace {

namespace counted = kernels::counted;
using engine::Point;
using engine::Regime;

/// Shares of one phase of a job, and its clock; as an H200 counted them (2026-11-28).
struct Phase {
  double seconds = 0;
  std::vector<kernels::Value> counted{};
  double clock_hz = 1980e6;
};
std::vector<kernels::Value> values(double busy, double dram, std::string_view pipe, double share,
                                   double any_kernel) {
  return {{std::string(counted::busy), busy},
          {std::string(counted::dram), dram},
          {std::string(pipe), share},
          {std::string(counted::any_kernel), any_kernel}};
}
const Phase copies{10, values(0.988, 0.8815, counted::fp32, 0, 1)};
const Phase products{20, values(0.964, 0.175, counted::hmma, 0.935, 1), 1486e6};
const Phase idle{10, values(0, 0, counted::fp32, 0, 0)};
const Phase small_kernels{10, values(0.06, 0.012, counted::hmma, 0.004, 0.14)};
const Phase mixed{10, values(0.91, 0.385, counted::hmma, 0.32, 0.99), 1940e6};

/// Reads a job phase by phase on the clock of a test.
class Job : public kernels::ActivityReader {
 public:
  Job(std::vector<Phase> phases, const fake::Clock& clock)
      : phases_(std::move(phases)), clock_(clock), begin_(clock.now()), last_(begin_) {}
  double least_window() const override { return 0.1; }
  std::string why_not() const override { return ""; }
  std::optional<kernels::Activity> read() override {
    const double now = clock_.now();
    if (now - last_ < least_window() / 2) return std::nullopt;
    kernels::Activity activity{.seconds = now - last_};
    double end = begin_;
    for (const Phase& phase : phases_) {
      end += phase.seconds;
      if ((last_ + now) / 2 >= end) continue;
      activity.counted = phase.counted;
      activity.conditions.clock_hz = phase.clock_hz;
      last_ = now;
      return activity;
    }
    throw kernels::Unsupported("NVML refuses a sample of its counters (GPU is lost)");
  }

 private:
  std::vector<Phase> phases_;
  const fake::Clock& clock_;
  double begin_, last_;
};

engine::Roof stated(std::string name, engine::RoofKind kind, double rate, double clock = 0) {
  engine::Roof roof;
  roof.name = std::move(name);
  roof.kind = kind;
  roof.rate = rate;
  roof.stated_clock = clock;
  roof.source = engine::RoofSource::datasheet;
  return roof;
}

/// Of an H200: its datasheet, and a matrix roof that was counted while it ran.
std::vector<engine::Roof> roofs() {
  std::vector<engine::Roof> roofs{
      stated("DRAM copy", engine::RoofKind::bandwidth, 4.8e12),
      stated("fp32 FMA", engine::RoofKind::compute, 66.9e12, 1980e6),
      stated("bf16 matrix", engine::RoofKind::compute, 989.4e12, 1830e6)};
  engine::Roof measured = roofs.back();
  measured.source = engine::RoofSource::measured;
  measured.sustained = 874.9e12;
  measured.sustained_conditions.clock_hz = 1814.4e6;
  measured.counted_busy = 0.9975;
  roofs.push_back(measured);
  return roofs;
}

/// Watched until its time is over, or the device goes away; the session of it.
struct Watched {
  explicit Watched(std::vector<Phase> phases, double time = 0) {
    fake::Script script;
    fake::Harness* owner = nullptr;
    script.activity = [&owner, phases] { return std::make_unique<Job>(phases, owner->clock); };
    fake::Harness harness(std::move(script), "cuda:0");
    owner = &harness;
    engine::SweepRequest request;
    request.spec.lab = engine::watch_lab;
    request.spec.time = time;
    request.known_roofs = roofs();
    finished = harness.finish(harness.sweeper.start(request));
    session.device.id = "cuda:0";
    for (const engine::Event& event : harness.events) engine::apply(session, event);
  }
  std::vector<double> shares() const {
    std::vector<double> parts(engine::limits.size());
    double all = 0;
    for (const Point& point : session.points) {
      const auto division = engine::division_of(session, point);
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i] += division[i];
      all += point.seconds.median;
    }
    for (double& part : parts) part /= all;
    return parts;
  }
  engine::LabVerdict verdict() const {
    const engine::Lab& lab = *engine::find_lab(engine::watch_lab);
    return lab.verdict(engine::results_of(lab.name, session));
  }

  engine::SweepFinished finished{};
  engine::Session session;
};

}  // namespace

TEST_CASE("a job of phases is divided into what limits it, within 2 %") {
  const Watched watched({copies, products, idle, small_kernels, mixed}, 60);
  CHECK(watched.finished.end == engine::End::complete);
  CHECK(watched.session.points.size() > 560);
  const std::vector<double> parts = watched.shares();
  CHECK(std::abs(parts[0] - 20 * 0.964 / 60) < 0.02);  // compute
  CHECK(std::abs(parts[1] - 10 * 0.988 / 60) < 0.02);  // bandwidth
  const double none = 20 * 0.036 + 10 * 0.012 + 10 + 10 * 0.94 + 10 * 0.09;
  CHECK(std::abs(parts[2] - none / 60) < 0.02);  // overhead
  CHECK(std::abs(parts[3] - (10 * 0.06 + 10 * 0.91) / 60) < 0.02);
}

TEST_CASE("shares become byte/s and FLOP/s as a load of known FLOP was counted") {
  const Watched watched({copies, products}, 30);
  const auto at = [&](double time) {
    return *std::ranges::find_if(watched.session.points, [&](const Point& point) {
      return engine::value_of(point, engine::time_value) > time;
    });
  };
  CHECK(at(5).bytes_per_second() == doctest::Approx(0.8815 * 4.8e12));
  CHECK(at(5).work.flops == 0);
  // PyTorch's own time said 667.6 TFLOP/s; the datasheet alone would say 751.
  const double rate = at(15).flops_per_second();
  CHECK(std::abs(rate / 667.6e12 - 1) < 0.05);
  CHECK(at(15).what.dtype == kernels::Dtype::bf16);
  CHECK(at(15).what.units == kernels::Units::matrix);
}

TEST_CASE("GPU-Util that tells more than what is used is shown beside it") {
  const engine::LabVerdict verdict = Watched({mixed}, 10).verdict();
  CHECK(verdict.says == engine::Says::holds);
  CHECK(tests::contains(verdict.headline, " 91 % no clear limit, "));
  CHECK(tests::contains(verdict.headline,
                        "GPU-Util says 99 %; multiprocessors had work for 91 % of the time, HMMA "
                        "units for 32 %, and 38 % of the memory's bandwidth was used."));
  const engine::LabVerdict nothing = Watched({idle}, 10).verdict();
  CHECK(nothing.says == engine::Says::cannot_say);
  CHECK(nothing.headline == "Nothing ran on the device.");
}

TEST_CASE("a device that goes away ends the run with the reason, and its windows stay") {
  const Watched watched({copies});
  CHECK(watched.finished.end == engine::End::failed);
  CHECK(tests::contains(watched.finished.why, "GPU is lost"));
  CHECK(watched.session.points.size() > 90);
}

TEST_CASE("a device without counters says so and has no windows") {
  for (const std::string id : {"cpu", "cuda:0"}) {
    fake::Harness harness({}, id);
    engine::SweepRequest request;
    request.spec.lab = engine::watch_lab;
    const engine::SweepFinished finished = harness.finish(harness.sweeper.start(request));
    CHECK(finished.end == engine::End::failed);
    CHECK(tests::contains(finished.why, "counts nothing"));
    CHECK(harness.points().empty());
  }
}

TEST_CASE("a long run keeps few windows, all sums, and what stood out") {
  engine::Session session;
  const engine::CountedRates rates = engine::counted_rates(roofs(), kernels::Dtype::bf16);
  constexpr int windows = 36'000, odd = 7'777;  // 1 h at 10 Hz
  double seconds = 0, bytes = 0;
  for (int i = 0; i < windows; ++i) {
    kernels::Activity activity{.seconds = 0.1};
    const double noise = 0.001 * (i % 7);
    activity.counted = values(0.9, i == odd ? 0.05 : 0.8 + noise, counted::fp32, 0.1, 1);
    activity.conditions.clock_hz = 1980e6;
    activity.conditions.power_w = 123.456;
    for (const char* more : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"})  // as a GPU
      activity.counted.push_back({more, noise / 3});
    Point point = engine::window_point(rates, activity, 0.1 * i);
    point.id = std::to_string(i);
    seconds += point.seconds.median;
    bytes += point.work.bytes;
    REQUIRE(engine::add_point(session, point));
    engine::put_alike_together(session, point.run);
  }
  CHECK(session.points.size() <= engine::most_windows);
  CHECK(session.points.size() > engine::most_windows / 8);
  CHECK(engine::to_json(session).size() < 10e6);
  double kept_seconds = 0, kept_bytes = 0, lowest = 1;
  for (const Point& point : session.points) {
    kept_seconds += point.seconds.median;
    kept_bytes += point.work.bytes;
    lowest = std::min(lowest, engine::value_of(point, counted::dram));
  }
  CHECK(kept_seconds == doctest::Approx(seconds));
  CHECK(kept_bytes == doctest::Approx(bytes));
  CHECK(lowest == doctest::Approx(0.05));
  CHECK(std::ranges::is_sorted(session.points, {}, [](const Point& point) {
    return engine::value_of(point, engine::time_value);
  }));
}

TEST_CASE("the phases of a job have its lengths and rates, and what comes back is one phase") {
  const Phase more_products{5, products.counted, products.clock_hz};
  const Phase blink{0.5, values(0.5, 0.5, counted::fp32, 0.2, 1)};
  const Phase pause{8, idle.counted};
  const Watched watched({copies, products, blink, pause, more_products}, 43.5);
  std::vector<const Point*> windows;
  for (const Point& point : watched.session.points) windows.push_back(&point);
  const std::vector<Point> phases = engine::phases_of(windows);
  REQUIRE(phases.size() == 3);  // a stretch of half a second is none
  CHECK(phases[0].seconds.median == doctest::Approx(25).epsilon(0.02));
  CHECK(phases[0].flops_per_second() ==
        doctest::Approx(874.9e12 / 0.9975 * 0.935 * 1486 / 1814.4).epsilon(0.02));
  CHECK(phases[1].seconds.median == doctest::Approx(10).epsilon(0.03));
  CHECK(phases[1].bytes_per_second() == doctest::Approx(0.8815 * 4.8e12).epsilon(0.02));
  CHECK(phases[2].work.bytes == 0);
}

namespace {

/// What an H200 counted of a training program (2026-11-26): a phase for each window, and the name
/// of what ran.
struct Training {
  std::vector<Phase> windows;
  std::vector<std::string> names;

  Training() {
    std::ifstream file("h200_training.csv");
    std::string line;
    std::getline(file, line);  // names of columns
    constexpr double percent = 0.01, mega = 1e6;
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      std::string name, text;
      std::vector<double> numbers;
      for (int column = 0; std::getline(fields, text, ','); ++column) {
        if (column == 1)
          name = text;
        else
          numbers.push_back(std::stod(text));
      }
      REQUIRE(numbers.size() == 8);
      Phase window{numbers[0], {}, numbers[1] * mega};
      const std::array order{counted::any_kernel, counted::busy, counted::dmma,
                             counted::hmma,       counted::dram, counted::fp32};
      for (std::size_t i = 0; i < order.size(); ++i)
        window.counted.push_back({std::string(order[i]), numbers[i + 2] * percent});
      windows.push_back(window);
      names.push_back(name);
    }
  }
  double seconds() const {
    double all = 0;
    for (const Phase& window : windows) all += window.seconds;
    return all;
  }
  /// The windows that were watched while that ran, but for its first 0.3 s.
  std::vector<const Point*> of(const Watched& watched, std::string_view name) const {
    double begin = 0;
    std::size_t i = 0;
    for (; names[i] != name; ++i) begin += windows[i].seconds;
    double end = begin;
    for (; i < names.size() && names[i] == name; ++i) end += windows[i].seconds;
    std::vector<const Point*> points;
    for (const Point& point : watched.session.points) {
      const double at = engine::value_of(point, engine::time_value);
      if (at > begin + 0.3 && at + point.seconds.median < end) points.push_back(&point);
    }
    return points;
  }
};

engine::Regime usual_limit(const Watched& watched, const std::vector<const Point*>& points) {
  std::map<engine::Regime, int> count;
  for (const Point* point : points) ++count[engine::main_limit_of(watched.session, *point)];
  return std::ranges::max_element(count, {}, &std::pair<const engine::Regime, int>::second)->first;
}

}  // namespace

TEST_CASE(
    "a training program on an H200 has the rates that it timed, and its phases their limits") {
  const Training training;
  REQUIRE(training.windows.size() > 500);
  const Watched watched(training.windows, training.seconds() - 0.2);
  const auto rate = [&](std::string_view name, double kernels::Work::*of) {
    double all = 0, seconds = 0;
    for (const Point* point : training.of(watched, name)) {
      all += point->work.*of;
      seconds += point->seconds.median;
    }
    return all / seconds;
  };
  // By timing in the program itself.
  CHECK(rate("copy", &kernels::Work::bytes) == doctest::Approx(4.227e12).epsilon(0.03));
  CHECK(rate("bf16 product", &kernels::Work::flops) == doctest::Approx(648e12).epsilon(0.05));
  CHECK(rate("fp32 product", &kernels::Work::flops) == doctest::Approx(49.9e12).epsilon(0.03));
  const auto limit = [&](std::string_view name) {
    return usual_limit(watched, training.of(watched, name));
  };
  CHECK(limit("idle") == Regime::overhead);
  CHECK(limit("copy") == Regime::bandwidth);
  CHECK(limit("bf16 product") == Regime::compute);
  CHECK(limit("fp32 product") == Regime::compute);
  CHECK(limit("layer 2x128 eager") == Regime::overhead);
  CHECK(limit("with a slow loader") == Regime::overhead);
  CHECK(limit("large layer 64x512 compiled") == Regime::compute);  // 49 % of 92 %
}

TEST_CASE("what is not counted has no limit, and no verdict") {
  const Phase only_used{5, {{std::string(counted::any_kernel), 0.97}}};
  const Watched watched({only_used}, 4);
  CHECK(watched.shares()[3] == doctest::Approx(1));
  const engine::LabVerdict verdict = watched.verdict();
  CHECK(verdict.says == engine::Says::cannot_say);
  CHECK(tests::contains(verdict.headline, "GPU-Util says 97 %"));
  CHECK(verdict.rows.empty());
}

TEST_CASE("windows of unlike limits stay apart, so that a long job is divided as a short one") {
  const engine::CountedRates rates = engine::counted_rates(roofs(), kernels::Dtype::bf16);
  engine::Session session;
  session.roofs = roofs();
  const auto shares = [&] {
    std::vector<double> parts(engine::limits.size());
    for (const Point& point : session.points) {
      const auto division = engine::division_of(session, point);
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i] += division[i];
    }
    return parts;
  };
  for (std::size_t i = 0; i <= engine::most_windows; ++i) {
    // Two windows of products, then two of copies.
    const Phase& phase = i / 2 % 2 == 0 ? products : copies;
    kernels::Activity activity{.seconds = 0.1, .counted = phase.counted};
    activity.conditions.clock_hz = phase.clock_hz;
    session.points.push_back(engine::window_point(rates, activity, 0.1 * static_cast<double>(i)));
  }
  const std::vector<double> before = shares();
  engine::put_alike_together(session, 0);
  CHECK(session.points.size() <= engine::most_windows / 2 + 1);
  const std::vector<double> after = shares();
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK(after[i] == doctest::Approx(before[i]).epsilon(1e-6));
}

TEST_CASE("one window is judged by its own shares, and not by roofs of caches") {
  const Watched watched({copies, products, idle, small_kernels, mixed}, 60);
  const auto headline = [&](double at) {
    const auto found = std::ranges::find_if(watched.session.points, [&](const Point& point) {
      return engine::value_of(point, engine::time_value) >= at;
    });
    return engine::judge(watched.session, *found).headline;
  };
  CHECK(headline(5) == "Bandwidth-bound: memory at 88 % of its roof");
  CHECK(headline(15) == "Compute-bound: HMMA units busy 94 % of the time");
  CHECK(headline(35) == "Overhead-bound: 100 % of the multiprocessors had no work");
  CHECK(tests::contains(headline(55), "No clear limit: memory at 38 % of its roof"));
  const Point& copy = watched.session.points[50];
  CHECK(engine::limit_of(watched.session, copy) == "bandwidth-bound");
  CHECK(engine::share_of_roofs(watched.session, copy) == doctest::Approx(0.8815));
}
