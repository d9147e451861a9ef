// Theoretical peaks per clock and core. Sources: AMD, Software Optimization Guides for Families
// 17h, 19h and 1Ah; Intel 64 and IA-32 Architectures Optimization Reference Manual (execution
// units; Intel AMX); Arm, Software Optimization Guide of each core (throughput of FMLA on 128 bit);
// Ampere, AmpereOne product brief (two 128-bit units); D. Johnson, Apple M1 Microarchitecture
// Research (four FP/SIMD units); github.com/pigirons/cpufp, benchmark_result/arm64, measured 8 fp32
// FLOP per clock on a Cortex-A72, 16 on an A76 and 31 on Avalanche. Model numbers from Linux,
// arch/x86/include/asm/intel-family.h, arch/x86/kernel/cpu/amd.c (bsp_init_amd) and
// arch/arm64/include/asm/cputype.h.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/cpu/machine/processor.hpp"
#include "kernels/families/tile/tile.hpp"

namespace kernels::cpu {
namespace {

/// FMA units of a core that work at once, and their width in bit; 0 = none.
struct FmaUnits {
  int units, bits;  ///< with AVX2, with NEON
  int avx512_units, avx512_bits;
};
constexpr FmaUnits two_256{2, 256, 0, 0}, two_128{2, 128, 0, 0}, four_128{4, 128, 0, 0};

struct Microarchitecture {
  std::string_view vendor;
  int family;
  int first_model, last_model;
  std::string_view name;
  FmaUnits fma;
  bool amx = false;  ///< it has Intel AMX, and arithmetic in fp16
};

constexpr std::string_view amd = "AuthenticAMD", intel = "GenuineIntel";
// Who made an Arm core (MIDR_EL1).
constexpr int by_arm = 0x41, by_apple = 0x61, by_ampere = 0xc0;

// Left out, because the model does not tell: Skylake-SP and its kin (6-55h: one or two 512-bit
// units by product), hybrid processors (their cores differ), Zen 5 in notebooks (its datapaths
// differ by product).
constexpr Microarchitecture table[] = {
    {amd, 0x17, 0x00, 0x2f, "Zen", {2, 128, 0, 0}},
    {amd, 0x17, 0x30, 0x4f, "Zen 2", two_256},
    {amd, 0x17, 0x50, 0x5f, "Zen", {2, 128, 0, 0}},
    {amd, 0x17, 0x60, 0x7f, "Zen 2", two_256},
    {amd, 0x17, 0x90, 0x91, "Zen 2", two_256},
    {amd, 0x17, 0xa0, 0xaf, "Zen 2", two_256},
    {amd, 0x19, 0x00, 0x0f, "Zen 3", two_256},
    {amd, 0x19, 0x10, 0x1f, "Zen 4", {2, 256, 2, 256}},  // a 512-bit op takes both datapaths
    {amd, 0x19, 0x20, 0x5f, "Zen 3", two_256},
    {amd, 0x19, 0x60, 0x7f, "Zen 4", {2, 256, 2, 256}},
    {amd, 0x19, 0xa0, 0xaf, "Zen 4c", {2, 256, 2, 256}},
    {amd, 0x1a, 0x00, 0x1f, "Zen 5 (server)", {2, 256, 2, 512}},
    {amd, 0x1a, 0x40, 0x4f, "Zen 5 (desktop)", {2, 256, 2, 512}},
    {intel, 6, 0x3c, 0x3c, "Haswell", two_256},
    {intel, 6, 0x3f, 0x3f, "Haswell", two_256},
    {intel, 6, 0x45, 0x46, "Haswell", two_256},
    {intel, 6, 0x3d, 0x3d, "Broadwell", two_256},
    {intel, 6, 0x47, 0x47, "Broadwell", two_256},
    {intel, 6, 0x4f, 0x4f, "Broadwell", two_256},
    {intel, 6, 0x56, 0x56, "Broadwell", two_256},
    {intel, 6, 0x4e, 0x4e, "Skylake", two_256},
    {intel, 6, 0x5e, 0x5e, "Skylake", two_256},
    {intel, 6, 0x8e, 0x8e, "Kaby Lake", two_256},
    {intel, 6, 0x9e, 0x9e, "Kaby Lake", two_256},
    {intel, 6, 0xa5, 0xa6, "Comet Lake", two_256},
    {intel, 6, 0x7d, 0x7e, "Ice Lake (client)", {2, 256, 1, 512}},
    {intel, 6, 0x8c, 0x8d, "Tiger Lake", {2, 256, 1, 512}},
    {intel, 6, 0xa7, 0xa7, "Rocket Lake", {2, 256, 1, 512}},
    {intel, 6, 0x6a, 0x6a, "Ice Lake (server)", {2, 256, 2, 512}},
    {intel, 6, 0x6c, 0x6c, "Ice Lake (server)", {2, 256, 2, 512}},
    {intel, 6, 0x8f, 0x8f, "Sapphire Rapids", {2, 256, 2, 512}, true},
    {intel, 6, 0xcf, 0xcf, "Emerald Rapids", {2, 256, 2, 512}, true},
    {intel, 6, 0xad, 0xae, "Granite Rapids", {2, 256, 2, 512}, true},
    {arm_vendor, by_arm, 0xd08, 0xd08, "Cortex-A72", {2, 64, 0, 0}},
    {arm_vendor, by_arm, 0xd0b, 0xd0b, "Cortex-A76", two_128},
    {arm_vendor, by_arm, 0xd0c, 0xd0c, "Neoverse N1", two_128},
    {arm_vendor, by_arm, 0xd40, 0xd40, "Neoverse V1", four_128},
    {arm_vendor, by_arm, 0xd4f, 0xd4f, "Neoverse V2", four_128},
    {arm_vendor, by_ampere, 0xac3, 0xac4, "AmpereOne", two_128},
    {arm_vendor, by_apple, 0x23, 0x23, "Firestorm", four_128},
    {arm_vendor, by_apple, 0x25, 0x25, "Firestorm", four_128},
    {arm_vendor, by_apple, 0x29, 0x29, "Firestorm", four_128},
    {arm_vendor, by_apple, 0x33, 0x33, "Avalanche", four_128},
    {arm_vendor, by_apple, 0x35, 0x35, "Avalanche", four_128},
    {arm_vendor, by_apple, 0x39, 0x39, "Avalanche", four_128},
};

const Microarchitecture* find(const ProcessorModel& model) {
  const auto* row = std::ranges::find_if(table, [&](const Microarchitecture& candidate) {
    return candidate.vendor == model.vendor && candidate.family == model.family &&
           candidate.first_model <= model.model && model.model <= candidate.last_model;
  });
  return row == std::end(table) ? nullptr : row;
}

PeakPerClock vector_peak(std::string_view name, int units, int bits, Dtype dtype,
                         Dtype arithmetic) {
  const int lanes = bits / (8 * static_cast<int>(size_of(arithmetic)));
  const int flops = units * lanes * 2;
  std::string text =
      fmt::format("{}: {} FMA units x {} bit = {} {} lanes, x 2 FLOP = {} FLOP/clock per core",
                  name, units, bits, units * lanes, name_of(arithmetic), flops);
  if (dtype != arithmetic) text += fmt::format(" ({} is only storage)", name_of(dtype));
  return {dtype, Units::vector, static_cast<double>(flops), std::move(text)};
}

/// A tile instruction multiplies 16 rows by 16 columns in 16 clocks.
PeakPerClock matrix_peak(std::string_view name, Dtype dtype, const char* instruction) {
  const int depth = static_cast<int>(tile_depth(dtype));
  const int flops = 16 * 16 * depth * 2 / 16;
  return {dtype, Units::matrix, static_cast<double>(flops),
          fmt::format("{}: {} does 16 x 16 x {} multiply-adds in 16 clocks = {} {}/clock per core",
                      name, instruction, depth, flops, info_of(dtype).integer ? "OP" : "FLOP")};
}

}  // namespace

std::vector<PeakPerClock> peaks_of(const ProcessorModel& model, const Features& features,
                                   bool amx) {
  const Microarchitecture* row = find(model);
  const bool arm = model.vendor == arm_vendor;  // they all have NEON
  if (row == nullptr || (!arm && !features.avx2_fma)) return {};
  // A hypervisor can state an older model than it runs on: its instructions tell.
  if ((amx || features.avx512_fp16) && !row->amx) return {};
  const bool wide = features.avx512 && row->fma.avx512_units > 0;
  const int units = wide ? row->fma.avx512_units : row->fma.units;
  const int bits = wide ? row->fma.avx512_bits : row->fma.bits;
  std::vector<PeakPerClock> peaks;
  for (const Dtype dtype : {Dtype::fp64, Dtype::fp32, Dtype::fp16, Dtype::bf16}) {
    const bool native = size_of(dtype) > 2 || (dtype == Dtype::fp16 && features.avx512_fp16);
    peaks.push_back(vector_peak(row->name, units, bits, dtype, native ? dtype : Dtype::fp32));
  }
  if (amx) {
    peaks.push_back(matrix_peak(row->name, Dtype::bf16, "TDPBF16PS"));
    peaks.push_back(matrix_peak(row->name, Dtype::int8, "TDPBSSD"));
  }
  return peaks;
}

}  // namespace kernels::cpu
