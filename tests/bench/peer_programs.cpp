// Peers that are programs of their own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tests/bench/peers.hpp"

namespace bench {
namespace {

/// Kernels of likwid-bench by what they measure; those this CPU cannot run print nothing and so
/// drop out.
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

/// The largest number at the end of the indented lines below a heading.
std::optional<double> largest_below(const std::string& text, const std::string& heading) {
  std::size_t at = text.find(heading);
  if (at == std::string::npos) return std::nullopt;
  double best = 0;
  at = text.find('\n', at);
  while (at != std::string::npos) {
    const std::size_t end = text.find('\n', at + 1);
    const std::string line = text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) break;
    best = std::max(best, std::strtod(line.c_str() + colon + 1, nullptr));
    at = end;
  }
  return best > 0 ? std::optional(best * 1e9) : std::nullopt;
}

}  // namespace

std::string output_of(const std::string& command) {
  const auto close = [](FILE* pipe) { pclose(pipe); };
  const std::unique_ptr<FILE, decltype(close)> pipe(popen(("timeout 60 " + command).c_str(), "r"),
                                                    close);
  std::string text;
  if (!pipe) return text;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    text.append(buffer.data(), n);
  }
  return text;
}

bool on_path(const std::string& program) {
  return !output_of("sh -c 'command -v " + program + "'").empty();
}

std::optional<double> number_after(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  if (at == std::string::npos) return std::nullopt;
  const double value = std::strtod(text.c_str() + at + label.size(), nullptr);
  return value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<double> likwid_rate(const std::string& kernel, int threads) {
  const bool flops = kernel.starts_with("peakflops");
  const std::string size = flops ? fmt::format("{}kB", 32 * threads) : "1GB";
  const std::string text =
      output_of(fmt::format("likwid-bench -t {} -w S0:{}:{} 2>/dev/null", kernel, size, threads));
  const auto rate = number_after(text, flops ? "MFlops/s:" : "MByte/s:");
  return rate ? std::optional(*rate * 1e6) : std::nullopt;
}

void add_likwid(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cpu") return;
  if (!on_path("likwid-bench")) {
    peers.missing.push_back({"likwid-bench", "install the Debian package likwid"});
    return;
  }
  for (const LikwidKernel& kernel : likwid_kernels) {
    peers.found.push_back(
        {kernel.roof, fmt::format("likwid-bench {}", kernel.kernel),
         [&kernel, threads = device.threads] { return likwid_rate(kernel.kernel, threads); }});
  }
}

void add_clpeak(Peers& peers, const kernels::DeviceInfo& device) {
  if (!on_path("clpeak")) {
    peers.missing.push_back(
        {"clpeak", "install the Debian package clpeak, and for a CPU pocl-opencl-icd"});
    return;
  }
  const std::string kind = device.kind == "cpu" ? "pthread" : device.name;
  const auto add = [&](const char* roof, const char* option, const char* heading) {
    peers.found.push_back({roof, fmt::format("clpeak {}", option), [=]() -> std::optional<double> {
                             const std::string text =
                                 output_of(fmt::format("clpeak --{} 2>/dev/null", option));
                             const std::size_t here = text.find("Device: " + kind);
                             if (here == std::string::npos) return std::nullopt;
                             return largest_below(text.substr(here), heading);
                           }});
  };
  add("DRAM read", "global-bandwidth", "Global memory bandwidth");
  add("fp32 FMA", "compute-sp", "Single-precision compute");
  add("fp64 FMA", "compute-dp", "Double-precision compute");
}

void add_nvbandwidth(Peers& peers, const kernels::DeviceInfo& device) {
  if (device.kind != "cuda") return;
  if (!on_path("nvbandwidth")) {
    peers.missing.push_back({"nvbandwidth", "build it from github.com/NVIDIA/nvbandwidth"});
    return;
  }
  // It counts what is copied once; a copy reads and writes.
  peers.found.push_back({"DRAM copy", "nvbandwidth device_local_copy", [] {
                           const auto rate =
                               number_after(output_of("nvbandwidth -t device_local_copy"),
                                            "SUM device_local_copy ");
                           return rate ? std::optional(2 * *rate * 1e9) : std::nullopt;
                         }});
}

}  // namespace bench
