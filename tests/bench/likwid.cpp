#include "tests/bench/likwid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace bench {
namespace {

std::string output_of(const std::string& command) {
  const auto close = [](FILE* pipe) { pclose(pipe); };
  const std::unique_ptr<FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  std::string text;
  if (!pipe) return text;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    text.append(buffer.data(), n);
  }
  return text;
}

/// The number behind a label such as "MFlops/s:", times 1e6.
std::optional<double> mega_after(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  if (at == std::string::npos) return std::nullopt;
  const double value = std::strtod(text.c_str() + at + label.size(), nullptr);
  return value > 0 ? std::optional(value * 1e6) : std::nullopt;
}

}  // namespace

LikwidKernels likwid_kernels(const kernels::DeviceInfo& cpu) {
  const auto has = [&](const char* name) {
    return std::ranges::find(cpu.instruction_sets, name) != cpu.instruction_sets.end();
  };
  if (has("AVX-512")) return {"peakflops_sp_avx512_fma", "copy_mem_avx512"};
  if (has("AVX2+FMA")) return {"peakflops_sp_avx_fma", "copy_mem_avx"};
  return {"peakflops_sp_sse", "copy_mem_sse"};
}

std::optional<double> likwid_flops(const std::string& kernel, int threads) {
  const auto text = output_of(fmt::format("timeout 60 likwid-bench -t {} -w S0:{}kB:{} 2>/dev/null",
                                          kernel, 32 * threads, threads));
  return mega_after(text, "MFlops/s:");
}

std::optional<double> likwid_bytes(const std::string& kernel, int threads) {
  const auto text = output_of(
      fmt::format("timeout 60 likwid-bench -t {} -w S0:1GB:{} 2>/dev/null", kernel, threads));
  return mega_after(text, "MByte/s:");
}

}  // namespace bench
