// Hopper has two instructions for its matrix units. A sweep of tiles, which use the slower one, on an
// emulated GPU with made-up rates of both: 62.5 % of the faster one, as docs/measuring.md cites.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>

#include "engine/verdict/predict.hpp"
#include "kernels/cuda/bodies/arguments.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/tile.hpp"
#include "tests/cuda/emulated_run.hpp"

using namespace kernels;

namespace {

constexpr double wgmma_rate = 8e12, mma_sync_rate = 5e12, tile_rate = 4.8e12;  // FLOP/s

/// FLOP of a tile of A times one of B.
double flops_of_tile() {
  return 2.0 * static_cast<double>(tile_rows * tile_columns * tile_depth(Dtype::bf16));
}

/// Seconds of a kernel of bf16 tiles or peaks; nothing of others.
std::optional<double> seconds_of(const void* function, const void* arguments, std::uint64_t) {
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

}  // namespace

TEST_CASE("tiles on Hopper are bound by the roof of mma.sync, and wgmma's is measured beside it") {
  fake_cuda::State& state = fake_cuda::state();
  state = {};
  state.memory_bytes = 8 << 20;
  state.launch_seconds = 1e-6;
  state.timed_runs_compute = false;
  state.repeats_once = true;
  state.seconds_of = seconds_of;
  tests::Run run;
  REQUIRE(run.has_device());
  engine::Spec spec;
  spec.units = engine::UnitsChoice::matrix;
  spec.dtypes = {Dtype::bf16};
  spec.repeats = {max_repeat};
  spec.elements = 64 * tile_elements(Dtype::bf16);
  run.sweep(spec);
  fake_cuda::state().seconds_of = {};
  CHECK(run.complaint() == "");

  const engine::Session& session = run.session();
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
