// Plants a ridge on the real CPU: its arithmetic runs k times for each op that counts, so knee and
// ridge must move down by k. Prints where they were, where they are, and by how much they moved.
// Usage: planted_ridge [FACTOR...]; 2 and 4 unless told.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "engine/verdict/knee.hpp"
#include "engine/verdict/predict.hpp"
#include "kernels/backends.hpp"
#include "kernels/units.hpp"
#include "tests/bench/sweeps.hpp"

namespace {

using kernels::Case;
using kernels::Family;

/// One run of ours is `times` runs of the inner trial, of which the work of one counts.
class RepeatedTrial final : public kernels::Trial {
 public:
  RepeatedTrial(std::unique_ptr<kernels::Trial> inner, int times, kernels::Work counted)
      : inner_(std::move(inner)), times_(times), counted_(counted) {}
  void settle(std::stop_token stop) override { inner_->settle(std::move(stop)); }
  kernels::Sample run(std::stop_token stop) override {
    kernels::Sample all;
    double seconds = 0;
    for (int i = 0; i < times_; ++i) {
      all = inner_->run(stop);
      seconds += all.seconds;
    }
    all.seconds = seconds;
    return all;
  }
  kernels::Work work() const override { return counted_; }
  kernels::Check verify(std::stop_token stop) override { return inner_->verify(std::move(stop)); }
  bool cold() const override { return inner_->cold(); }

 private:
  std::unique_ptr<kernels::Trial> inner_;
  int times_;
  kernels::Work counted_;
};

/// The CPU with slower arithmetic: a chain applies k times as many ops per element in its inner
/// loop as it counts, and a peak runs k times. Memory and launches are those of the CPU.
class SlowedCpu final : public kernels::Device {
 public:
  explicit SlowedCpu(int factor) : cpu_(kernels::open_cpu()), factor_(factor) {}
  const kernels::DeviceInfo& info() const override { return cpu_->info(); }
  std::span<const kernels::Kernel> kernels() const override { return cpu_->kernels(); }
  std::vector<kernels::ShapeAxis> shape_axes(const Case& what) const override {
    return cpu_->shape_axes(what);
  }
  std::unique_ptr<kernels::Trial> prepare(const Case& what, std::stop_token stop) override {
    Case slowed = what;
    if (what.family == Family::chain) slowed.repeat *= static_cast<std::uint64_t>(factor_);
    auto trial = cpu_->prepare(slowed, std::move(stop));
    const bool peak = what.family == Family::peak;
    const kernels::Work counted =
        what.family == Family::chain ? kernels::work_of(what) : trial->work();
    return std::make_unique<RepeatedTrial>(std::move(trial), peak ? factor_ : 1, counted);
  }
  void watch() override { cpu_->watch(); }
  kernels::Conditions conditions() override { return cpu_->conditions(); }
  double free_bytes() const override { return cpu_->free_bytes(); }

 private:
  std::unique_ptr<kernels::Device> cpu_;
  int factor_;
};

/// A value with the ends that are sure.
struct Located {
  double low = 0, high = 0;
  double middle() const { return std::sqrt(low * high); }
};
Located operator/(const Located& a, const Located& b) { return {a.low / b.high, a.high / b.low}; }
bool holds(const Located& where, double value) { return where.low <= value && value <= where.high; }

struct Seen {
  Located knee;   // FLOP/byte, with the interval that the program tells
  Located ridge;  // FLOP/byte, from the ends of the intervals of both roofs
};

Seen seen_with(int factor) {
  fmt::print(stderr, "a sweep with arithmetic {} times as long\n", factor);
  engine::Sweeper sweeper(
      [factor] {
        kernels::Devices devices;
        devices.usable.push_back(std::make_unique<SlowedCpu>(factor));
        return devices;
      },
      [] {}, {},
      {});  // no folder: what a slowed CPU finds is kept out of the cache of the real one
  engine::SweepRequest request;
  request.spec.device = "cpu";
  request.spec.repeats = {1,  2,  3,  4,  6,  8,  10, 12, 14,  16,  20, 24,
                          28, 32, 40, 48, 56, 64, 80, 96, 128, 192, 256};
  const engine::Session session = bench::sweep(sweeper, request);
  const auto points = bench::points_of(session);
  const auto knee = engine::knee_of(points);
  if (!knee || !knee->low || !knee->high) throw std::runtime_error("no knee with an interval");
  // All points of a chain move the same bytes, so FLOP/byte grow with the ops.
  const double intensity_of_op =
      points.front()->work.intensity() / static_cast<double>(points.front()->what.repeat);
  const engine::Roof& memory = bench::roof_of(session, "DRAM copy");
  const engine::Roof& arithmetic = bench::roof_of(session, "fp32 FMA");
  return {{*knee->low * intensity_of_op, *knee->high * intensity_of_op},
          {arithmetic.rate_low / memory.rate_high, arithmetic.rate_high / memory.rate_low}};
}

std::string text_of(const Located& where) {
  return fmt::format("{:.3g} to {:.3g}", where.low, where.high);
}

void print_move(const char* what, const Located& before, const Located& after, int factor) {
  const Located moved = before / after;
  fmt::print("{:<6} {:>16} {:>16} {:>9} {:>9.2f}  {:<14} {}\n", what, text_of(before),
             text_of(after), factor, moved.middle(), text_of(moved),
             holds(moved, factor) ? "holds the factor" : "DOES NOT hold the factor");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> factors;
  for (int i = 1; i < argc; ++i) factors.push_back(std::atoi(argv[i]));
  if (argc < 2) factors = {2, 4};
  // Chains have at most 4096 ops, and the sweep goes to 256.
  if (std::ranges::any_of(factors, [](int factor) { return factor < 1 || factor > 16; })) {
    fmt::print(stderr, "usage: planted_ridge [FACTOR...], each from 1 to 16\n");
    return 2;
  }
  try {
    const Seen plain = seen_with(1);
    fmt::print("{:<6} {:>16} {:>16} {:>9} {:>9}  {}\n", "", "FLOP/byte before", "after", "expected",
               "moved by", "with both uncertainties");
    for (const int factor : factors) {
      const Seen slowed = seen_with(factor);
      print_move("knee", plain.knee, slowed.knee, factor);
      print_move("ridge", plain.ridge, slowed.ridge, factor);
      std::fflush(stdout);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "planted_ridge: {}\n", error.what());
    return 1;
  }
}
