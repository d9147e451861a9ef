// Figures for scripts/gpu-check.sh that decide questions of measuring: how the DRAM copy depends on
// its size, what two events cost, every shape of the FMA peak and of reads of shared memory, tiles
// of narrow types on vector units, whose registers leave room for few warps, and the same copy by
// cudaMemcpy. One line each: "figure", name, unit, amount of one run, seconds of the samples, clock
// in Hz (0: unknown); or "skipped", name, reason.
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
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/runtime/gpu.hpp"
#include "kernels/cuda/runtime/runtime.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/tile/tile.hpp"
#include "tests/cuda/held_regions.hpp"

using namespace kernels;

namespace {

constexpr std::array working_sets{0.5e9, 2e9, 8e9};  // byte, read and written
constexpr int copy_samples = 15;
constexpr int shape_samples = 5;

void figure(const std::string& name, const char* unit, double amount,
            const std::vector<double>& seconds, double clock_hz = 0) {
  fmt::print("figure\t{}\t{}\t{:.12g}\t{:.9g}\t{:.9g}\n", name, unit, amount,
             fmt::join(seconds, ","), clock_hz);
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
  std::vector<double> seconds, clocks;
  for (int i = 0; i < samples; ++i) {
    const Sample run = trial->run({});
    seconds.push_back(run.seconds);
    clocks.push_back(run.clock_hz.value_or(0));
  }
  std::ranges::sort(clocks);
  figure(name, unit, trial->work().*amount, seconds, clocks[clocks.size() / 2]);
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
  for (const ShapeChoice& choice : shape)
    words += fmt::format(", {} {}", choice.axis, choice.value);
  return words;
}

// Few shapes: the axis that hides the latency of memory.
void measure_copies(Device& gpu, double scale) {
  for (const double bytes : working_sets) {
    Case c = stream_case(Op::copy, static_cast<std::uint64_t>(bytes * scale / 8), Data::random);
    std::vector<ShapeAxis> axes;
    for (const ShapeAxis& axis : gpu.shape_axes(c)) {
      if (axis.name == "in flight") axes.push_back(axis);
    }
    for (const Shape& shape : shapes_of(axes)) {
      c.shape = shape;
      const std::string name = fmt::format("DRAM copy {:g} GB{}", bytes / 1e9, words_of(shape));
      unless_refused(name, [&] { measure_case(gpu, c, name, "byte", &Work::bytes, copy_samples); });
    }
  }
}

std::uint64_t scaled(double scale, std::uint64_t number) {
  return std::max<std::uint64_t>(1,
                                 static_cast<std::uint64_t>(scale * static_cast<double>(number)));
}

void measure_shapes(Device& gpu, Case c, const char* roof, const char* unit, double Work::*amount) {
  for (const Shape& shape : shapes_of(gpu.shape_axes(c))) {
    c.shape = shape;
    const std::string name = roof + words_of(shape);
    unless_refused(name, [&] { measure_case(gpu, c, name, unit, amount, shape_samples); });
  }
}

void measure_peaks(Device& gpu, double scale) {
  Case c = peak_case(Op::fma, Dtype::fp32, Units::vector, Data::random);
  c.repeat = scaled(scale, c.repeat);
  measure_shapes(gpu, c, "fp32 FMA", "FLOP", &Work::flops);
}

// As the roof: 32 KiB of each multiprocessor, 128 MiB read of it in all.
void measure_shared(Device& gpu, double scale) {
  constexpr std::uint64_t bytes = 32 << 10, passes = (128 << 20) / bytes;
  const auto multiprocessors = static_cast<std::uint64_t>(gpu.info().multiprocessors);
  Case c = stream_case(Op::shared, bytes / sizeof(float) * multiprocessors, Data::random);
  c.repeat = scaled(scale, passes);
  measure_shapes(gpu, c, "shared", "byte", &Work::bytes);
}

// Warps of the tile kernel of a dtype that run at once on a multiprocessor.
int tile_warps_of(Dtype dtype) {
  const auto kernels = cuda::tile_vector_kernels();
  const auto kernel = std::ranges::find(kernels, dtype, &cuda::TileKernel::dtype);
  if (kernel == kernels.end()) return 0;
  int blocks = 0;
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel->function,
                                                            cuda::tile_threads, 0),
              "reading a kernel's occupancy");
  return blocks * cuda::tile_warps;
}

// With one repeat memory bounds them, with many arithmetic.
void measure_tiles(Device& gpu, double scale) {
  constexpr double a_bytes = 0.5e9;
  for (const Dtype dtype : {Dtype::fp32, Dtype::fp16, Dtype::bf16}) {
    const double tiles =
        a_bytes * scale / static_cast<double>(size_of(dtype) * tile_elements(dtype));
    for (const std::uint64_t repeat : {1, 8, 64}) {
      const Case c{.family = Family::tile,
                   .ops = Op::mma,
                   .dtype = dtype,
                   .elements = scaled(tiles, 1) * tile_elements(dtype),
                   .repeat = repeat};
      const std::string name = fmt::format("tile {} on vector units, repeat {}, {} warps per SM",
                                           name_of(dtype), repeat, tile_warps_of(dtype));
      unless_refused(name, [&] {
        measure_case(gpu, c, name, repeat == 1 ? "byte" : "FLOP",
                     repeat == 1 ? &Work::bytes : &Work::flops, shape_samples);
      });
    }
  }
}

void measure_floor(cuda::Gpu& gpu) {
  constexpr int samples = 50;
  const auto launch = [&] {
    cuda::launch_kernel(cuda::service_kernels().empty, 1, 1, nullptr, gpu.stream());
  };
  const auto measure = [&](const std::string& name, const std::function<void()>& queue) {
    unless_refused(name,
                   [&] { figure(name, "run", 1, tests::held_regions(gpu, samples, 0, queue)); });
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
    measure_shared(gpu, scale);
    measure_tiles(gpu, scale);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
