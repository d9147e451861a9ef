// Sessions made up from roofs: what an ideal device would have measured, a little below its roofs.
#pragma once

#include "engine/labs/lab.hpp"
#include "engine/session/session.hpp"

namespace test {

/// Of any lab, by its id.
inline const engine::Chart& chart(std::string_view id) { return *engine::find_chart(id); }
/// Those that show a sweep side by side.
inline std::vector<engine::Chart> sweep_charts() {
  return {chart("roofline"), chart("runtime"), chart("flops"), chart("bandwidth")};
}

/// Two cores: DRAM copy 35.1 GB/s, fp32 237 GFLOP/s, bf16 118 GFLOP/s; fp32 and bf16, fused and
/// unfused.
engine::Session cpu_session();
/// 4.3 TB/s, fp32 60 TFLOP/s, bf16 matrix 620 TFLOP/s of 989, an L2 roof, and an earlier run.
engine::Session gpu_session();

engine::Roof bandwidth(const char* name, double rate,
                       engine::RoofSource = engine::RoofSource::measured);
engine::Roof compute(kernels::Dtype, kernels::Units, double rate,
                     engine::RoofSource = engine::RoofSource::measured);
/// What launching a kernel takes.
engine::Roof launches(double seconds);
engine::Point skipped_point(const char* why);

/// A point as the roofs of the session predict it, at `share` of what they allow.
engine::Point point_at_roofs(const engine::Session&, const kernels::Case&, double share);
/// Repeats 1, 2, 4 ... `last` of a case.
void add_sweep(engine::Session&, kernels::Case, std::uint64_t run, std::uint64_t last,
               double share);

/// A CPU after the experiment "roofs": 32 KiB of L1 and 1 MiB of L2 on each of 2 cores, 32 MiB of
/// L3, a level curve from 16 KiB to 512 MiB, and four fp32 FMA shapes of which 12 chains won.
engine::Session roofs_session();

}  // namespace test
