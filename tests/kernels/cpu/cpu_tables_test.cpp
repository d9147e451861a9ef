#include <doctest/doctest.h>

#include <algorithm>

#include "kernels/cpu/trials/tables.hpp"

using namespace kernels;
using namespace kernels::cpu;

namespace {

constexpr Features everything{true, true, true};

const PeakPerClock* peak(const std::vector<PeakPerClock>& peaks, Dtype dtype, Units units) {
  const auto found = std::ranges::find_if(
      peaks, [&](const PeakPerClock& p) { return p.dtype == dtype && p.units == units; });
  return found == peaks.end() ? nullptr : &*found;
}

double flops(const ProcessorModel& model, const Features& features, bool amx, Dtype dtype,
             Units units) {
  const auto peaks = peaks_of(model, features, amx);
  const PeakPerClock* found = peak(peaks, dtype, units);
  return found == nullptr ? 0 : found->flops_per_clock_per_core;
}

std::string note_of(const Selection& selection, const Case& c) {
  const auto rows = selection.kernels();
  const Kernel* row = find_kernel(rows, c);
  REQUIRE(row != nullptr);
  return row->runs ? row->note : "no: " + row->why_not;
}

}  // namespace

TEST_CASE("theoretical peaks follow from the units of a microarchitecture") {
  const ProcessorModel zen4{"AuthenticAMD", 0x19, 0x11};
  const Features avx512{true, true, false};
  CHECK(flops(zen4, avx512, false, Dtype::fp32, Units::vector) == 32);
  CHECK(flops(zen4, avx512, false, Dtype::fp64, Units::vector) == 16);
  CHECK(flops(zen4, avx512, false, Dtype::bf16, Units::vector) == 32);
  CHECK(flops({"AuthenticAMD", 0x1a, 0x02}, avx512, false, Dtype::fp32, Units::vector) == 64);
  CHECK(flops({"AuthenticAMD", 0x17, 0x01}, {true, false, false}, false, Dtype::fp32,
              Units::vector) == 16);

  const ProcessorModel sapphire_rapids{"GenuineIntel", 6, 0x8f};
  CHECK(flops(sapphire_rapids, everything, true, Dtype::fp32, Units::vector) == 64);
  CHECK(flops(sapphire_rapids, everything, true, Dtype::fp16, Units::vector) == 128);
  CHECK(flops(sapphire_rapids, everything, true, Dtype::bf16, Units::matrix) == 1024);
  CHECK(flops(sapphire_rapids, everything, true, Dtype::int8, Units::matrix) == 2048);
  CHECK(flops(sapphire_rapids, everything, false, Dtype::bf16, Units::matrix) == 0);
  CHECK(flops({"GenuineIntel", 6, 0x8c}, {true, true, false}, false, Dtype::fp32, Units::vector) ==
        32);
}

TEST_CASE("Zen and Zen 2 have model numbers in turns") {
  const auto fp32 = [](int model) {
    return flops({"AuthenticAMD", 0x17, model}, {true, false, false}, false, Dtype::fp32,
                 Units::vector);
  };
  for (const int zen : {0x01, 0x11, 0x20, 0x50, 0x5f}) CHECK(fp32(zen) == 16);
  for (const int zen2 : {0x31, 0x4f, 0x60, 0x71, 0x90, 0xa0}) CHECK(fp32(zen2) == 32);
  CHECK(fp32(0x80) == 0);  // Linux does not know it either
}

TEST_CASE("Arm cores have the peak of their 128-bit units, whatever features x86 would have") {
  const auto fp32 = [](int implementer, int part) {
    return flops({"Arm", implementer, part}, {}, false, Dtype::fp32, Units::vector);
  };
  CHECK(fp32(0x41, 0xd08) == 8);   // Cortex-A72
  CHECK(fp32(0x41, 0xd0b) == 16);  // Cortex-A76
  CHECK(fp32(0x41, 0xd0c) == 16);  // Neoverse N1
  CHECK(fp32(0x41, 0xd40) == 32);  // Neoverse V1
  CHECK(fp32(0x41, 0xd4f) == 32);  // Neoverse V2
  CHECK(fp32(0xc0, 0xac3) == 16);  // AmpereOne
  CHECK(fp32(0x61, 0x23) == 32);   // Firestorm
  CHECK(fp32(0x61, 0x22) == 0);    // its little core
  CHECK(flops({"Arm", 0x41, 0xd40}, {}, false, Dtype::fp64, Units::vector) == 16);
  const auto peaks = peaks_of({"Arm", 0x41, 0xd40}, {}, false);
  CHECK(peak(peaks, Dtype::fp32, Units::vector)->derivation ==
        "Neoverse V1: 4 FMA units x 128 bit = 16 fp32 lanes, x 2 FLOP = 32 FLOP/clock per core");
}

TEST_CASE("a virtual machine without AVX-512 has the peak of AVX2") {
  CHECK(flops({"GenuineIntel", 6, 0x8f}, {true, false, false}, false, Dtype::fp32, Units::vector) ==
        32);
}

TEST_CASE("the peak of an unknown processor is not guessed") {
  CHECK(peaks_of({"AuthenticAMD", 0x99, 1}, everything, true).empty());
  CHECK(peaks_of({"GenuineIntel", 6, 0x55}, everything, false).empty());
  CHECK(peaks_of({}, {}, false).empty());
  // A Rocket Lake with AMX is a hypervisor's word for another processor.
  CHECK(peaks_of({"GenuineIntel", 6, 0xa7}, everything, true).empty());
}

TEST_CASE("a derivation shows the calculation") {
  const auto peaks = peaks_of({"AuthenticAMD", 0x19, 0x11}, {true, true, false}, false);
  CHECK(peak(peaks, Dtype::fp32, Units::vector)->derivation ==
        "Zen 4: 2 FMA units x 256 bit = 16 fp32 lanes, x 2 FLOP = 32 FLOP/clock per core");
}

TEST_CASE("every family, op, dtype, units and maker has one row, which runs or says why not") {
  const Selection selection(Abilities{.features = {}, .amx = false, .why_no_amx = "no AMX here"});
  const auto rows = selection.kernels();
  for (const Kernel& row : rows) {
    CHECK(row.runs == row.why_not.empty());
    CHECK(row.runs == !row.note.empty());
    CHECK(std::ranges::count_if(rows, [&](const Kernel& other) {
            return other.family == row.family && other.op == row.op && other.dtype == row.dtype &&
                   other.units == row.units && other.by == row.by;
          }) == 1);
  }
  for (const DtypeInfo& info : dtypes) {
    for (const Units units : {Units::vector, Units::matrix}) {
      CHECK(find_kernel(rows, {.dtype = info.dtype, .units = units}) != nullptr);
      CHECK(find_kernel(
                rows,
                {.family = Family::tile, .ops = Op::mma, .dtype = info.dtype, .units = units}) !=
            nullptr);
      CHECK(find_kernel(rows, {.family = Family::peak, .dtype = info.dtype, .units = units}) !=
            nullptr);
    }
  }
}

TEST_CASE("notes name the instruction set and what is only storage") {
  const Selection baseline(Abilities{.features = {}, .amx = false, .why_no_amx = "no AMX here"});
  CHECK(note_of(baseline, {.ops = Op::mul, .dtype = Dtype::fp64}) == isa_baseline.name);
  CHECK(note_of(baseline, {.ops = Op::mul, .dtype = Dtype::fp16}) ==
        std::string(isa_baseline.name) + ", fp16 storage, fp32 arithmetic");
  CHECK(note_of(baseline, {.family = Family::tile,
                           .ops = Op::mma,
                           .dtype = Dtype::bf16,
                           .units = Units::matrix}) == "no: no AMX here");
  CHECK(note_of(baseline, {.dtype = Dtype::tf32}) ==
        "no: tf32 exists only inside GPU tensor cores: use fp32");
}

#ifdef __x86_64__
TEST_CASE("the widest instruction set answers, and native fp16 where there is any") {
  const Selection wide(Abilities{.features = everything, .amx = true, .why_no_amx = {}});
  CHECK(note_of(wide, {.dtype = Dtype::fp32}) == "AVX-512");
  CHECK(note_of(wide, {.dtype = Dtype::fp16}) == "AVX512-FP16");
  CHECK(note_of(wide, {.family = Family::tile,
                       .ops = Op::mma,
                       .dtype = Dtype::bf16,
                       .units = Units::matrix}) == "AMX, products summed in fp32");
  CHECK(wide.names() ==
        std::vector<std::string>{"baseline", "AVX2+FMA", "AVX-512", "AVX512-FP16", "AMX"});
  const Selection avx2(
      Abilities{.features = {true, false, false}, .amx = false, .why_no_amx = "none"});
  CHECK(note_of(avx2, {.dtype = Dtype::fp16}) == "AVX2+FMA, fp16 storage, fp32 arithmetic");
}
#endif

TEST_CASE("a processor with SVE says of every kernel that it is not used") {
  const Selection selection(
      Abilities{.features = {.sve = true}, .amx = false, .why_no_amx = "none"});
  for (const Kernel& kernel : selection.kernels()) {
    const bool own = kernel.by == By::own && on_cpu(kernel.family)->by_tables();
    if (!kernel.runs || !own) continue;
    CAPTURE(kernel.note);
    CHECK(kernel.note.ends_with("; SVE is not used"));
  }
}
