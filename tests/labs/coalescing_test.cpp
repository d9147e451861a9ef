// The lab `coalescing`: its verdict on devices that move what a test decides.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "engine/session/session_file.hpp"
#include "kernels/families/banks/banks.hpp"
#include "kernels/families/strided/strided.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using kernels::Family;
using test::Made;
using test::row;
using tests::contains;

namespace {

const std::vector<kernels::Kernel> of_gpu{{.family = Family::strided, .op = kernels::Op::read},
                                          {.family = Family::banks, .op = kernels::Op::shared}};

/// Moves 20 GB/s in whole sectors. `wasted`: how much of what no word asks for costs time;
/// `misaligned`: how many times as long offsets take; `conflicts`: how much of each further way of
/// conflict costs time.
Made made(bool gpu, double wasted = 1, double misaligned = 1.1, Spec asked = {},
          double conflicts = 1) {
  return Made(
      "coalescing",
      [=](Point& point) {
        if (point.what.family == Family::banks) {
          const auto ways = static_cast<double>(kernels::conflict_ways(point.what));
          return (1 + conflicts * (ways - 1)) * point.work.bytes / 500e9;
        }
        const double sector = gpu ? 32 : 64;
        point.values = kernels::strided_values(point.what, sector);
        const double moved = kernels::moved_bytes(point.what, sector);
        const double bytes = point.work.bytes + wasted * (moved - point.work.bytes);
        return bytes / 20e9 * (kernels::offset_of(point.what) == 0 ? 1 : misaligned);
      },
      gpu ? of_gpu : std::vector<kernels::Kernel>{}, asked);
}

Spec with_strides(const char* text) {
  Spec spec;
  spec.more["strides"] = text;
  return spec;
}

}  // namespace

TEST_CASE("coalescing: the claim holds where whole sectors are moved") {
  const LabVerdict verdict = made(true).verdict();
  CHECK(verdict.says == Says::holds);
  CHECK(row(verdict, "moved at a time").here->median == 32);
  CHECK(row(verdict, "at stride 8, of").here->median == doctest::Approx(0.125).epsilon(0.01));
  CHECK(row(verdict, "bandwidth moved at stride 8").here->median == doctest::Approx(20e9));
  // A sector for each word: what is beyond informs.
  const VerdictRow beyond = row(verdict, "at stride 32");
  CHECK(beyond.claimed->median == 0.125);
  CHECK(beyond.says == Says::not_yet);
  CHECK(row(verdict, "time from word").claimed->median == 1.25);
  CHECK(verdict.headline ==
        "Stride 8 leaves 13 % of the bandwidth; whole sectors of 32 byte predict 12 %. In shared "
        "memory, stride 32 leaves 3.1 %; bank conflicts predict 3.1 %.");
}

TEST_CASE("coalescing: on a CPU a cache line is the sector") {
  const LabVerdict verdict = made(false).verdict();
  CHECK(verdict.says == Says::holds);
  CHECK(row(verdict, "at stride 16, of").claimed->median == 1.0 / 16);
  CHECK(row(verdict, "at stride 16, of").says == Says::holds);
  CHECK(contains(verdict.headline, "whole sectors of 64 byte"));
  CHECK_FALSE(contains(verdict.headline, "shared memory"));
}

TEST_CASE(
    "coalescing: the claim does not hold where little is lost, or misaligned words cost more") {
  CHECK(made(true, 0.1).verdict().says == Says::differs);
  const LabVerdict misaligned = made(true, 1, 1.6).verdict();
  CHECK(misaligned.says == Says::differs);
  CHECK(row(misaligned, "time from word").says == Says::differs);
}

TEST_CASE("coalescing: without stride 1, or another one within a sector, there is no verdict") {
  for (const char* const strides : {"2,4,8", "1", "1,32"}) {
    CAPTURE(strides);
    Spec spec = with_strides(strides);
    spec.more["bank-strides"] = "2,32";
    const LabVerdict verdict = made(true, 1, 1.1, spec).verdict();
    CHECK(verdict.says == Says::cannot_say);
    CHECK(contains(verdict.headline, "Measure stride 1, and another one within a sector"));
    CHECK(verdict.rows.empty());
  }
}

TEST_CASE("coalescing: words of a warp that lie in one bank of shared memory are given in turn") {
  const LabVerdict verdict = made(true).verdict();
  CHECK(row(verdict, "shared memory: bandwidth used at stride 1").here->median ==
        doctest::Approx(500e9));
  const VerdictRow half = row(verdict, "shared memory at stride 2, of stride 1");
  CHECK(half.claimed->median == 0.5);
  CHECK(half.here->median == doctest::Approx(0.5));
  const VerdictRow padded = row(verdict, "shared memory at stride 33");
  CHECK(contains(padded.what, "no conflict"));
  CHECK(padded.claimed->median == 1);
  CHECK(padded.says == Says::holds);
}

TEST_CASE("coalescing: the claim does not hold where conflicts of banks cost less") {
  const LabVerdict verdict = made(true, 1, 1.1, {}, 0.5).verdict();
  CHECK(row(verdict, "at stride 8, of").says == Says::holds);
  CHECK(row(verdict, "shared memory at stride 32").says == Says::differs);
  CHECK(verdict.says == Says::differs);
}

TEST_CASE("coalescing: a part that holds does not stand for one that was not measured") {
  Spec spec;
  spec.more["bank-strides"] = "2,32";
  const LabVerdict memory = made(true, 1, 1.1, spec).verdict();
  CHECK(memory.says == Says::cannot_say);
  CHECK(memory.headline.ends_with("Shared memory was not compared with its stride 1."));
  CHECK(made(true, 0.1, 1.1, spec).verdict().says == Says::differs);
  const LabVerdict shared = made(true, 1, 1.1, with_strides("2,4")).verdict();
  CHECK(shared.says == Says::cannot_say);
  CHECK(shared.headline.starts_with("In shared memory, stride 32 leaves"));
  CHECK(shared.headline.ends_with("Memory was not compared with its stride 1."));
}

TEST_CASE("coalescing: one disturbed stride that is judged leaves the verdict unsure") {
  for (const std::uint64_t stride : {2, 4, 8}) {
    Made made = ::made(true);
    for (Point& point : made.session.points)
      point.disturbed =
          point.what.family == Family::strided && kernels::stride_of(point.what) == stride;
    CAPTURE(stride);
    CHECK(made.verdict().says == Says::cannot_say);
  }
}

TEST_CASE("coalescing: one disturbed stride of shared memory leaves the verdict unsure") {
  Made made = ::made(true);
  for (Point& point : made.session.points)
    point.disturbed =
        point.what.family == Family::banks && kernels::bank_stride_of(point.what) == 8;
  CHECK(made.verdict().says == Says::cannot_say);
}

TEST_CASE("coalescing: the first chart shows shared memory beside what its banks predict") {
  const Lab& lab = *find_lab("coalescing");
  const Made gpu = made(true), cpu = made(false);
  CHECK(lab.charts(results_of("coalescing", cpu.session)).front().curves.size() == 2);
  const std::vector<Curve> curves =
      lab.charts(results_of("coalescing", gpu.session)).front().curves;
  REQUIRE(curves.size() == 3);
  CHECK(curves[2].x == std::vector<double>{1, 2, 4, 8, 16, 32, 33});
  CHECK(curves[2].y.back() == curves[2].y.front());
  CHECK(curves[2].y[5] == doctest::Approx(curves[2].y.front() / 32));
}

TEST_CASE("coalescing: points that were disturbed leave the verdict unsure") {
  Made made = ::made(true);
  for (Point& point : made.session.points) point.disturbed = true;
  CHECK(made.verdict().says == Says::cannot_say);
}

TEST_CASE("coalescing: what is moved exceeds the caches at every stride") {
  for (const bool gpu : {false, true}) {
    for (const Point& point : made(gpu).session.points) {
      if (point.what.family != Family::strided) continue;
      CAPTURE(kernels::stride_of(point.what));
      CHECK(kernels::refusal_of(point.what) == "");
      CHECK(kernels::moved_bytes(point.what, gpu ? 32 : 64) > 0.99 * kernels::surely_dram / 2);
    }
  }
}

TEST_CASE("coalescing: a span that is chosen is that of every stride, in whole groups") {
  Spec spec = with_strides("1,3,32");
  spec.more["span"] = "4";
  for (const Point& point : made(true, 1, 1.1, spec).session.points) {
    if (point.what.family != Family::strided) continue;
    CHECK(kernels::footprint_of(point.what) <= (4 << 20) * 1.002);
    CHECK(kernels::footprint_of(point.what) > (4 << 20) * 0.9);
    CHECK(point.what.elements % kernels::strided_group == 0);
  }
}
