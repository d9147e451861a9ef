#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "engine/predict.hpp"
#include "tests/session/examples.hpp"

using namespace engine;
using examples::at_bandwidth;
using examples::at_peak;
using examples::chain;
using examples::tile;
using kernels::Dtype;
using kernels::Fusion;
using kernels::Op;
using kernels::Units;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool any_has(const std::vector<std::string>& texts, const std::string& part) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return has(text, part); });
}

std::string all_of(const Verdict& verdict) {
  std::string text = verdict.headline;
  for (const auto& sentence : verdict.sentences) text += "\n" + sentence;
  for (const auto& sentence : verdict.advice) text += "\n- " + sentence;
  return text;
}

Session with_points(std::vector<Point> points) {
  Session session = examples::session();
  session.points = std::move(points);
  return session;
}

}  // namespace

TEST_CASE("a prediction is the longest of what each roof alone would take") {
  const Session session = examples::session();
  const auto predicted = [&](const kernels::Case& what) {
    return predict(session, what, kernels::work_of(what));
  };
  const Prediction left = predicted(chain(1));
  CHECK(left.regime() == Regime::bandwidth);
  CHECK(left.seconds() == doctest::Approx(2.0 * examples::elements * 4 / examples::bandwidth));
  const Prediction right = predicted(chain(1024));
  CHECK(right.regime() == Regime::compute);
  CHECK(right.attainable_flops() == doctest::Approx(examples::peak));
  kernels::Case small = chain(64, Fusion::unfused);
  small.elements = 256;
  CHECK(predicted(small).regime() == Regime::overhead);
  CHECK(predicted(small).seconds() == doctest::Approx(64 / examples::launch_rate));
}

TEST_CASE("at the ridge point both roofs take the same time") {
  const Session session = examples::session();
  const double ridge =
      ridge_point(bandwidth_roof(session, RoofSource::measured),
                  compute_roof(session, Dtype::fp32, Units::vector, RoofSource::measured));
  CHECK(ridge == doctest::Approx(10));
  const Prediction at = predict(session, chain(40), kernels::work_of(chain(40)));
  CHECK(at.compute_seconds == doctest::Approx(at.bandwidth_seconds));
  CHECK(ridge_point(nullptr, nullptr) == 0);
}

TEST_CASE("without roofs nothing is predicted, and the verdict says so") {
  Session session = examples::session();
  session.roofs.clear();
  const Point point = examples::point(chain(8), 0.01);
  CHECK(predict(session, chain(8), point.work).seconds() == 0);
  CHECK(predict(session, chain(8), point.work).regime() == Regime::unknown);
  const Verdict verdict = judge(session, point);
  CHECK(verdict.regime == Regime::unknown);
  CHECK(has(verdict.headline, "No roof is known"));
}

TEST_CASE(
    "a measured roof comes before the one of the data sheet, which serves where there is none") {
  Session session = examples::session();
  for (Roof roof : examples::session().roofs) {
    roof.source = RoofSource::datasheet;
    roof.rate *= 2;
    session.roofs.push_back(roof);
  }
  CHECK(bandwidth_ceiling(session).name == "measured DRAM copy roof");
  CHECK(bandwidth_ceiling(session).rate == examples::bandwidth);
  std::erase_if(session.roofs,
                [](const Roof& roof) { return roof.source == RoofSource::measured; });
  CHECK(compute_ceiling(session, chain(1)).name == "datasheet fp32 FMA roof");
  CHECK(compute_ceiling(session, chain(1)).rate == 2 * examples::peak);
}

TEST_CASE("a chain of mul is held against its own roof, else against half of the FMA roof") {
  Session session = examples::session();
  kernels::Case mul = chain(1024);
  mul.op = Op::mul;
  CHECK(compute_ceiling(session, mul).rate == examples::peak / 2);
  CHECK(compute_ceiling(session, mul).name == "half of the measured fp32 FMA roof");
  Roof own = examples::compute_roof(Dtype::fp32, Units::vector, 0.6e12);
  own.name = compute_roof_name(Dtype::fp32, Units::vector, Op::mul);
  session.roofs.push_back(own);
  CHECK(compute_ceiling(session, mul).rate == 0.6e12);
  CHECK(compute_ceiling(session, chain(1)).rate == examples::peak);
}

TEST_CASE("a vector tile of narrow floats is held against the fp32 FMAs that it runs") {
  Session session = examples::session();
  Roof packed = examples::compute_roof(Dtype::fp16, Units::vector, 4 * examples::peak);
  session.roofs.push_back(packed);
  for (Roof& roof : session.roofs) {
    if (roof.name == "bf16 FMA") roof.rate = 4 * examples::peak;
  }
  for (const Dtype dtype : {Dtype::tf32, Dtype::fp16, Dtype::bf16}) {
    kernels::Case what = tile(256, Units::vector);
    what.dtype = dtype;
    CHECK(compute_ceiling(session, what).name == "measured fp32 FMA roof");
    const Point point = at_peak(what, 0.96);
    CHECK(judge(session, point).headline == "Compute-bound: 96 % of the measured fp32 FMA roof");
    // A chain of packed floats has their own roof.
    CHECK(compute_ceiling(session, chain(1, Fusion::fused, Dtype::bf16)).rate ==
          4 * examples::peak);
  }
  kernels::Case integer = tile(256, Units::vector);
  integer.dtype = Dtype::int8;
  CHECK(compute_ceiling(session, integer).rate == 0);
  CHECK(compute_ceiling(session, tile(256, Units::matrix)).name == "measured bf16 matrix roof");
}

TEST_CASE("a working set in a cache whose roof is known is held against that roof") {
  Session session = examples::session();
  session.device.l2_bytes = 16 << 20;  // of each of 2 cores
  kernels::Case what = chain(1);
  what.elements = 1 << 22;  // 32 MiB in all
  const kernels::Work work = kernels::work_of(what);
  CHECK(has(predict(session, what, work).note, "it fits in L2, whose bandwidth was not measured"));
  CHECK(predict(session, chain(1), kernels::work_of(chain(1))).note.empty());
  Point point = examples::point(what, work.bytes / (0.9 * 4 * examples::bandwidth));
  point.cold = false;
  CHECK(judge(session, point).regime == Regime::unknown);
  session.roofs.push_back(examples::roof("L2", RoofKind::bandwidth, 4 * examples::bandwidth));
  CHECK(predict(session, what, work).note.empty());
  CHECK(predict(session, what, work).seconds() ==
        doctest::Approx(work.bytes / (4 * examples::bandwidth)));
  const Verdict verdict = judge(session, point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.headline == "Bandwidth-bound: 90 % of the measured L2 roof");
  CHECK(verdict.ridge == doctest::Approx(examples::peak / (4 * examples::bandwidth)));
  CHECK(any_has(verdict.sentences, "the measured L2 roof bounds it, not DRAM"));
  // What came from memory all the same is held against the memory.
  point.cold = true;
  CHECK(has(judge(session, point).headline, "DRAM copy roof"));
}

TEST_CASE("a median of few samples is never said to be known within a percentage") {
  Point point = at_peak(chain(1024), 0.9);
  point.stop = Stop::time_limit;
  const auto said = [&](std::vector<double> samples) {
    point.seconds.samples = std::move(samples);
    for (const std::string& sentence : judge(with_points({point}), point).sentences) {
      if (has(sentence, "Measuring ended")) return sentence;
    }
    return std::string();
  };
  CHECK(said({0.5}) == "Measuring ended at the time limit: 1 sample.");
  CHECK(said({0.5, 0.25, 1}) == "Measuring ended at the time limit: 3 samples, 250 ms to 1.00 s.");
  const std::string six = said({0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
  CHECK(six == "Measuring ended at the time limit: 95 % interval 1 % wide.");
}

TEST_CASE("each limit that ended a point early has its own sentence") {
  Point point = at_peak(chain(1024), 0.9);
  CHECK_FALSE(any_has(judge(with_points({point}), point).sentences, "Measuring ended"));
  point.stop = Stop::time_limit;
  point.limit = Limit::samples;
  CHECK(any_has(judge(with_points({point}), point).sentences, "after 1 samples, as many as"));
  point.limit = Limit::spread;
  CHECK(any_has(judge(with_points({point}), point).sentences, "scatter too much"));
}

TEST_CASE(
    "left of the ridge the verdict names the share of the bandwidth and the ops that are free") {
  const Point point = at_bandwidth(chain(8), 0.94);
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.regime == Regime::bandwidth);
  CHECK(verdict.headline == "Bandwidth-bound: 94 % of the measured DRAM copy roof");
  CHECK(verdict.share_of_bandwidth == doctest::Approx(0.94));
  CHECK(verdict.ridge == doctest::Approx(10));
  CHECK(verdict.free_ops == 32);
  CHECK(any_has(verdict.sentences, "32 more ops per element would cost nothing"));
  CHECK(any_has(verdict.sentences, "10 FLOP/byte"));
  CHECK(any_has(verdict.advice, "fewer bytes"));
}

TEST_CASE("right of the ridge the verdict names the share of the compute roof and no free ops") {
  const Point point = at_peak(chain(512), 0.97);
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.regime == Regime::compute);
  CHECK(verdict.headline == "Compute-bound: 97 % of the measured fp32 FMA roof");
  CHECK(verdict.free_ops == 0);
  CHECK(any_has(verdict.sentences, "The ridge is behind"));
  CHECK(any_has(verdict.advice, "bigger device"));
  CHECK(any_has(verdict.advice, "a chain cannot use them"));
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
  for (const std::uint64_t repeat : {24, 40, 64}) {
    const Point point = at_bandwidth(chain(repeat), 0.5);
    const Verdict verdict = judge(with_points({point}), point);
    CAPTURE(all_of(verdict));
    CHECK(has(verdict.headline, "Near the ridge: 50 % of the measured DRAM copy roof"));
    CHECK(has(verdict.headline, "fp32 FMA roof"));
  }
}

TEST_CASE("near the ridge, too, a point far below both roofs is not explained") {
  const Point point = at_bandwidth(chain(40), 0.25);
  const Verdict verdict = judge(with_points({point}), point);
  CHECK(verdict.regime == Regime::unknown);
  CHECK(has(verdict.headline, "Neither roof explains it: 25 %"));
}

TEST_CASE("a point far below both roofs is not explained by either") {
  const Point point = at_bandwidth(chain(2), 0.41);
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.regime == Regime::unknown);
  CHECK(has(verdict.headline, "Neither roof explains it: 41 % of the measured DRAM copy roof"));
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
  CHECK(verdict.headline == "Overhead-bound: launches explain 90 % of the runtime");
  CHECK(has(verdict.advice.front(), "Fuse the 64 ops"));
  CHECK(any_has(verdict.advice, "bigger tensors"));
  CHECK(any_has(verdict.advice, "5.00 us"));
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
  CHECK(any_has(measured.sentences, "Fused takes 5.37 ms where unfused takes 172 ms: 32x."));
  const Verdict promised = judge(with_points({unfused}), unfused);
  CHECK(any_has(promised.advice, "(the roofs promise 32x)"));
  CHECK(promised.free_ops == 0);
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
  CHECK(has(verdict.advice.front(), "8x as fast here"));
  CHECK(any_has(verdict.sentences, "With matrix units it takes"));
  CHECK(any_has(judge(session, matrix).sentences, "8x."));
  session.points.pop_back();
  CHECK(any_has(judge(session, vector).advice, "the roofs promise 8.4x"));
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
  CHECK(any_has(judge(session, point).advice, "the roofs promise 2x for bf16"));
  std::erase_if(session.roofs, [](const Roof& roof) { return roof.name == "bf16 FMA"; });
  CHECK(any_has(judge(session, point).advice, "on most devices"));
}

TEST_CASE("an unfused point that no roof explains is told to fuse all the same") {
  const Point point = at_bandwidth(chain(32, Fusion::unfused), 0.4);
  const Verdict verdict = judge(with_points({point}), point);
  CHECK(verdict.regime == Regime::unknown);
  CHECK(has(verdict.advice.front(), "Fuse the 32 ops"));
}

TEST_CASE("a working set in cache is not held against the memory") {
  Point point = at_bandwidth(chain(1), 6);
  point.cold = false;
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.regime == Regime::unknown);
  CHECK(has(verdict.headline, "In cache"));
  CHECK(any_has(verdict.sentences, "fits in cache: the DRAM roof does not bound it"));
  CHECK_FALSE(any_has(verdict.sentences, "above the roof"));
  Point computing = at_peak(chain(64), 0.9);
  computing.cold = false;
  CHECK(judge(with_points({computing}), computing).regime == Regime::compute);
}

TEST_CASE("what casts doubt on a number is said: above the roof, throttled, time limit") {
  Point point = at_peak(chain(1024), 1.2);
  point.conditions.throttled = true;
  point.conditions.note = "power cap";
  point.stop = Stop::time_limit;
  point.seconds.high = point.seconds.median * 1.1;
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.headline == "Compute-bound: 120 % of the measured fp32 FMA roof");
  CHECK(any_has(verdict.sentences, "above the roof"));
  CHECK(any_has(verdict.sentences, "held its clock back (power cap)"));
  CHECK(any_has(verdict.sentences, "time limit"));
}

TEST_CASE("a throttled point is explained by its clock, and what disturbed it is said") {
  Session session = examples::session();
  for (Roof& roof : session.roofs) roof.conditions.clock_hz = 2e9;
  Point point = at_peak(chain(1024), 0.7);
  point.conditions.throttled = true;
  point.conditions.clock_hz = 1.4e9;
  point.disturbed = true;
  point.discarded = 5;
  const Verdict verdict = judge(session, point);
  CAPTURE(all_of(verdict));
  // 1e12 / (2e9 x 2 cores), and 0.7 of it at 0.7 of the clock.
  CHECK(any_has(verdict.sentences,
                "Per clock and core it did 250 FLOP at 1.40 GHz, where the roof has 250 at 2.00"));
  CHECK(any_has(verdict.sentences, "Other work took a share"));
  CHECK(any_has(verdict.sentences, "5 samples at a clock that was held back"));
  point.conditions.clock_hz.reset();
  CHECK_FALSE(any_has(judge(session, point).sentences, "Per clock"));
}

TEST_CASE("a sentence never ends without a full stop and no number is infinite") {
  for (const std::uint64_t repeat : {1, 32, 64, 4096}) {
    for (const Fusion fusion : {Fusion::fused, Fusion::unfused}) {
      for (const double share : {0.01, 0.5, 0.99, 1.5}) {
        const Point point = at_bandwidth(chain(repeat, fusion), share);
        const Verdict verdict = judge(with_points({point}), point);
        CAPTURE(all_of(verdict));
        CHECK_FALSE(has(all_of(verdict), "inf"));
        CHECK_FALSE(has(all_of(verdict), "nan"));
        for (const auto& sentence : verdict.sentences) CHECK(sentence.back() == '.');
        for (const auto& sentence : verdict.advice) CHECK(sentence.back() == '.');
      }
    }
  }
}
