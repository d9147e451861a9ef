// The lab `timing`: its verdict on devices that deceive as a test decides.
#include "kernels/families/timing/timing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/session/session_file.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using kernels::Family;
using kernels::Way;
using test::Made;
using test::row;
using tests::contains;

namespace {

constexpr double truth = 100e-6;

/// Seconds of the ways that decide; the others tell the truth.
Made made(double unfinished, double new_memory, bool gpu = false) {
  const std::vector<kernels::Kernel> kernels{{.family = Family::timing, .op = kernels::Op::fma}};
  return Made(
      "timing",
      [=](Point& point) {
        const Way way = kernels::way_of(point.what);
        if (way == Way::unfinished) return unfinished;
        return way == Way::new_memory ? new_memory : truth;
      },
      gpu ? kernels : std::vector<kernels::Kernel>{});
}

/// The same with these samples of the proper way.
LabVerdict verdict_on(const std::vector<double>& samples, std::vector<std::size_t> visits = {0}) {
  Made one = made(2e-6, 300e-6);
  Seconds& seconds = one.session.points.front().seconds;
  seconds.samples = samples;
  for (const std::size_t first : visits)
    one.session.points.front().visits.push_back({.first = first});
  return one.verdict();
}

}  // namespace

TEST_CASE("timing: the claim holds where no wait is too short and new memory too long") {
  const LabVerdict verdict = made(2e-6, 300e-6).verdict();
  CHECK(verdict.says == Says::holds);
  CHECK(row(verdict, "without waiting").here->median == doctest::Approx(0.02));
  CHECK(row(verdict, "on new memory").here->median == doctest::Approx(3));
  CHECK(contains(verdict.headline, "The kernel takes 100 µs"));
}

TEST_CASE("timing: the claim does not hold where every way tells the truth") {
  CHECK(made(truth, truth).verdict().says == Says::differs);
}

TEST_CASE("timing: nothing is said without the truth, or while the lab runs") {
  CHECK(made(0, 300e-6).verdict().says == Says::cannot_say);
  const Made one = made(2e-6, 300e-6);
  CHECK(verdict_of(*find_lab("timing"), results_of("timing", one.session, false)).says ==
        Says::not_yet);
}

TEST_CASE("timing: a CPU has seven ways, a GPU eight and larger data") {
  const Made cpu = made(2e-6, 300e-6), gpu = made(2e-6, 300e-6, true);
  CHECK(cpu.session.points.size() == 7);
  CHECK(gpu.session.points.size() == 8);
  CHECK(cpu.session.points.front().what == kernels::timing_case(Way::proper, 1 << 18, 32));
  CHECK(gpu.session.points.front().what == kernels::timing_case(Way::proper, 1 << 16, 256));
}

TEST_CASE("timing: more work than a stop can wait for is refused") {
  Spec spec;
  spec.lab = "timing";
  spec.more = {{"timed-elements", "268435456"}, {"ops", "4096"}};
  const Session empty;
  CHECK_THROWS_WITH_AS(
      static_cast<void>(find_lab("timing")->plan(spec, {}, {spec, empty, {}})),
      "--timed-elements 268435456 are too many for --ops 4096: choose at most 4194304", BadInput);
}

TEST_CASE("timing: samples tell how far one alone, their mean and their order can be off") {
  std::vector<double> samples(100, truth);
  samples[3] = 4 * truth;  // another program came
  const LabVerdict verdict = verdict_on(samples);
  CHECK(row(verdict, "one sample alone").here->median == doctest::Approx(4));
  CHECK(row(verdict, "the mean").here->median == doctest::Approx(1.03));
  CHECK(row(verdict, "1 % wide").here->median >= 6);
  std::vector<double> drifting(60, truth);
  std::fill(drifting.begin() + 40, drifting.end(), 1.2 * truth);
  CHECK(row(verdict_on(drifting, {0, 20, 40}), "what drift can do").here->median ==
        doctest::Approx(1.2));
}

TEST_CASE("timing: samples that stay apart never have a narrow interval") {
  std::vector<double> samples;
  for (int i = 0; i < 60; ++i) samples.push_back(i % 2 == 0 ? truth : 1.5 * truth);
  const LabVerdict verdict = verdict_on(samples);
  CHECK(std::ranges::none_of(verdict.rows,
                             [](const VerdictRow& one) { return contains(one.what, "1 % wide"); }));
}

TEST_CASE("timing: the histogram has every sample in one range") {
  Made one = made(2e-6, 300e-6);
  Point& proper = one.session.points.front();
  proper.seconds.samples.clear();
  for (int i = 0; i < 97; ++i) proper.seconds.samples.push_back(truth * (1 + 0.001 * i));
  const auto charts = find_lab("timing")->charts(results_of("timing", one.session));
  const auto histogram = std::ranges::find(charts, "timing-histogram", &Chart::id);
  REQUIRE(histogram != charts.end());
  REQUIRE(histogram->curves.size() == 1);
  double all = 0;
  for (std::size_t i = 0; i < histogram->curves.front().y.size(); i += 2)
    all += histogram->curves.front().y[i];
  CHECK(all == 97);
  const auto intervals = std::ranges::find(charts, "timing-interval", &Chart::id);
  REQUIRE(intervals->curves.size() == 2);
  CHECK(intervals->curves.front().x.front() >= 6);
  CHECK(intervals->curves.front().x.back() == 97);
}
