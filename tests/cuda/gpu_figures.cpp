// Figures for scripts/gpu-check.sh that decide questions of measuring: how the DRAM copy depends on
// its size, what two events cost, every shape of the FMA peak, and the same copy by cudaMemcpy. One
// line each: "figure", name, unit, amount of one run, seconds of the samples; or "skipped", name,
// reason.
#include <cuda_runtime.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "kernels/backends.hpp"
#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/cuda/runtime/runtime.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/family.hpp"
#include "tests/cuda/held_regions.hpp"

using namespace kernels;

namespace {

constexpr std::array working_sets{0.5e9, 2e9, 8e9};  // byte, read and written
constexpr int copy_samples = 15;
constexpr int peak_samples = 5;

void figure(const std::string& name, const char* unit, double amount,
            const std::vector<double>& seconds) {
  fmt::print("figure\t{}\t{}\t{:.12g}\t{:.9g}\n", name, unit, amount, fmt::join(seconds, ","));
  std::fflush(stdout);
}

// What cannot be measured is named, and the rest goes on.
void unless_refused(const std::string& name, const std::function<void()>& measure) {
  try {
    measure();
  } catch (const Unsupported& why) {
    fmt::print("skipped\t{}\t{}\n", name, why.what());
  }
}

void measure_case(Device& gpu, const Case& c, const std::string& name, const char* unit,
                  double Work::*amount, int samples) {
  const auto trial = gpu.prepare(c, {});
  const Check check = trial->verify({});
  if (!check.ok) throw Unsupported("wrong result: " + check.why);
  trial->run({});  // warm
  std::vector<double> seconds;
  for (int i = 0; i < samples; ++i) seconds.push_back(trial->run({}));
  figure(name, unit, trial->work().*amount, seconds);
}

// Every combination of values, the last axis fastest.
std::vector<Shape> shapes_of(const std::vector<ShapeAxis>& axes) {
  std::vector<Shape> shapes{{}};
  for (const ShapeAxis& axis : axes) {
    std::vector<Shape> longer;
    for (const Shape& shape : shapes) {
      for (const std::string& value : axis.values) {
        longer.push_back(shape);
        longer.back().push_back({axis.name, value});
      }
    }
    shapes = std::move(longer);
  }
  return shapes;
}

std::string words_of(const Shape& shape) {
  std::string words;
  for (const ShapeChoice& choice : shape) words += fmt::format(", {} {}", choice.axis, choice.value);
  return words;
}

// Few shapes: the axes that hide the latency of memory.
void measure_copies(Device& gpu, double scale) {
  for (const double bytes : working_sets) {
    Case c = stream_case(Op::copy, static_cast<std::uint64_t>(bytes * scale / 8), Data::random);
    std::vector<ShapeAxis> axes;
    for (const ShapeAxis& axis : gpu.shape_axes(c)) {
      if (axis.name == "blocks per SM" || axis.name == "hints") axes.push_back(axis);
    }
    for (const Shape& shape : shapes_of(axes)) {
      c.shape = shape;
      const std::string name = fmt::format("DRAM copy {:g} GB{}", bytes / 1e9, words_of(shape));
      unless_refused(name, [&] {
        measure_case(gpu, c, name, "byte", &Work::bytes, copy_samples);
      });
    }
  }
}

void measure_peaks(Device& gpu, double scale) {
  Case c = peak_case(Op::fma, Dtype::fp32, Units::vector, Data::random);
  c.repeat = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(scale * static_cast<double>(c.repeat)));
  for (const Shape& shape : shapes_of(gpu.shape_axes(c))) {
    c.shape = shape;
    const std::string name = "fp32 FMA" + words_of(shape);
    unless_refused(name, [&] {
      measure_case(gpu, c, name, "FLOP", &Work::flops, peak_samples);
    });
  }
}

void measure_floor(cuda::Gpu& gpu) {
  constexpr int samples = 50;
  const auto launch = [&] {
    cuda::launch_kernel(cuda::service_kernels().empty, 1, 1, nullptr, gpu.stream());
  };
  const auto measure = [&](const std::string& name, const std::function<void()>& queue) {
    unless_refused(name, [&] { figure(name, "run", 1, tests::held_regions(gpu, samples, 0, queue)); });
  };
  measure("events, nothing between", [] {});
  measure("events, one empty kernel between", launch);
  measure("events, two empty kernels between", [&] {
    launch();
    launch();
  });
}

// As long as the regions of our copies.
void measure_memcpy(cuda::Gpu& gpu, double scale) {
  constexpr double least_seconds = 1e-3;
  for (const double working_set : working_sets) {
    const std::string name = fmt::format("cudaMemcpy {:g} GB", working_set / 1e9);
    unless_refused(name, [&] {
      const double bytes = working_set * scale / 2;
      const cuda::Buffer from = gpu.pool().take(bytes), to = gpu.pool().take(bytes);
      cuda::check(cudaMemsetAsync(from.data(), 1, from.bytes(), gpu.stream()), "filling memory");
      const auto copy = [&] {
        cuda::check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice,
                                    gpu.stream()),
                    "copying");
      };
      figure(name, "byte", 2 * static_cast<double>(from.bytes()),
             tests::held_regions(gpu, copy_samples, least_seconds, copy));
    });
  }
}

}  // namespace

// cuda_gpu_figures [SCALE]: sizes times SCALE, for machines with little memory.
int main(int argc, char** argv) {
  try {
    const double scale = argc > 1 ? std::atof(argv[1]) : 1;
    Devices devices;
    open_cuda(devices);
    if (devices.usable.empty()) {
      fmt::print(stderr, "no CUDA device: {}\n", devices.unavailable.front().why);
      return 1;
    }
    Device& gpu = *devices.usable.front();
    measure_copies(gpu, scale);
    {
      cuda::Gpu plain(std::stoi(gpu.info().id.substr(std::string("cuda:").size())));
      measure_memcpy(plain, scale);
      measure_floor(plain);
    }
    measure_peaks(gpu, scale);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
