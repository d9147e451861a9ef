// The labs `launches`, `eager`, `timing`, `autotune`, `transfers`, `overlap` and
// `coalescing` from end to end on an emulated GPU, which launches and copies as an H200 does by
// PyTorch: 3.2 us in a stream, 0.50 us in a graph, 55.3 GB/s.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>

#include "engine/verdict/predict.hpp"
#include "kernels/cuda/trials/tables.hpp"
#include "kernels/families/banks/banks.hpp"
#include "kernels/families/banks/banks_arguments.hpp"
#include "kernels/families/overlap/overlap.hpp"
#include "kernels/families/steps/steps.hpp"
#include "kernels/families/steps/steps_arguments.hpp"
#include "kernels/families/steps/steps_body.hpp"
#include "kernels/families/strided/strided.hpp"
#include "kernels/families/strided/strided_arguments.hpp"
#include "kernels/families/transfer/transfer.hpp"
#include "tests/cuda/lab_run.hpp"
#include "tests/text.hpp"

using namespace kernels;
using tests::contains;
using tests::LabRun;

namespace {

/// A kernel that a graph replays is as brief; the emulated host waits for each launch.
std::optional<double> seconds_of_steps(const void* function, const void* arguments, std::uint64_t) {
  const cuda::StepKernels steps = cuda::step_kernels();
  if (function == steps.dependent) return 2.45e-6;
  if (function == steps.plain) return fake_cuda::state().graph_launches > 0 ? 0.5e-6 : 3.2e-6;
  if (function != steps.persistent) return std::nullopt;
  cuda::StepArguments all;
  std::memcpy(&all, arguments, sizeof(all));
  return 0.9e-6 * all.steps;
}

/// Reads that move whole sectors at 4 TB/s, and of shared memory at 20 TB/s, in turn where words
/// lie in one bank.
std::optional<double> by_sectors(const void* function, const void* arguments,
                                 std::uint64_t blocks) {
  if (function == cuda::banks_function()) {
    cuda::BanksArguments reads;
    std::memcpy(&reads, arguments, sizeof(reads));
    const auto ways = static_cast<double>(std::gcd(reads.stride, 32U));
    return static_cast<double>(blocks * cuda::banks_warps * bank_group) * 4 * ways / 20e12;
  }
  if (function != cuda::strided_function()) return std::nullopt;
  cuda::StridedArguments reads;
  std::memcpy(&reads, arguments, sizeof(reads));
  const double words = static_cast<double>(blocks * cuda::strided_warps * strided_group);
  return words * std::min(4.0 * static_cast<double>(reads.stride), 32.0) / 4e12;
}

const engine::Point* point(const engine::Session& session, Start start) {
  const auto found = std::ranges::find_if(session.points, [&](const engine::Point& one) {
    return one.what.family == Family::steps && start_of(one.what, "cuda") == start;
  });
  return found == session.points.end() ? nullptr : &*found;
}

/// So many points, all of them measured and verified.
void require_verified(const engine::Session& session, std::size_t points) {
  REQUIRE(session.points.size() == points);
  for (const engine::Point& one : session.points) {
    CAPTURE(one.id);
    CHECK(one.status == engine::Status::ok);
    CHECK(one.checked);
  }
}

/// The same, and no roof bounds them.
void require_without_roof(const engine::Session& session, std::size_t points) {
  require_verified(session, points);
  for (const engine::Point& one : session.points)
    CHECK(engine::judge(session, one).limit == "no roof");
}

}  // namespace

TEST_CASE("launches on a GPU: five ways are measured and verified, and the regime is overhead") {
  LabRun run("launches", "steps", "64", seconds_of_steps);
  fake_cuda::state().known_kernels_compute = true;
  fake_cuda::state().timed_runs_compute = true;
  const engine::Session session = run.session();
  for (const Start start :
       {Start::stream, Start::wait, Start::graph, Start::dependent, Start::persistent}) {
    CAPTURE(words_of(start));
    const engine::Point* const one = point(session, start);
    REQUIRE(one != nullptr);
    CHECK(one->status == engine::Status::ok);
    CHECK(one->checked);
    CHECK(engine::judge(session, *one).regime == engine::Regime::overhead);
    CHECK_FALSE(one->share);
  }
  const double persistent = point(session, Start::persistent)->seconds.median;
  CHECK(persistent == doctest::Approx(64 * 0.9e-6).epsilon(0.05));
  const engine::LabVerdict verdict = run.verdict(session);
  CHECK(verdict.rows.size() >= 6);
  CHECK(contains(verdict.headline, "in a CUDA graph"));
}

TEST_CASE("eager on a GPU: three forms are measured and verified, with their timelines") {
  LabRun run("eager", "layers", "2", seconds_of_steps);
  run.spec.more["rows"] = "4";
  run.spec.more["columns"] = "64";
  fake_cuda::state().known_kernels_compute = true;
  fake_cuda::state().timed_runs_compute = true;
  const engine::Session session = run.session();
  require_verified(session, 3);
  for (const engine::Point& one : session.points) {
    CAPTURE(one.id);
    CHECK(engine::judge(session, one).regime == engine::Regime::overhead);
    CHECK(std::ranges::count(one.spans, "device", &Span::lane) ==
          static_cast<std::ptrdiff_t>(one.work.launches));
  }
  CHECK(run.verdict(session).rows.size() >= 8);
}

TEST_CASE("timing on a GPU: eight ways are measured and verified, and no wait is no time") {
  LabRun run("timing", "timed-elements", "4096", seconds_of_steps);
  run.spec.more["ops"] = "8";
  fake_cuda::state().launch_seconds = 50e-6;
  const engine::Session session = run.session();
  require_without_roof(session, 8);
  const engine::LabVerdict verdict = run.verdict(session);
  CHECK(verdict.rows.size() >= 8);
  CHECK(contains(verdict.headline, "The kernel takes"));
}

TEST_CASE("autotune on a GPU: the shapes of its vector and its matrix kernel are tried") {
  for (const char* tuned : {"vector", "matrix"}) {
    CAPTURE(tuned);
    LabRun run("autotune", "tuned", tuned, seconds_of_steps);
    fake_cuda::state().timed_runs_compute = false;
    const engine::Session session = run.session();
    REQUIRE(session.points.size() > 8);
    CHECK(session.points.front().label.starts_with("round 1: "));
    CHECK(session.points.back().label.starts_with("found: "));
    CHECK(run.verdict(session).rows.size() >= 5);
  }
}

TEST_CASE("transfers on a GPU: seven ways are measured and verified, without a roof") {
  LabRun run("transfers", "bytes", "1024,1048576", seconds_of_steps);
  fake_cuda::state().link_rate = 55.3e9;
  const engine::Session session = run.session();
  require_without_roof(session, 2 * 7);
  const engine::LabVerdict verdict = run.verdict(session);
  // The driver's own copy costs nothing on this one.
  CHECK(verdict.says == engine::Says::differs);
  CHECK(contains(verdict.headline, "pinned memory moves only"));
}

TEST_CASE(
    "overlap on a GPU: chunks are measured and verified, and hide nothing where all is one line") {
  LabRun run("overlap", "chunks", "1,4", seconds_of_steps);
  run.spec.more["mebibytes"] = "1";
  run.spec.more["ops"] = "8";
  fake_cuda::state().link_rate = 1e9;
  const engine::Session session = run.session();
  require_verified(session, 2);
  for (const engine::Point& one : session.points) {
    CAPTURE(one.id);
    CHECK(one.spans.size() == 3 * chunks_of(one.what));
  }
  CHECK(run.verdict(session).says == engine::Says::differs);
}

TEST_CASE(
    "coalescing on a GPU: strides, offsets and banks are verified, and whole sectors are moved") {
  LabRun run("coalescing", "strides", "1,2,8,32", by_sectors);
  run.spec.more["offsets"] = "1,31";
  run.spec.more["bank-strides"] = "1,4,33";
  run.spec.more["bank-span"] = "256";
  const engine::Session session = run.session();
  require_verified(session, 4 + 2 + 3);
  for (const engine::Point& one : session.points) {
    CAPTURE(one.id);
    if (one.what.family == Family::banks) {
      CHECK(engine::judge(session, one).limit == "no roof");
      continue;
    }
    REQUIRE(one.values.size() == 2);
    CHECK(one.values.back().value == 32);
  }
  const engine::LabVerdict verdict = run.verdict(session);
  CHECK(verdict.says == engine::Says::holds);
  CHECK(contains(verdict.headline, "whole sectors of 32 byte predict 12 %"));
  CHECK(contains(verdict.headline, "In shared memory, stride 4 leaves 25 %;"));
}

TEST_CASE("launches on a GPU whose graphs fail: the row says why, the others stay") {
  LabRun run("launches", "steps", "8", seconds_of_steps);
  fake_cuda::state().fail_instantiate = cudaErrorNotSupported;
  const engine::Session session = run.session();
  REQUIRE(point(session, Start::graph) != nullptr);
  CHECK(point(session, Start::graph)->status == engine::Status::skipped);
  CHECK(contains(point(session, Start::graph)->why, "instantiating a graph failed"));
  CHECK(point(session, Start::stream)->status == engine::Status::ok);
  const engine::LabVerdict verdict = run.verdict(session);
  CHECK(verdict.says == engine::Says::cannot_say);
}
