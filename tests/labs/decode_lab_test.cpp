// The lab `decode`: its plan, and its verdict on devices that unpack as fast as a test decides.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "engine/session/session_file.hpp"
#include "kernels/families/decode/decode.hpp"
#include "tests/engine/made_results.hpp"
#include "tests/text.hpp"

using namespace engine;
using test::Made;
using test::row;
using tests::contains;

namespace {

constexpr double bandwidth = 20e9, peak = 2e11;

/// At `of_memory` of the bandwidth, or as long as the arithmetic takes, or as `unpacking` seconds
/// of a weight.
Made made(double of_memory, double unpacking, Spec spec = {}) {
  Made made(
      "decode",
      [&](Point& point) {
        const kernels::DecodeSize size = kernels::decode_size(point.what);
        const double unpacked = size.scaled() ? unpacking * static_cast<double>(size.weights()) : 0;
        return std::max(
            {point.work.bytes / (of_memory * bandwidth), point.work.flops / peak, unpacked});
      },
      {}, std::move(spec));
  Roof memory, fma;
  memory.name = "DRAM read";
  memory.kind = RoofKind::bandwidth;
  memory.rate = bandwidth;
  fma.name = "fp32 FMA";
  fma.dtype = kernels::Dtype::fp32;
  fma.units = kernels::Units::vector;
  fma.rate = peak;
  made.session.roofs = {memory, fma};
  return made;
}

}  // namespace

TEST_CASE("decode: the claim holds where the bytes decide") {
  const LabVerdict verdict = made(0.95, 0).verdict();
  CHECK(verdict.says == Says::holds);
  CHECK(row(verdict, "share of the bandwidth").here->median == doctest::Approx(0.95));
  // 16 bits against 8 and 4, and a scale of 16 bits for 128 weights.
  CHECK(row(verdict, "8 bits, batch 1").claimed->median ==
        doctest::Approx(16 / (8 + 1.0 / 8)).epsilon(1e-3));
  CHECK(row(verdict, "4 bits, batch 1").claimed->median ==
        doctest::Approx(16 / (4 + 1.0 / 8)).epsilon(2e-3));
  CHECK(row(verdict, "4 bits, batch 1").here->median == doctest::Approx(3.88).epsilon(0.01));
  // 14 GB of weights at 19 GB/s.
  CHECK(contains(verdict.headline, "1.36 tokens/s of 7 G weights in bf16"));
  CHECK(contains(verdict.headline, "as many with 4 bits"));
}

TEST_CASE("decode: the batch that takes half as long again is where the roofs cross") {
  const LabVerdict verdict = made(1, 0).verdict();
  // 2 byte at 20 GB/s take as long as 20 FLOP at 0.2 TFLOP/s: 10 vectors.
  const VerdictRow& bf16 = row(verdict, "bf16: batch that takes 1.5x");
  CHECK(bf16.claimed->median == doctest::Approx(15).epsilon(0.01));
  CHECK(bf16.here->median == doctest::Approx(15).epsilon(0.05));
  const VerdictRow& narrow = row(verdict, "4 bits: batch that takes 1.5x");
  CHECK(narrow.claimed->median == doctest::Approx(15 / 3.88).epsilon(0.02));
  CHECK(narrow.here->median == doctest::Approx(15 / 3.88).epsilon(0.06));
  CHECK(bf16.says == Says::not_yet);
}

TEST_CASE("decode: a batch that never takes so long is left open") {
  Spec spec;
  spec.more["batches"] = "1,2";
  const LabVerdict verdict = made(1, 0, spec).verdict();
  CHECK_FALSE(row(verdict, "bf16: batch that takes 1.5x").here);
  CHECK(row(verdict, "bf16: batch that takes 1.5x").claimed);
}

TEST_CASE("decode: the claim does not hold where unpacking takes longer than the bytes") {
  // A bf16 weight takes 0.1 ns to read, one of 4 bits 0.026 ns.
  const LabVerdict verdict = made(1, 0.04e-9).verdict();
  CHECK(verdict.says == Says::differs);
  CHECK(row(verdict, "8 bits, batch 1").says == Says::holds);
  CHECK(row(verdict, "4 bits, batch 1").says == Says::differs);
  CHECK(contains(verdict.headline, "With 4 bits there are only 2.5x as many tokens/s as in bf16"));
}

TEST_CASE("decode: the claim does not hold where bf16 weights are not read at the roof") {
  const LabVerdict verdict = made(0.5, 0).verdict();
  CHECK(verdict.says == Says::differs);
  CHECK(verdict.headline == "At batch 1 bf16 weights reach only 50 % of the memory's bandwidth.");
}

TEST_CASE("decode: without batch 1, another width or a roof of the memory there is no verdict") {
  for (const auto& [knob, text] : {std::pair{"batches", "2,4"}, {"bits", "16"}, {"bits", "4,8"}}) {
    Spec spec;
    spec.more[knob] = text;
    const LabVerdict verdict = made(1, 0, spec).verdict();
    CHECK(verdict.says == Says::cannot_say);
    CHECK(contains(verdict.headline, "Measure batch 1 in bf16"));
  }
  Made without_roofs = made(1, 0);
  without_roofs.session.roofs.clear();
  CHECK(without_roofs.verdict().says == Says::cannot_say);
  CHECK(contains(without_roofs.verdict().headline, "no roof of the memory"));
}

TEST_CASE("decode: a verdict on disturbed points is not sure") {
  Made disturbed = made(0.95, 0);
  for (Point& point : disturbed.session.points) point.disturbed = true;
  CHECK(disturbed.verdict().says == Says::cannot_say);
}

TEST_CASE("decode: every width has as many bytes of packed weights, beyond all caches") {
  for (const Point& point : made(1, 0).session.points) {
    const kernels::DecodeSize size = kernels::decode_size(point.what);
    CHECK(size.words() * 4 == std::uint64_t{512} << 20);
  }
  Place place;
  place.info.kind = "cpu";
  place.info.l3_bytes = 1 << 30;
  place.info.multiprocessors = 64;
  place.free_bytes = 64e9;
  const Session nothing;
  Spec spec;
  const auto asks_for = [&] { return find_lab("decode")->plan(spec, place, {spec, nothing, {}}); };
  CHECK(kernels::footprint_of(asks_for().asks.front().what) >=
        kernels::dram_working_set(place.info));
  place.free_bytes = 0.6e9;  // half of it holds none
  CHECK(asks_for().asks.empty());
  spec.more["packed-mebibytes"] = "100";
  CHECK(asks_for().asks.size() == 15);
}

TEST_CASE("decode: a width or a batch that there is no kernel for is refused with a reason") {
  for (const auto& [knob, text] : {std::pair{"bits", "5"}, {"batches", "3"}}) {
    Spec spec;
    spec.more[knob] = text;
    CHECK_THROWS_AS(made(1, 0, spec), BadInput);
  }
}
