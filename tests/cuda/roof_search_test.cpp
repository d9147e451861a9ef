// Searches of the shapes of every compute roof of the lab `roofs` on an emulated GPU that takes as
// long as an H200: what each of its multiprocessors does per clock is that of
// assets/gpu_specs.json. Which shape is fastest is made up; published kernels reach 64 to 90 % of
// the fp32 peak (docs/lab-notes.md, "Compute roofs").
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/roofs/roof_tasks.hpp"
#include "engine/roofs/roofs.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/tile/tile.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/files.hpp"

using namespace kernels;

namespace {

constexpr double clock_hz = 1.98e9;
constexpr double multiprocessors = 2;  // of the emulated GPU
constexpr int blocks_at_once = 8;      // of 256 threads, on a multiprocessor

/// FLOP per clock and multiprocessor of an H200: a multiply-add on vector units, a product on
/// matrix units by wgmma, of fp64 by mma.sync; of other types mma.sync has 63 % of that.
double flops_per_clock(Dtype dtype, Units units) {
  const bool matrix = units == Units::matrix;
  switch (dtype) {
    case Dtype::fp64:
      return matrix ? 256 : 2 * 64;
    case Dtype::fp32:
      return 2 * 128;
    case Dtype::fp16:
    case Dtype::bf16:
      return matrix ? 4096 : 2 * 256;
    case Dtype::tf32:
      return 2048;
    case Dtype::int32:
      return 2 * 64;
    case Dtype::int8:
      return matrix ? 8192 : 4 * 2 * 64;
    default:
      return 8192;
  }
}
constexpr double of_mma_sync = 0.63;

/// Of that peak, what a shape reaches here: each axis has its best value, and few chains want short
/// loops.
double share_of(const cuda::PeakKernel& kernel) {
  const double form = kernel.form == cuda::PeakForm::registers   ? 0.64
                      : kernel.form == cuda::PeakForm::immediate ? 0.94
                                                                 : 0.85;
  const double chains = kernel.chains == 8 ? 0.93 : 1;
  const double unroll = kernel.unroll == 256 ? 1 : 0.97;
  return form * chains * unroll;
}
double share_of(const cuda::WgmmaKernel& kernel, cuda::WgmmaLayout layout) {
  const double columns = kernel.columns == 128 ? 1 : kernel.columns == 256 ? 0.93 : 0.7;
  return columns * (kernel.a_in_registers ? 1 : 0.95) *
         (layout == cuda::WgmmaLayout::plain ? 0.9 : 1);
}
double share_of_warp_tiles(int tiles) { return tiles == 4 ? 1 : tiles == 2 ? 0.94 : 0.7; }

/// The same trial; of its kernels those that take made-up times compute while it is verified alone.
class QuietTrial final : public Trial {
 public:
  explicit QuietTrial(std::unique_ptr<Trial> trial) : trial_(std::move(trial)) {}
  void settle(std::stop_token stop) override { trial_->settle(stop); }
  Sample run(std::stop_token stop) override { return trial_->run(stop); }
  Work work() const override { return trial_->work(); }
  Check verify(std::stop_token stop) override {
    fake_cuda::state().known_kernels_compute = true;
    const Check check = trial_->verify(stop);
    fake_cuda::state().known_kernels_compute = false;
    return check;
  }
  bool cold() const override { return trial_->cold(); }

 private:
  std::unique_ptr<Trial> trial_;
};
class QuietDevice final : public Device {
 public:
  explicit QuietDevice(Device& device) : device_(device) {}
  const DeviceInfo& info() const override { return device_.info(); }
  std::span<const Kernel> kernels() const override { return device_.kernels(); }
  std::vector<ShapeAxis> shape_axes(const Case& c) const override { return device_.shape_axes(c); }
  void open() override { device_.open(); }
  std::unique_ptr<Trial> prepare(const Case& c, std::stop_token stop) override {
    return std::make_unique<QuietTrial>(device_.prepare(c, stop));
  }
  void watch() override { device_.watch(); }
  Conditions conditions() override { return device_.conditions(); }
  double free_bytes() const override { return device_.free_bytes(); }

 private:
  Device& device_;
};

struct OnTimesOfH200 : Emulated {
  std::map<const void*, std::pair<Dtype, cuda::PeakKernel>> peaks;
  QuietDevice quiet{gpu()};

  OnTimesOfH200() {
    fake_cuda::State& state = fake_cuda::state();
    state.blocks_per_multiprocessor = blocks_at_once;
    state.timed_runs_compute = false;
    state.known_kernels_compute = false;
    state.repeats_once = true;
    state.memory_bytes = 1 << 24;
    add(Dtype::fp64, cuda::fp64_peaks());
    add(Dtype::fp32, cuda::fp32_peaks());
    add(Dtype::fp16, cuda::fp16_peaks());
    add(Dtype::bf16, cuda::bf16_peaks());
    add(Dtype::int32, cuda::int32_peaks());
    add(Dtype::int8, cuda::int8_peaks());
    state.seconds_of = [this](const void* function, const void* arguments, std::uint64_t blocks) {
      return seconds_of(function, arguments, blocks);
    };
  }

  ~OnTimesOfH200() { fake_cuda::state() = {}; }

  void add(Dtype dtype, const std::vector<cuda::PeakKernel>& kernels) {
    for (const cuda::PeakKernel& kernel : kernels) peaks[kernel.function] = {dtype, kernel};
  }

  static double seconds_for(double flops, double flops_per_clock) {
    constexpr double launch_and_tail = 3e-6;
    return launch_and_tail + flops / (multiprocessors * flops_per_clock * clock_hz);
  }

  std::optional<double> seconds_of(const void* function, const void* arguments,
                                   std::uint64_t blocks) const {
    if (const auto found = peaks.find(function); found != peaks.end()) {
      const auto& [dtype, kernel] = found->second;
      const auto* const given = static_cast<const cuda::PeakArguments*>(arguments);
      const double wave = multiprocessors * blocks_at_once;
      const double waves = std::ceil(static_cast<double>(blocks) / wave);
      const double in_chain = std::max<double>(1, 4.0 / static_cast<double>(size_of(dtype)));
      // A multiply and an add take two instructions, for as many FLOP as one multiply-add.
      const double instructions = kernel.op == Op::mul_add ? 2 : 1;
      const double flops = 2 * instructions * in_chain * waves * wave * cuda::block_threads *
                           kernel.chains * given->repeat;
      return seconds_for(flops, flops_per_clock(dtype, Units::vector) * share_of(kernel));
    }
    const auto* const given = static_cast<const cuda::MatrixPeakArguments*>(arguments);
    const auto products = [&](Dtype dtype, int tiles) {
      return static_cast<double>(given->units) * tiles * given->repeat * 2 *
             static_cast<double>(tile_rows * tile_columns * tile_depth(dtype));
    };
    static const auto by_wgmma = cuda::wgmma_kernels();
    static const auto by_mma = cuda::matrix_kernels();
    for (const cuda::WgmmaKernel& kernel : by_wgmma) {
      if (kernel.peak != function) continue;
      return seconds_for(
          products(kernel.dtype, kernel.columns / 8),
          flops_per_clock(kernel.dtype, Units::matrix) * share_of(kernel, given->layout));
    }
    for (const cuda::MatrixKernel& kernel : by_mma) {
      for (std::size_t i = 0; i < kernel.peak.size(); ++i) {
        if (kernel.peak[i] != function) continue;
        const int tiles = cuda::peak_warp_tiles[i];
        const double part = kernel.dtype == Dtype::fp64 ? 1 : of_mma_sync;
        return seconds_for(
            products(kernel.dtype, cuda::tile_warps * tiles),
            flops_per_clock(kernel.dtype, Units::matrix) * part * share_of_warp_tiles(tiles));
      }
    }
    return std::nullopt;
  }

  /// What the fastest shape of a roof reaches, FLOP/s.
  double fastest(const engine::RoofTask& task) const {
    const Case& c = task.what;
    double best = 0;
    if (c.units == Units::matrix) best = c.op() == Op::mma_sync ? of_mma_sync : 1;
    for (const auto& [function, peak] : peaks) {
      if (c.units == Units::matrix || peak.first != c.dtype || peak.second.op != c.op()) continue;
      best = std::max(best, share_of(peak.second) / (c.op() == Op::mul_add ? 2 : 1));
    }
    return multiprocessors * flops_per_clock(c.dtype, c.units) * best * clock_hz;
  }
};

/// The compute roofs of the lab `roofs`.
std::vector<engine::RoofTask> compute_roofs(const Device& gpu) {
  std::vector<engine::RoofTask> tasks = engine::all_roofs(engine::place_of(gpu), Data::random);
  std::erase_if(tasks, [&](const engine::RoofTask& task) {
    const Kernel* kernel = find_kernel(gpu.kernels(), task.what);
    return task.roof.kind != engine::RoofKind::compute || kernel == nullptr || !kernel->runs;
  });
  return tasks;
}

/// The time limit of the step of gpu-check.sh that searches them, s.
double limit_of_cold_roofs() {
  const std::string script = tests::read_file(RIDGEPOINT_GPU_CHECK);
  const std::string step = "step roofs-cold ";
  return std::stod(script.substr(script.find(step) + step.size()));
}

struct Found {
  std::map<std::string, engine::Roof> roofs;
  std::vector<engine::Point> tried;
  std::vector<std::string> problems;
  double seconds = 0;
};

Found search(Device& gpu, engine::RoofCache& cache, const std::vector<engine::RoofTask>& searched) {
  Found found;
  std::vector<Case> cases;
  for (const engine::RoofTask& task : searched) cases.push_back(task.what);
  engine::Timing timing;
  timing.now = fake_cuda::now;
  timing.rest = [](double seconds, const std::stop_token&) { fake_cuda::pass(seconds); };
  const double begin = fake_cuda::now();
  // Of arithmetic alone.
  std::vector<engine::Roof> known(2);
  known[0].name = "DRAM copy";
  known[1].name = "launch";
  for (engine::Roof& roof : known) roof.source = engine::RoofSource::measured;
  for (const engine::RoofTask& task : engine::sweep_roofs(gpu, cases, known)) {
    auto one = engine::find_roof({.device = gpu, .timing = timing, .cache = &cache}, task);
    if (one.roof) found.roofs[one.roof->name] = *one.roof;
    if (!one.why_not.empty()) found.problems.push_back(one.why_not);
    std::ranges::move(one.tried, std::back_inserter(found.tried));
  }
  found.seconds = fake_cuda::now() - begin;
  return found;
}

std::vector<engine::Point> tries_of(const Found& found, const Case& what) {
  std::vector<engine::Point> tries;
  std::ranges::copy_if(found.tried, std::back_inserter(tries), [&](const engine::Point& point) {
    return point.what.family == Family::peak && point.what.dtype == what.dtype &&
           point.what.units == what.units && point.what.op() == what.op();
  });
  return tries;
}

/// How many values of an axis were tried.
std::size_t values_tried(const std::vector<engine::Point>& tries, const ShapeAxis& axis) {
  return static_cast<std::size_t>(std::ranges::count_if(axis.values, [&](const std::string& value) {
    return std::ranges::any_of(tries, [&](const engine::Point& point) {
      return std::ranges::count(point.what.shape, ShapeChoice{axis.name, value}) > 0;
    });
  }));
}

}  // namespace

TEST_CASE(
    "on a GPU as fast as an H200 every axis of every compute roof is searched in the time of its "
    "step, and winners are kept") {
  OnTimesOfH200 emulated;
  Device& gpu = emulated.quiet;
  gpu.open();
  const std::vector<engine::RoofTask> searched = compute_roofs(gpu);
  // FMA and mul+add of five types, FMA of int8, products of six, and mma.sync of four of them.
  CHECK(searched.size() == 2 * 5 + 1 + 6 + 4);
  engine::RoofCache cache({}, gpu.info());
  const Found cold = search(gpu, cache, searched);
  for (const engine::RoofTask& task : searched) {
    const std::string& name = task.roof.name;
    CAPTURE(name);
    REQUIRE(cold.roofs.contains(name));
    const engine::Roof& roof = cold.roofs.at(name);
    const auto tries = tries_of(cold, task.what);
    const double peak = emulated.fastest(task);
    CHECK(roof.rate > 0.98 * peak);
    CHECK(roof.rate < peak);
    for (const ShapeAxis& axis : gpu.shape_axes(task.what)) {
      CAPTURE(axis.name);
      CHECK(values_tried(tries, axis) >= std::min<std::size_t>(3, axis.values.size()));
    }
    // The winner alone was verified.
    CHECK(std::ranges::count(tries, true, &engine::Point::checked) == 1);
    CHECK(cache.winner(name) == roof.shape);
    MESSAGE(name << ": " << tries.size() << " shapes tried, " << roof.rate / peak * 100
                 << " % of the fastest, " << text_of(roof.shape));
  }
  MESSAGE(cold.roofs.size() << " roofs in " << cold.seconds << " s of the emulated GPU");
  for (const std::string& problem : cold.problems) FAIL_CHECK(problem);
  CHECK(cold.seconds < limit_of_cold_roofs() / 2);  // the other half is for memory and launches

  const Found warm = search(gpu, cache, searched);
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
           kernel.unroll == 1024 && kernel.form == cuda::PeakForm::uniform;
  });
  REQUIRE(wrong != emulated.peaks.end());
  fake_cuda::state().before_kernel = [wrong](const void* function, void* arguments) {
    if (function == wrong->first) static_cast<cuda::PeakArguments*>(arguments)->repeat /= 2;
  };
  engine::RoofCache cache({}, emulated.gpu().info());
  auto searched = compute_roofs(emulated.quiet);
  std::erase_if(searched,
                [](const engine::RoofTask& task) { return task.roof.name != "fp32 FMA"; });
  REQUIRE(searched.size() == 1);
  const Found found = search(emulated.quiet, cache, searched);
  const engine::Roof& roof = found.roofs.at("fp32 FMA");
  CHECK(roof.rate < emulated.fastest(searched.front()));
  CHECK(roof.shape != Shape{{"chains", "8"}, {"operands", "uniform"}, {"unroll", "1024"}});
  CHECK(std::ranges::any_of(tries_of(found, searched.front().what), [](const engine::Point& point) {
    return point.status == engine::Status::failed && point.why.find("wrong result") == 0;
  }));
}
