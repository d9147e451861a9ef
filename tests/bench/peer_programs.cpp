// Peers that are programs of their own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "tests/bench/peers.hpp"
#include "tests/bench/programs.hpp"

namespace bench {
namespace {

Turn turn_from(const Output& output, std::optional<double> rate, double unit) {
  if (!output.why.empty()) return {.why = output.why};
  if (!rate) return {.why = "its output holds no figure"};
  return {.rate = *rate * unit};
}

/// Kernels of likwid-bench by what they measure. Those that this CPU cannot run give no figure and
/// so drop out.
struct LikwidKernel {
  const char* roof;
  const char* kernel;
};
constexpr std::array<LikwidKernel, 27> likwid_kernels{{
    {"fp32 FMA", "peakflops_sp_avx512_fma"},
    {"fp32 FMA", "peakflops_sp_avx_fma"},
    {"fp64 FMA", "peakflops_avx512_fma"},
    {"fp64 FMA", "peakflops_avx_fma"},
    {"fp32 mul+add", "peakflops_sp_avx512"},
    {"fp32 mul+add", "peakflops_sp_avx"},
    {"fp64 mul+add", "peakflops_avx512"},
    {"fp64 mul+add", "peakflops_avx"},
    {"DRAM read", "load_avx512"},
    {"DRAM read", "load_avx"},
    {"DRAM read", "load_sse"},
    {"DRAM read", "load_mem"},
    {"DRAM write", "store_mem_avx512"},
    {"DRAM write", "store_mem_avx"},
    {"DRAM write", "store_avx512"},
    {"DRAM write", "store_mem_sse"},
    {"DRAM copy", "copy_mem_avx512"},
    {"DRAM copy", "copy_mem_avx"},
    {"DRAM copy", "copy_mem_sse"},
    {"DRAM copy", "copy_avx512"},
    {"DRAM copy", "copy_avx"},
    {"DRAM triad", "stream_mem_avx512"},
    {"DRAM triad", "stream_mem_avx_fma"},
    {"DRAM triad", "stream_mem_sse"},
    {"DRAM triad", "stream_sp_mem_avx_fma"},
    {"DRAM triad", "stream_avx512_fma"},
    {"DRAM triad", "stream_avx_fma"},
}};

std::string likwid_compared(const std::string& kernel) {
  if (kernel.starts_with("peakflops"))
    return "FLOP of each; theirs also loads from L1; its start of about 1 s is not counted";
  const bool stores = !kernel.starts_with("load");
  const bool around = kernel.find("_mem") != std::string::npos;
  return fmt::format(
      "bytes of each over the same working set{}; its start of about 1 s is not counted",
      !stores  ? ""
      : around ? ", theirs with non-temporal stores"
               : ", theirs with ordinary stores, which read each line first, uncounted");
}

/// One kernel of likwid-bench. It takes a number of iterations, which follows its last rate.
class LikwidTurn {
 public:
  LikwidTurn(std::string kernel, int threads, double working_set)
      : kernel_(std::move(kernel)), threads_(threads), working_set_(working_set) {}

  Turn operator()() {
    const bool flops = kernel_.starts_with("peakflops");
    // 32 kB per thread, the first cache, as its documentation does.
    const double bytes = flops ? 32e3 * threads_ : working_set_;
    const Output output =
        output_of(fmt::format("likwid-bench -t {} -i {:.0f} -w S0:{:.0f}kB:{} 2>/dev/null", kernel_,
                              iterations_, bytes / 1000, threads_));
    if (const auto seconds = number_after(output.text, "Time:"))
      iterations_ = std::clamp(std::round(iterations_ * turn_seconds / *seconds), least, 1e7);
    return turn_from(output, number_after(output.text, flops ? "MFlops/s:" : "MByte/s:"), 1e6);
  }

 private:
  static constexpr double least = 10;  // it does not accept fewer

  std::string kernel_;
  int threads_;
  double working_set_;
  double iterations_ = least;
};

/// clpeak prints a block per device, and lines per width of vectors below each heading.
Turn clpeak_turn(const std::string& device, const std::string& option, const std::string& heading) {
  const Output output = output_of(fmt::format("clpeak --{} 2>/dev/null", option));
  const std::size_t here = output.text.find("Device: " + device);
  if (output.why.empty() && here == std::string::npos)
    return {.why =
                "its OpenCL has no such device; for a CPU install the Debian package "
                "pocl-opencl-icd"};
  const std::string block = here == std::string::npos ? "" : output.text.substr(here);
  return turn_from(output, largest_below(block, heading), 1e9);
}

}  // namespace

void add_likwid(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cpu") return;
  if (!on_path("likwid-bench")) {
    peers.missing.push_back({"likwid-bench", "install the Debian package likwid"});
    return;
  }
  for (const auto& [roof, kernel] : likwid_kernels) {
    peers.found.push_back({roof, "likwid-bench", kernel, likwid_compared(kernel),
                           LikwidTurn(kernel, device.threads, peers.working_set)});
  }
}

void add_clpeak(Peers& peers, const kernels::DeviceInfo& device) {
  if (!on_path("clpeak")) {
    peers.missing.push_back(
        {"clpeak", "install the Debian package clpeak, and for a CPU pocl-opencl-icd"});
    return;
  }
  // pocl calls a CPU "cpu-..." since version 4, before that "pthread-...".
  const std::string named =
      device.kind != "cpu" ? device.name
      : output_of("clpeak --kernel-latency 2>/dev/null").text.find("Device: pthread") !=
              std::string::npos
          ? "pthread"
          : "cpu";
  const auto add = [&](const char* roof, const char* option, const char* heading,
                       const char* counted) {
    peers.found.push_back({roof, "clpeak", option,
                           fmt::format("{}, its best width of vectors; its turns take seconds, as "
                                       "it has no option for shorter ones",
                                       counted),
                           [=] { return clpeak_turn(named, option, heading); }});
  };
  add("DRAM read", "global-bandwidth", "Global memory bandwidth",
      "bytes read, theirs over a working set of its own");
  add("fp32 FMA", "compute-sp", "Single-precision compute", "FLOP of each");
  add("fp64 FMA", "compute-dp", "Double-precision compute", "FLOP of each");
}

void add_mixbench(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cpu") return;
  if (!on_path("mixbench-cpu")) {
    peers.missing.push_back({"mixbench", "build mixbench-cpu from github.com/ekondis/mixbench"});
    return;
  }
  // Columns: iterations, then of each type FLOP/byte, ms, GFLOP/s, GB/s. 1 Mi doubles keep a run at
  // seconds; at most 512 FMA per element, so that its size does not matter for the best one.
  constexpr std::size_t fp32 = 3, fp64 = 7;
  const auto add = [&](const char* roof, const char* type, std::size_t column) {
    peers.found.push_back({roof, "mixbench", type,
                           "FLOP of each; theirs is the fastest of 28 runs at its best intensity; "
                           "its turns take seconds, as it runs all intensities",
                           [column] {
                             const Output output = output_of("mixbench-cpu 1 2>/dev/null");
                             return turn_from(output, largest_in_column(output.text, column), 1e9);
                           }});
  };
  add("fp32 FMA", "fp32", fp32);
  add("fp64 FMA", "fp64", fp64);
}

void add_nvbandwidth(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cuda") return;
  if (!on_path("nvbandwidth")) {
    peers.missing.push_back({"nvbandwidth", "build it from github.com/NVIDIA/nvbandwidth"});
    return;
  }
  // It counts what is copied once; a copy reads and writes.
  peers.found.push_back(
      {"DRAM copy", "nvbandwidth", "device_local_copy",
       "bytes read and written; its turns take seconds, as it has no option for shorter ones", [] {
         const Output output = output_of("nvbandwidth -t device_local_copy");
         return turn_from(output, number_after(output.text, "SUM device_local_copy "), 2e9);
       }});
}

}  // namespace bench
