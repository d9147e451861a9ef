// Runs every case once for a profiler, and prints the work that it claims: scripts/gpu-check.sh
// compares that with what the hardware counted. Under `ncu --profile-from-start off` an empty
// kernel comes before the kernels of each case.
#include <cuda_profiler_api.h>
#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <exception>
#include <string>

#include "kernels/backends.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/matmul/gemm_shape.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/cuda/trials/trials.hpp"
#include "kernels/families/decode/decode.hpp"
#include "kernels/families/decode/decode_arguments.hpp"
#include "kernels/families/family.hpp"
#include "tests/cuda/counted_cases.hpp"
#include "tests/cuda/machine_code/counters.hpp"

using namespace kernels;

namespace {

// __CUDA_ARCH__ of the code that runs, as far as counters differ: 750, 800, ...
int architecture_of(const Device& gpu) {
  int major = 0, minor = 0;
  std::sscanf(gpu.info().compute_capability.c_str(), "%d.%d", &major, &minor);
  return 100 * major + 10 * minor;
}

std::string name_of_case(const Case& c) {
  std::string name = fmt::format("{} {} {}", name_of(c.family), name_of(c.op()), name_of(c.dtype));
  if (c.family == Family::tile || c.family == Family::matmul)
    name += fmt::format(" {}", name_of(c.units));
  if (c.family == Family::tile || c.family == Family::chain) {
    name += fmt::format(" {}", name_of(c.fusion));
  }
  return name;
}

/// FLOP that kernels execute beside those that a case claims, by its definition: the lanes of a
/// warp add up their sums of a decode product.
std::uint64_t flops_beside(const Case& c) {
  if (c.family != Family::decode) return 0;
  constexpr std::uint64_t additions = std::bit_width(static_cast<unsigned>(cuda::decode_lanes) - 1);
  const DecodeSize size = decode_size(c);
  return size.rows * size.batch * cuda::decode_lanes * additions;
}

void run_case(Device& gpu, const Case& c) {
  const auto trial = gpu.prepare(c, {});
  auto* const launches = dynamic_cast<cuda::LaunchTrial*>(trial.get());
  if (launches == nullptr) return;  // the host times it: there is no kernel to count
  launches->settle({});
  cuda::check(cudaProfilerStart(), "starting the profiler");
  cuda::check(
      cudaLaunchKernel(cuda::service_kernels().empty, dim3(1), dim3(1), nullptr, 0, nullptr),
      "launching a marker");
  cuda::check(cudaDeviceSynchronize(), "waiting for a marker");
  launches->once({});
  cuda::check(cudaProfilerStop(), "stopping the profiler");
  const Work work = trial->work();
  // What products read twice comes from caches or not.
  const double dram = c.op() == Op::shared || c.family == Family::matmul ? 0 : work.bytes;
  const std::string counters = tests::counters_of(c, architecture_of(gpu));
  // A library's product is square.
  const std::uint64_t side =
      c.op() == Op::gemm ? cuda::gemm_size(c, gpu.info().multiprocessors).m : 0;
  fmt::print("case\t{}\t{}\t{:.0f}\t{:.0f}\t{}\t{}\t{}\n", name_of_case(c), counters, work.flops,
             dram, tests::constant_moves_of(counters, architecture_of(gpu)), side, flops_beside(c));
}

void run_all(Device& gpu) {
  for (const Kernel& row : gpu.kernels()) {
    if (!row.runs || row.family == Family::launch) continue;
    if (row.family == Family::matmul && row.by != By::own) continue;  // as the peak gemm
    const bool both = row.family == Family::chain || row.family == Family::tile;
    for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
      if (fusion == Fusion::unfused && !both) continue;
      const Case c = tests::counted_case(gpu, row, fusion);
      try {
        run_case(gpu, c);
      } catch (const Unsupported& error) {
        fmt::print("skipped\t{}\t{}\n", name_of_case(c), error.what());
      }
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main() {
  try {
    Devices devices;
    open_cuda(devices);
    if (devices.usable.empty()) {
      fmt::print(stderr, "no CUDA device: {}\n", devices.unavailable.front().why);
      return 1;
    }
    devices.usable.front()->open();
    run_all(*devices.usable.front());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
