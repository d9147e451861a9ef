// What a verdict says would help, and what it does not promise.
#include <doctest/doctest.h>

#include "tests/session/verdict_words.hpp"

using namespace engine;
using examples::all_of;
using examples::any_has;
using examples::at_bandwidth;
using examples::at_peak;
using examples::chain;
using examples::tile;
using examples::with_points;
using kernels::Dtype;
using kernels::Fusion;
using kernels::Units;
using tests::contains;

TEST_CASE("right of the ridge the verdict names the share of the compute roof and no free ops") {
  const Point point = at_peak(chain(512), 0.97);
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.regime == Regime::compute);
  CHECK(verdict.headline == "Compute-bound: 97 % of the measured fp32 FMA roof");
  CHECK(verdict.free_ops == 0);
  CHECK(any_has(verdict.sentences, "This point is past the ridge"));
  CHECK(any_has(verdict.advice, "faster device"));
  CHECK(any_has(verdict.advice, "a chain cannot use them"));
}

TEST_CASE("at the roof of one instruction, a higher measured roof of the same units is named") {
  const Point point = at_peak(tile(64, Units::matrix), 0.97, examples::matrix_peak);
  Session session = with_points({point});
  CHECK(any_has(judge(session, point).advice, "only a faster device helps"));
  Roof library = examples::compute_roof(Dtype::bf16, Units::matrix, 1.5 * examples::matrix_peak);
  library.name = "bf16 library";
  session.roofs.push_back(library);
  const Verdict verdict = judge(session, point);
  CAPTURE(all_of(verdict));
  CHECK_FALSE(any_has(verdict.advice, "only a faster device helps"));
  CHECK(any_has(verdict.advice, "but bf16 library is 1.5x as high (12.0 TFLOP/s)"));
}

TEST_CASE("a device without matrix units is not told to use them") {
  Session session = examples::session();
  std::erase_if(session.roofs, [](const Roof& roof) { return roof.units == Units::matrix; });
  for (const Point& point : {at_peak(chain(512), 0.97), at_peak(tile(64, Units::vector), 0.9)}) {
    const Verdict verdict = judge(session, point);
    CHECK(verdict.regime == Regime::compute);
    CHECK_FALSE(any_has(verdict.advice, "matrix units"));
  }
  session.device.instruction_sets = {"AVX-512", "AMX-BF16"};
  CHECK(any_has(judge(session, at_peak(chain(512), 0.97)).advice, "matrix units"));
}

TEST_CASE("near the ridge no roof is blamed alone") {
  for (const std::uint64_t repeat : {36, 40, 60}) {
    const Point point = at_bandwidth(chain(repeat), 0.5);
    const Verdict verdict = judge(with_points({point}), point);
    CAPTURE(all_of(verdict));
    CHECK(contains(verdict.headline, "Near the ridge: 50 % of the measured DRAM copy roof"));
    CHECK(contains(verdict.headline, "fp32 FMA roof"));
    CHECK(verdict.limit == "near the ridge");
    CHECK(contains(verdict.advice.front(), "overlap only partly"));
    CHECK(verdict.free_ops == 0);
    CHECK_FALSE(any_has(verdict.sentences, "cost nothing"));
  }
}

TEST_CASE("where two roofs share the runtime, what can be gained is said, and fusing comes first") {
  const Point fused = at_bandwidth(chain(40), 0.5);
  CHECK(any_has(judge(with_points({fused}), fused).advice, "full overlap would give 2x"));
  Point disturbed = fused;
  disturbed.disturbed = true;
  CHECK_FALSE(any_has(judge(with_points({disturbed}), disturbed).advice, "overlap"));
}

TEST_CASE("a point that other work disturbed, or that scatters, is to be measured again first") {
  Point point = at_peak(chain(512), 0.97);
  CHECK(any_has(judge(with_points({point}), point).advice, "a faster device"));
  point.disturbed = true;
  CHECK(contains(judge(with_points({point}), point).advice.front(), "Measure it again"));
  CHECK_FALSE(any_has(judge(with_points({point}), point).advice, "a faster device"));
  point.disturbed = false;
  point.seconds.samples.assign(8, point.seconds.median);
  point.seconds.high = 1.3 * point.seconds.median;
  CHECK(contains(judge(with_points({point}), point).advice.front(), "spread by ±30 %"));
}

TEST_CASE(
    "a roof that was disturbed or throttled in every round may be too low, as the verdict says") {
  const Point point = at_peak(chain(512), 0.97);
  Session session = with_points({point});
  constexpr const char* caution = "fp32 FMA roof was disturbed: it may be too low.";
  CHECK_FALSE(any_has(judge(session, point).sentences, caution));
  for (Roof& roof : session.roofs) roof.disturbed = true;
  CHECK(any_has(judge(session, point).sentences, caution));
}

TEST_CASE("memory and arithmetic that in turns explain too little are not called the limit") {
  const Point point = at_bandwidth(chain(24), 0.45);  // arithmetic takes 27 % of the time
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK_FALSE(verdict.two_roofs);
  CHECK(verdict.limit == "no clear limit");
}

TEST_CASE("near the ridge, too, a roof of which nearly all is used is the limit") {
  const Point point = at_bandwidth(chain(32), 0.9);
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.limit == "bandwidth-bound");
  CHECK(contains(verdict.headline, "Bandwidth-bound: 90 % of the measured DRAM copy roof"));
  CHECK_FALSE(any_has(verdict.advice, "overlap"));
}

TEST_CASE("where both roofs take nearly as long, no op is free and no roof alone the limit") {
  const Session session = examples::session();
  kernels::Case what = chain(16);
  const auto both = [&] { return predict(session, what, kernels::work_of(what)); };
  while (both().compute_seconds < 0.97 * both().bandwidth_seconds) ++what.repeat;
  const Point point = at_bandwidth(what, 0.84);
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.limit == "near the ridge");
  CHECK_FALSE(any_has(verdict.advice, "they are free"));
  CHECK_FALSE(any_has(verdict.advice, "only a faster device"));
}

TEST_CASE("near the ridge, too, a point far below both roofs is not explained") {
  const Point point = at_bandwidth(chain(40), 0.25);
  const Verdict verdict = judge(with_points({point}), point);
  CHECK(verdict.regime == Regime::unknown);
  CHECK(verdict.limit == "no clear limit");
  CHECK(contains(verdict.headline, "No clear limit: 25 %"));
}

TEST_CASE("a point far below both roofs is not explained by either") {
  const Point point = at_bandwidth(chain(2), 0.41);
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.regime == Regime::unknown);
  CHECK(contains(verdict.headline, "No clear limit: 41 % of the measured DRAM copy roof"));
  CHECK(any_has(verdict.advice, "other programs"));
}

TEST_CASE("tiny kernels are overhead-bound and the advice is fusion, size and fewer launches") {
  kernels::Case what = chain(64, Fusion::unfused);
  what.elements = 256;
  const Point point = examples::point(what, 64 / examples::launch_rate / 0.9);
  Session session = with_points({point});
  const Verdict verdict = judge(session, point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.regime == Regime::overhead);
  CHECK(verdict.headline == "Overhead-bound: 90 % of the runtime is overhead");
  CHECK(contains(verdict.advice.front(), "Fuse the 64 ops"));
  CHECK(any_has(verdict.advice, "larger tensors"));
  CHECK(any_has(verdict.advice, "5.00 µs"));
  CHECK_FALSE(any_has(verdict.advice, "CUDA graph"));
  session.device.kind = "cuda";
  CHECK(any_has(judge(session, point).advice, "CUDA graph"));
}

TEST_CASE(
    "the tensor size advised against overhead is where the work takes as long as the launches") {
  kernels::Case what = chain(1);
  what.elements = 1000;
  const Point point = examples::point(what, 5e-6);
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  // 5 us at 100 GB/s are 500 kB: 62500 elements of 2 x 4 byte.
  CHECK(any_has(verdict.advice, "63 k elements"));
}

TEST_CASE(
    "unfused points are told what fusion brings: measured where it was, else promised by the "
    "roofs") {
  const Point unfused = at_bandwidth(chain(32, Fusion::unfused), 1);
  const Point fused = at_bandwidth(chain(32), 1);
  const Verdict measured = judge(with_points({fused, unfused}), unfused);
  CAPTURE(all_of(measured));
  CHECK(any_has(measured.advice, "(32x measured here)"));
  CHECK(any_has(measured.sentences, "Fused takes 5.37 ms, unfused takes 172 ms: 32x."));
  const Verdict promised = judge(with_points({unfused}), unfused);
  CHECK(any_has(promised.advice, "(the roofs predict 32x)"));
  CHECK(promised.free_ops == 0);
}

TEST_CASE("one pair of points has one speed-up, which says what it is where the device drifts") {
  Point unfused = at_bandwidth(chain(32, Fusion::unfused), 1), fused = at_bandwidth(chain(32), 1);
  for (Point* point : {&fused, &unfused}) {
    point->seconds.samples.clear();
    point->visits.clear();
    for (std::size_t pass = 0; pass < 7; ++pass) {
      const double pace = pass < 3 ? 1.0 : 1.2;
      point->visits.push_back({.first = pass, .pass = pass});
      point->seconds.samples.push_back(pace * point->seconds.median);
    }
  }
  unfused.seconds.median *= 1.1;  // of other passes than the median of the fused one
  const Verdict verdict = judge(with_points({fused, unfused}), unfused);
  CAPTURE(all_of(verdict));
  CHECK(
      any_has(verdict.sentences, "Fused takes 5.37 ms, unfused takes 189 ms: 32x, pass by pass."));
  CHECK(any_has(verdict.advice, "(32x measured here)"));
  fused.disturbed = true;
  const Verdict unsure = judge(with_points({fused, unfused}), unfused);
  CHECK(any_has(unsure.advice, "(32x measured here, not sure)"));
}

TEST_CASE("siblings of the same run are preferred, other runs serve where there is none") {
  Point fused = at_bandwidth(chain(32), 1);
  const Point unfused = at_bandwidth(chain(32, Fusion::unfused), 1);
  fused.run = 2;
  Point newest = at_bandwidth(chain(32), 0.5);
  newest.run = 3;
  CHECK(any_has(judge(with_points({fused, unfused, newest}), unfused).advice, "16x measured"));
  fused.run = 1;
  CHECK(any_has(judge(with_points({fused, unfused, newest}), unfused).advice, "32x measured"));
}

TEST_CASE("a point at the slider is a sibling only where no sweep has one") {
  const Point unfused = at_bandwidth(chain(32, Fusion::unfused), 1);
  const Point swept = at_bandwidth(chain(32), 1);
  Point at_slider = at_bandwidth(chain(32), 0.5);
  at_slider.probe = true;
  for (const auto& points : {std::vector{swept, at_slider, unfused}, {at_slider, swept, unfused}})
    CHECK(any_has(judge(with_points(points), unfused).advice, "32x measured"));
  CHECK(any_has(judge(with_points({at_slider, unfused}), unfused).advice, "16x measured"));
}

TEST_CASE("skipped siblings say nothing") {
  Point fused = at_bandwidth(chain(32), 1);
  fused.status = Status::skipped;
  const Point unfused = at_bandwidth(chain(32, Fusion::unfused), 1);
  const Verdict verdict = judge(with_points({fused, unfused}), unfused);
  CHECK_FALSE(any_has(verdict.advice, "measured here"));
}

TEST_CASE("a compute-bound tile on vector units is sent to the matrix units") {
  const Point vector = at_peak(tile(64, Units::vector), 0.95);
  const Point matrix = at_peak(tile(64, Units::matrix), 0.95, examples::matrix_peak);
  Session session = with_points({vector, matrix});
  const Verdict verdict = judge(session, vector);
  CAPTURE(all_of(verdict));
  CHECK(verdict.regime == Regime::compute);
  CHECK(contains(verdict.advice.front(), "8x as fast here"));
  CHECK(any_has(verdict.sentences, "With matrix units it takes"));
  CHECK(any_has(judge(session, matrix).sentences, "8x."));
  session.points.pop_back();
  CHECK(any_has(judge(session, vector).advice, "the roofs predict 8.4x"));
  session.device.kind = "cuda";
  CHECK(any_has(judge(session, vector).advice, "tensor cores"));
}

TEST_CASE("lower precision is advised with what it brought, or said not to help") {
  const Point fp32 = at_bandwidth(chain(4), 0.9);
  Point bf16 = at_bandwidth(chain(4, Fusion::fused, Dtype::bf16), 0.9);
  CHECK(any_has(judge(with_points({fp32, bf16}), fp32).advice,
                "bf16 did the same ops 2x as fast here"));
  bf16.seconds.median *= 2.5;
  CHECK(any_has(judge(with_points({fp32, bf16}), fp32).advice, "does not help here"));
}

TEST_CASE("lower precision is promised against a compute bound only where its roof is higher") {
  Session session = examples::session();
  const Point point = at_peak(chain(512), 0.97);
  CHECK_FALSE(any_has(judge(session, point).advice, "Lower precision"));  // bf16 has the same roof
  for (Roof& roof : session.roofs) {
    if (roof.name == "bf16 FMA") roof.rate = 2 * examples::peak;
  }
  CHECK(any_has(judge(session, point).advice,
                "Lower precision computes faster: the roofs predict 2x for bf16."));
  std::erase_if(session.roofs, [](const Roof& roof) { return roof.name == "bf16 FMA"; });
  CHECK_FALSE(any_has(judge(session, point).advice, "Lower precision"));
}

TEST_CASE("a stated roof of lower precision is compared with a stated one, not a measured one") {
  Session session = examples::session();
  const Point point = at_peak(chain(512), 0.97);
  const auto state_roof = [&](Dtype dtype, double rate) {
    Roof stated = examples::compute_roof(dtype, Units::vector, rate);
    stated.source = RoofSource::datasheet;
    add_roof(session, stated);
  };
  state_roof(Dtype::fp16, 1.5 * examples::peak);
  state_roof(Dtype::fp32, 1.5 * examples::peak);
  CHECK_FALSE(any_has(judge(session, point).advice, "Lower precision"));
  state_roof(Dtype::fp16, 3 * examples::peak);
  CHECK(any_has(judge(session, point).advice, "the roofs predict 2x for fp16"));
}

TEST_CASE(
    "lower precision against a bandwidth bound is promised as far as the arithmetic lets it") {
  Session session = examples::session();
  // The ridge of fp32 is at 40 ops; half the bytes move it to 20.
  CHECK(any_has(judge(session, at_bandwidth(chain(4), 0.9)).advice,
                "Lower precision moves fewer bytes: the roofs predict 2x for fp16."));
  const Point near_ridge = at_bandwidth(chain(30), 0.9);
  CHECK(any_has(judge(session, near_ridge).advice, "the roofs predict 1.3x for fp16"));
  const Point halved = at_bandwidth(chain(4, Fusion::fused, Dtype::bf16), 0.9);
  CHECK_FALSE(any_has(judge(session, halved).advice, "Lower precision"));
  const Point integers = at_bandwidth(chain(4, Fusion::fused, Dtype::int32), 0.9);
  CHECK_FALSE(any_has(judge(session, integers).advice, "Lower precision"));
}

TEST_CASE("an unfused point that no roof explains is told to fuse all the same") {
  const Point point = at_bandwidth(chain(32, Fusion::unfused), 0.4);
  const Verdict verdict = judge(with_points({point}), point);
  CHECK(verdict.regime == Regime::unknown);
  CHECK(contains(verdict.advice.front(), "Fuse the 32 ops"));
}

TEST_CASE("a working set in cache is not held against the memory") {
  Point point = at_bandwidth(chain(1), 6);
  point.cold = false;
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.regime == Regime::unknown);
  CHECK(any_has(verdict.sentences, "The working set fits in cache"));
  CHECK(any_has(verdict.sentences, "fits in cache: the DRAM roof does not bound it"));
  CHECK_FALSE(any_has(verdict.sentences, "above the roof"));
  Point computing = at_peak(chain(64), 0.9);
  computing.cold = false;
  CHECK(judge(with_points({computing}), computing).regime == Regime::compute);
  // Fewer bytes promise nothing where bytes cost nothing.
  Point near_memory = at_peak(chain(16), 0.9);
  near_memory.cold = false;
  const Verdict of_near = judge(with_points({near_memory}), near_memory);
  CHECK(of_near.regime == Regime::compute);
  CHECK_FALSE(any_has(of_near.advice, "Lower precision"));
}
