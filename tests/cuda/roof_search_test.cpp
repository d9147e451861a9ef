// Searches of the shapes of compute roofs on an emulated GPU that takes as long as an H200: each of
// its multiprocessors does 128 FMA of fp32 per clock at 1980 MHz (assets/gpu_specs.json). Which shape
// is fastest is made up; published kernels reach 64 to 90 % of that peak (docs/measuring.md,
// "Compute roofs").
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/roofs/roofs.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "tests/cuda/fakes/emulated.hpp"

using namespace kernels;

namespace {

constexpr double clock_hz = 1.98e9;
/// More take the host minutes.
constexpr Dtype searched[] = {Dtype::fp32};
constexpr int blocks_at_once = 8;  // of 256 threads, on a multiprocessor

/// Results of an op per clock and multiprocessor, on an H200.
double rate_of(Dtype dtype) { return dtype == Dtype::fp32 ? 128 : 64; }

/// Of that peak, what a shape reaches here: each axis has its best value, and few chains want short
/// loops.
double share_of(const cuda::PeakKernel& kernel) {
  const double form = kernel.form == cuda::PeakForm::registers      ? 0.64
                      : kernel.form == cuda::PeakForm::same_operand ? 0.9
                      : kernel.form == cuda::PeakForm::immediate    ? 0.85
                                                                    : 0.94;
  const double chains = kernel.chains == 8 ? 0.93 : kernel.chains == 4 ? 1 : 0.96;
  const double unroll = kernel.unroll == 256 ? 0.97 : kernel.unroll == 1024 ? 0.9 : 1;
  return form * chains * unroll;
}

struct OnTimesOfH200 : Emulated {
  std::map<const void*, std::pair<Dtype, cuda::PeakKernel>> peaks;

  OnTimesOfH200() {
    fake_cuda::State& state = fake_cuda::state();
    state.blocks_per_multiprocessor = blocks_at_once;
    state.timed_runs_compute = false;
    state.repeats_once = true;
    state.memory_bytes = 1 << 24;
    add(Dtype::fp64, cuda::fp64_peaks());
    add(Dtype::fp32, cuda::fp32_peaks());
    state.seconds_of = [this](const void* function, const void* arguments, std::uint64_t blocks) {
      return seconds_of(function, arguments, blocks);
    };
  }

  ~OnTimesOfH200() { fake_cuda::state().seconds_of = {}; }

  void add(Dtype dtype, const std::vector<cuda::PeakKernel>& kernels) {
    for (const cuda::PeakKernel& kernel : kernels) peaks[kernel.function] = {dtype, kernel};
  }

  std::optional<double> seconds_of(const void* function, const void* arguments,
                                   std::uint64_t blocks) const {
    constexpr double launch_and_tail = 3e-6;
    const auto found = peaks.find(function);
    if (found == peaks.end()) return std::nullopt;
    const auto& [dtype, kernel] = found->second;
    const auto* const given = static_cast<const cuda::PeakArguments*>(arguments);
    const double multiprocessors = 2;
    const double waves =
        std::ceil(static_cast<double>(blocks) / (multiprocessors * blocks_at_once));
    const double instructions = kernel.op == Op::mul_add ? 2 : 1;
    const double results = blocks_at_once * cuda::block_threads * kernel.chains *
                           instructions * given->repeat;
    return launch_and_tail +
           waves * results / (rate_of(dtype) * share_of(kernel) * clock_hz);
  }
};

struct Found {
  std::map<std::string, engine::Roof> roofs;
  std::vector<engine::Point> tried;
  std::vector<std::string> problems;
  double seconds = 0;
};

Found search(Device& gpu, engine::RoofCache& cache) {
  Found found;
  engine::RoofEvents events;
  events.roof = [&](const engine::Roof& roof) { found.roofs[roof.name] = roof; };
  events.tried = [&](engine::Point point) { found.tried.push_back(std::move(point)); };
  events.problem = [&](std::string problem) { found.problems.push_back(std::move(problem)); };
  std::vector<Case> cases;
  for (const Dtype dtype : searched) {
    cases.push_back({.dtype = dtype, .elements = 1 << 18});
  }
  engine::Timing timing;
  timing.now = fake_cuda::now;
  timing.rest = [](double seconds, const std::stop_token&) { fake_cuda::pass(seconds); };
  const double begin = fake_cuda::now();
  // Of arithmetic alone.
  std::vector<engine::Roof> known(2);
  known[0].name = "DRAM copy";
  known[1].name = "launch";
  for (engine::Roof& roof : known) roof.source = engine::RoofSource::measured;
  engine::measure_roofs({.device = gpu, .timing = timing, .cache = &cache}, cases, known, events);
  found.seconds = fake_cuda::now() - begin;
  return found;
}

std::vector<engine::Point> tries_of(const Found& found, Dtype dtype) {
  std::vector<engine::Point> tries;
  std::ranges::copy_if(found.tried, std::back_inserter(tries), [&](const engine::Point& point) {
    return point.what.family == Family::peak && point.what.dtype == dtype;
  });
  return tries;
}

}  // namespace

TEST_CASE("on a GPU as fast as an H200 every axis of a compute roof is searched, and winners are kept") {
  OnTimesOfH200 emulated;
  engine::RoofCache cache({}, emulated.gpu().info());
  const Found cold = search(emulated.gpu(), cache);
  for (const Dtype dtype : searched) {
    const std::string name = std::string(name_of(dtype)) + " FMA";
    CAPTURE(name);
    REQUIRE(cold.roofs.contains(name));
    const engine::Roof& roof = cold.roofs.at(name);
    const auto tries = tries_of(cold, dtype);
    double best = 0;
    std::size_t there = 0;
    for (const auto& [function, peak] : emulated.peaks) {
      if (peak.first != dtype || peak.second.op != Op::fma) continue;
      best = std::max(best, share_of(peak.second));
      ++there;
    }
    const double peak = 2 * 2 * rate_of(dtype) * best * clock_hz;
    CHECK(roof.rate > 0.985 * peak);
    CHECK(roof.rate < peak);
    Case what{.family = Family::peak, .dtype = dtype};
    for (const ShapeAxis& axis : emulated.gpu().shape_axes(what)) {
      for (const std::string& value : axis.values) {
        CAPTURE(axis.name);
        CAPTURE(value);
        CHECK(std::ranges::any_of(tries, [&](const engine::Point& point) {
          return std::ranges::count(point.what.shape, ShapeChoice{axis.name, value}) > 0;
        }));
      }
    }
    // The winner alone was verified.
    CHECK(std::ranges::count(tries, true, &engine::Point::checked) == 1);
    CHECK(cache.winner(name) == roof.shape);
    MESSAGE(name << ": " << tries.size() << " of " << there << " shapes tried, "
                 << roof.rate / peak * 100 << " % of the fastest, " << text_of(roof.shape));
  }
  MESSAGE(cold.roofs.size() << " roofs in " << cold.seconds << " s of the emulated GPU");
  for (const std::string& problem : cold.problems) FAIL_CHECK(problem);
  CHECK(cold.seconds < 1.5 * std::size(searched));

  const Found warm = search(emulated.gpu(), cache);
  MESSAGE("with remembered shapes " << warm.seconds << " s");
  CHECK(warm.roofs.size() == cold.roofs.size());
  CHECK(warm.seconds < cold.seconds / 2);
}

TEST_CASE("a shape that is fast because it is wrong wins a search and gives no roof") {
  OnTimesOfH200 emulated;
  // Half of the ops are left out, in half of the time.
  const auto wrong = std::ranges::find_if(emulated.peaks, [](const auto& entry) {
    const auto& [dtype, kernel] = entry.second;
    return dtype == Dtype::fp32 && kernel.op == Op::fma && kernel.chains == 8 &&
           kernel.unroll == 256 && kernel.form == cuda::PeakForm::immediate;
  });
  REQUIRE(wrong != emulated.peaks.end());
  fake_cuda::state().before_kernel = [wrong](const void* function, void* arguments) {
    if (function == wrong->first) static_cast<cuda::PeakArguments*>(arguments)->repeat /= 2;
  };
  engine::RoofCache cache({}, emulated.gpu().info());
  const Found found = search(emulated.gpu(), cache);
  const engine::Roof& roof = found.roofs.at("fp32 FMA");
  CHECK(roof.rate < 2 * 2 * rate_of(Dtype::fp32) * clock_hz);
  CHECK(roof.shape != Shape{{"chains", "8"}, {"operands", "immediate"}, {"unroll", "256"}});
  CHECK(std::ranges::any_of(tries_of(found, Dtype::fp32), [](const engine::Point& point) {
    return point.status == engine::Status::failed && point.why.find("wrong result") == 0;
  }));
}
