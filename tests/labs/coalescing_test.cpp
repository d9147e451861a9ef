// The lab `coalescing`: its verdict on devices that move what a test decides.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "engine/session/session_file.hpp"
#include "kernels/families/strided.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using kernels::Family;
using test::Made;
using test::row;
using tests::contains;

namespace {

const std::vector<kernels::Kernel> of_gpu{{.family = Family::strided, .op = kernels::Op::read}};

/// Moves 20 GB/s in whole sectors. `wasted`: how much of what no word asks for costs time;
/// `misaligned`: how many times as long offsets take.
Made made(bool gpu, double wasted = 1, double misaligned = 1.1, Spec asked = {}) {
  return Made(
      "coalescing",
      [=](Point& point) {
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
        "At stride 8, words get 13 % of the bandwidth that they get side by side; whole sectors of "
        "32 byte predict 12 %.");
}

TEST_CASE("coalescing: on a CPU a cache line is the sector") {
  const LabVerdict verdict = made(false).verdict();
  CHECK(verdict.says == Says::holds);
  CHECK(row(verdict, "at stride 16, of").claimed->median == 1.0 / 16);
  CHECK(row(verdict, "at stride 16, of").says == Says::holds);
  CHECK(contains(verdict.headline, "whole sectors of 64 byte"));
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
    const LabVerdict verdict = made(true, 1, 1.1, with_strides(strides)).verdict();
    CHECK(verdict.says == Says::cannot_say);
    CHECK(contains(verdict.headline, "Measure stride 1, and another one within a sector"));
    CHECK(verdict.rows.empty());
  }
}

TEST_CASE("coalescing: points that were disturbed leave the verdict unsure") {
  Made made = ::made(true);
  for (Point& point : made.session.points) point.disturbed = true;
  CHECK(made.verdict().says == Says::cannot_say);
}

TEST_CASE("coalescing: what is moved exceeds the caches at every stride") {
  for (const bool gpu : {false, true}) {
    for (const Point& point : made(gpu).session.points) {
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
    CHECK(kernels::footprint_of(point.what) <= (4 << 20) * 1.002);
    CHECK(kernels::footprint_of(point.what) > (4 << 20) * 0.9);
    CHECK(point.what.elements % kernels::strided_group == 0);
  }
}
