// Hopper and data center Blackwell have two instructions for their matrix units. Sweeps of tiles,
// which use the slower one, on an emulated GPU with made-up rates of both: 62.5 % of the faster
// one, as docs/lab-notes.md cites. The faster one of Blackwell has the library alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>

#include "engine/roofs/roof_tasks.hpp"
#include "engine/verdict/predict.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
#include "kernels/families/tile/tile.hpp"
#include "tests/cuda/emulated_run.hpp"
#include "tests/cuda/fakes/emulated.hpp"
#include "tests/cuda/fakes/libraries/fake_cublaslt.hpp"
#include "tests/text.hpp"

using namespace kernels;

namespace {

constexpr double wgmma_rate = 8e12, mma_sync_rate = 5e12, tile_rate = 4.8e12;  // FLOP/s

/// FLOP of a tile of A times one of B.
double flops_of_tile() {
  return 2.0 * static_cast<double>(tile_rows * tile_columns * tile_depth(Dtype::bf16));
}

/// Seconds of a kernel of bf16 tiles or peaks; nothing of others.
std::optional<double> seconds_of_tiles_and_peaks(const void* function, const void* arguments,
                                                 std::uint64_t) {
  const auto peak = [&](std::size_t tiles, double rate) {
    cuda::MatrixPeakArguments args;
    std::memcpy(&args, arguments, sizeof(args));
    return static_cast<double>(args.units * tiles * args.repeat) * flops_of_tile() / rate;
  };
  for (const cuda::WgmmaKernel& kernel : cuda::wgmma_kernels()) {
    if (kernel.peak != function || kernel.dtype != Dtype::bf16) continue;
    return peak(4 * static_cast<std::size_t>(kernel.columns) / tile_columns, wgmma_rate);
  }
  for (const cuda::MatrixKernel& kernel : cuda::matrix_kernels()) {
    if (kernel.dtype != Dtype::bf16) continue;
    for (std::size_t i = 0; i < kernel.peak.size(); ++i) {
      const auto warps = static_cast<std::size_t>(cuda::tile_warps);
      if (kernel.peak[i] == function)
        return peak(warps * static_cast<std::size_t>(cuda::peak_warp_tiles[i]), mma_sync_rate);
    }
    if (kernel.tile != function) continue;
    cuda::TileArguments args;
    std::memcpy(&args, arguments, sizeof(args));
    return static_cast<double>(args.tiles * args.repeat) * flops_of_tile() / tile_rate;
  }
  return std::nullopt;
}

struct Swept {
  engine::Session session;
  std::string complaint;
};

/// A sweep of bf16 tiles on a GPU of this compute capability.
Swept tiles_swept_on(int capability) {
  fake_cuda::State& state = fake_cuda::state();
  state = {};
  state.capability = capability;
  state.memory_bytes = 8 << 20;
  state.launch_seconds = 1e-6;
  state.timed_runs_compute = false;
  state.repeats_once = true;
  state.seconds_of = seconds_of_tiles_and_peaks;
  tests::Run run;
  REQUIRE(run.has_device());
  engine::Spec spec;
  spec.units = engine::UnitsChoice::matrix;
  spec.dtypes = {Dtype::bf16};
  spec.repeats = {max_repeat};
  spec.elements = 64 * tile_elements(Dtype::bf16);
  run.sweep(spec);
  fake_cuda::state().seconds_of = {};
  return {run.session(), run.complaint()};
}

Case product(Dtype dtype, By by) {
  return matmul_case(dtype, Units::matrix, {8192, 8192, 8192}, Data::random, by);
}

/// Names of the compute roofs that a sweep of a case measures.
std::vector<std::string> peaks_beside(const Device& gpu, const Case& what) {
  std::vector<std::string> names;
  for (const engine::RoofTask& task : engine::sweep_roofs(gpu, {what}, {}))
    if (task.roof.kind == engine::RoofKind::compute) names.push_back(task.roof.name);
  return names;
}

}  // namespace

TEST_CASE("tiles on Hopper are bound by the roof of mma.sync, and wgmma's is measured beside it") {
  const auto [session, complaint] = tiles_swept_on(90);
  CHECK(complaint == "");
  const auto rate_of = [&](const std::string& name) {
    const auto roof = std::ranges::find(session.roofs, name, &engine::Roof::name);
    return roof == session.roofs.end() ? 0 : roof->rate;
  };
  CHECK(rate_of("bf16 matrix") == doctest::Approx(wgmma_rate).epsilon(0.02));
  CHECK(rate_of("bf16 mma.sync") == doctest::Approx(mma_sync_rate).epsilon(0.02));
  REQUIRE(session.points.size() == 1);
  const engine::Point& point = session.points.front();
  REQUIRE(point.share.has_value());
  CHECK(point.share->roof == "bf16 mma.sync");
  CHECK(point.share->of.median == doctest::Approx(tile_rate / mma_sync_rate).epsilon(0.02));
  const engine::Verdict verdict = engine::judge(session, point);
  CHECK(verdict.regime == engine::Regime::compute);
  CHECK(verdict.share_of_compute == doctest::Approx(tile_rate / mma_sync_rate).epsilon(0.02));
}

TEST_CASE(
    "tiles on data center Blackwell are bound by mma.sync; without the library it is said whose "
    "roof is missing") {
  const auto [session, complaint] = tiles_swept_on(100);
  CHECK(tests::contains(complaint, "the roof of these units is the library's"));
  const auto has = [&](const char* name) {
    return std::ranges::find(session.roofs, name, &engine::Roof::name) != session.roofs.end();
  };
  CHECK(has("bf16 mma.sync"));
  CHECK_FALSE(has("bf16 matrix"));
  REQUIRE(session.points.size() == 1);
  REQUIRE(session.points.front().share.has_value());
  CHECK(session.points.front().share->roof == "bf16 mma.sync");
  CHECK(session.points.front().share->of.median ==
        doctest::Approx(tile_rate / mma_sync_rate).epsilon(0.02));
}

TEST_CASE(
    "on data center Blackwell our kernels have the roof of mma.sync, and the library its own") {
  using Names = std::vector<std::string>;
  const Case tile{.family = Family::tile,
                  .ops = Op::mma,
                  .dtype = Dtype::bf16,
                  .units = Units::matrix,
                  .elements = 64 * tile_elements(Dtype::bf16),
                  .repeat = max_repeat};
  const auto beside = [](int capability, const Case& what) {
    fake_cublaslt::install();
    const Emulated emulated({.capability = capability});
    return peaks_beside(*emulated.devices.usable.front(), what);
  };
  CHECK(beside(100, tile) == Names{"bf16 mma.sync", "bf16 library"});
  CHECK(beside(100, product(Dtype::bf16, By::own)) == Names{"bf16 mma.sync", "bf16 library"});
  CHECK(beside(103, product(Dtype::bf16, By::library)) == Names{"bf16 library"});
  CHECK(beside(100, product(Dtype::fp8, By::library)) == Names{"fp8 library"});
  CHECK(beside(100, product(Dtype::fp64, By::own)) == Names{"fp64 matrix"});
  CHECK(beside(90, tile) == Names{"bf16 mma.sync", "bf16 matrix"});
  CHECK(beside(90, product(Dtype::bf16, By::library)) == Names{"bf16 matrix"});
  CHECK(beside(120, tile) == Names{"bf16 matrix"});
}

TEST_CASE(
    "the roof of the library runs beside its products where no kernel of ours reaches the peak") {
  fake_cublaslt::install();
  Emulated emulated({.capability = 100});
  engine::Session session;
  session.device = emulated.gpu().info();
  const auto add = [&](const char* name, engine::RoofKind kind, double rate) {
    engine::Roof roof;
    roof.name = name;
    roof.kind = kind;
    roof.rate = rate;
    roof.source = engine::RoofSource::measured;
    if (kind == engine::RoofKind::compute) roof.dtype = Dtype::bf16, roof.units = Units::matrix;
    session.roofs.push_back(roof);
  };
  add("DRAM copy", engine::RoofKind::bandwidth, 8e12);
  add("bf16 mma.sync", engine::RoofKind::compute, 1e15);
  add("bf16 library", engine::RoofKind::compute, 2e15);
  const auto control = [&](By by) {
    const auto controls = engine::controls_of(emulated.gpu(), session, product(Dtype::bf16, by));
    return controls.empty() ? "" : controls.back().roof;
  };
  CHECK(control(By::library) == "bf16 library");
  CHECK(control(By::own) == "bf16 mma.sync");
}
