// Predictions, regimes and shares, and their caveats.
#include <doctest/doctest.h>

#include "kernels/families/family.hpp"
#include "kernels/families/matmul/matmul.hpp"
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
using kernels::Op;
using kernels::Units;
using tests::contains;

TEST_CASE("the launches of a CPU add to the work, those of a GPU overlap it") {
  Prediction prediction{.compute_seconds = 2, .bandwidth_seconds = 1, .overhead_seconds = 1.5};
  CHECK(prediction.seconds() == 2);
  prediction.overhead_adds = true;
  CHECK(prediction.seconds() == 3.5);
  CHECK(prediction.regime() == Regime::compute);
  prediction.overhead_seconds = 2.5;
  CHECK(prediction.regime() == Regime::overhead);
}

TEST_CASE("how the runtime grows with the ops contradicts a regime, or says nothing") {
  Session session = examples::session();
  const auto add = [&](std::uint64_t repeat, double seconds) {
    session.points.push_back(examples::point(chain(repeat), seconds));
  };
  const double at_roof = kernels::work_of(chain(4)).bytes / examples::bandwidth;
  add(2, at_roof);
  add(4, at_roof / 0.9);
  add(8, 1.05 * at_roof);
  CHECK_FALSE(any_has(judge(session, session.points[1]).sentences, "But the runtime"));
  session.points.back().seconds.median = 4 * at_roof;
  CHECK(any_has(judge(session, session.points[1]).sentences,
                "But the runtime grows with the ops, as if arithmetic were the limit: from 2 "
                "to 8 ops per element it takes 4x as long."));
}

TEST_CASE("4,096 elements on a CPU are overhead-bound, not without a clear limit") {
  Session session = examples::session();
  kernels::Case small = examples::chain(1);
  small.elements = 4096;
  // Two launches' worth of work and joining around one launch of 5 us.
  Point point = examples::point(small, 9e-6);
  point.cold = false;
  CHECK(judge(session, point).regime == Regime::overhead);
}

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
  CHECK(right.attainable_flops() == doctest::Approx(examples::peak).epsilon(1e-3));
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
  CHECK(verdict.headline == "Unknown: no roof to compare this point with");
}

TEST_CASE(
    "a measured roof comes before the one of the datasheet, which serves where there is none") {
  Session session = examples::session();
  for (Roof roof : examples::session().roofs) {
    roof.source = RoofSource::datasheet;
    roof.rate *= 2;
    session.roofs.push_back(roof);
  }
  CHECK(bandwidth_ceiling(session, chain(1)).name == "the measured DRAM copy roof");
  CHECK(bandwidth_ceiling(session, chain(1)).rate == examples::bandwidth);
  std::erase_if(session.roofs,
                [](const Roof& roof) { return roof.source == RoofSource::measured; });
  CHECK(compute_ceiling(session, chain(1)).name == "the datasheet fp32 FMA roof");
  CHECK(compute_ceiling(session, chain(1)).rate == 2 * examples::peak);
}

TEST_CASE("a chain of mul is held against its own roof, else against half of the FMA roof") {
  Session session = examples::session();
  kernels::Case mul = chain(1024);
  mul.ops = Op::mul;
  CHECK(compute_ceiling(session, mul).rate == examples::peak / 2);
  CHECK(compute_ceiling(session, mul).name == "half the measured fp32 FMA roof");
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
    CHECK(compute_ceiling(session, what).name == "the measured fp32 FMA roof");
    const Point point = at_peak(what, 0.96);
    CHECK(judge(session, point).headline == "Compute-bound: 96 % of the measured fp32 FMA roof");
    // A chain of packed floats has their own roof.
    CHECK(compute_ceiling(session, chain(1, Fusion::fused, Dtype::bf16)).rate ==
          4 * examples::peak);
  }
  kernels::Case integer = tile(256, Units::vector);
  integer.dtype = Dtype::int8;
  CHECK(compute_ceiling(session, integer).rate == 0);
  CHECK(compute_ceiling(session, integer).lacks == "int8 FMA");
  session.roofs.push_back(examples::compute_roof(Dtype::int8, Units::vector, 1e12));
  CHECK(compute_ceiling(session, integer).name == "the measured int8 FMA roof");
  CHECK(compute_ceiling(session, tile(256, Units::matrix)).name == "the measured bf16 matrix roof");
}

TEST_CASE("arithmetic without a measured roof is named, and no other program is blamed for it") {
  Session session = examples::session();
  kernels::Case what = tile(64, Units::vector);
  what.dtype = Dtype::int8;
  for (const std::uint64_t repeat : {64, 128, 256}) {
    what.repeat = repeat;
    const double seconds = 0.2 * static_cast<double>(repeat) / 64;
    session.points.push_back(examples::point(what, seconds));
  }
  const Verdict verdict = judge(session, session.points[1]);
  CAPTURE(all_of(verdict));
  CHECK(verdict.limit == "no clear limit");
  CHECK(contains(verdict.headline, "no int8 FMA roof"));
  CHECK(any_has(verdict.sentences, "Its arithmetic has no roof here: int8 FMA was not measured."));
  CHECK(any_has(verdict.sentences, "as if arithmetic were the limit: from 64 to 256 products"));
  CHECK(any_has(verdict.advice, "Arithmetic may limit it: its roof, int8 FMA, was not measured."));
  CHECK_FALSE(any_has(verdict.advice, "other programs"));
}

TEST_CASE(
    "a kernel is held against the memory roof of its mix, or the verdict says that it is not") {
  Session session = examples::session();
  kernels::Case sum;  // of rows: reads alone
  sum.family = kernels::Family::rowwise;
  sum.ops = Op::sum;
  sum.elements = std::uint64_t{64} << 20;
  CHECK(kernels::bounds_of(sum).memory == "DRAM read");
  CHECK(kernels::bounds_of(chain(1)).memory == "DRAM copy");
  kernels::Case product;
  product.family = kernels::Family::matmul;
  product.ops = Op::mma;
  for (const char* axis : {"m", "n", "k"}) product = with(product, axis, 4096);
  CHECK(kernels::bounds_of(product).memory == "DRAM triad");
  product = with(product, "m", 1);
  CHECK(kernels::bounds_of(product).memory == "DRAM read");

  constexpr double read = 1.3 * examples::bandwidth;
  const Point point = examples::point(sum, kernels::work_of(sum).bytes / (0.95 * read));
  const Verdict other = judge(session, point);
  CAPTURE(all_of(other));
  CHECK(contains(other.headline, "124 % of the measured DRAM copy roof"));
  CHECK(
      any_has(other.sentences, "another mix than the measured DRAM copy roof: DRAM read was not"));
  CHECK(contains(other.above_roof, "It is above the roof, which has another mix"));
  CHECK_FALSE(any_has(other.sentences, "faster kernel"));
  session.roofs.push_back(examples::roof("DRAM read", RoofKind::bandwidth, read));
  const Verdict own = judge(session, point);
  CHECK(own.headline == "Bandwidth-bound: 95 % of the measured DRAM read roof");
  CHECK(own.above_roof.empty());
  CHECK_FALSE(any_has(own.sentences, "another mix"));
}

TEST_CASE("a vector tile of bf16 is held against the dot products where the device has them") {
  Session session = examples::session();
  kernels::Case what = tile(256, Units::vector);
  what.dtype = Dtype::bf16;
  CHECK(compute_ceiling(session, what).name == "the measured fp32 FMA roof");
  Roof dots = examples::compute_roof(Dtype::bf16, Units::vector, 2 * examples::peak);
  dots.name = compute_roof_name(Dtype::bf16, Units::vector, Op::mma);
  CHECK(dots.name == "bf16 dot");
  const auto note = [&] { return missing_roof(session, what); };
  CHECK(note().empty());
  session.device.instruction_sets.push_back("AVX512-BF16");
  CHECK(contains(note(), "dot products, whose roof was not measured"));
  session.roofs.push_back(dots);
  CHECK(compute_ceiling(session, what).name == "the measured bf16 dot roof");
  CHECK(note().empty());
  what.dtype = Dtype::fp16;
  CHECK(compute_ceiling(session, what).name == "the measured fp32 FMA roof");
  // Chains of bf16 are not dot products.
  kernels::Case other = chain(1);
  other.dtype = Dtype::bf16;
  CHECK(compute_ceiling(session, other).name.find("dot") == std::string::npos);
}

TEST_CASE("a working set in a cache whose roof is known is held against that roof") {
  Session session = examples::session();
  session.device.l2_bytes = 16 << 20;  // of each of 2 cores
  kernels::Case what = chain(1);
  what.elements = 1 << 22;  // 32 MiB in all
  const kernels::Work work = kernels::work_of(what);
  CHECK(contains(missing_roof(session, what), "It fits in L2, whose bandwidth was not measured"));
  CHECK(missing_roof(session, chain(1)).empty());
  Point point = examples::point(what, work.bytes / (0.9 * 4 * examples::bandwidth));
  point.cold = false;
  CHECK(judge(session, point).regime == Regime::unknown);
  session.roofs.push_back(examples::roof("L2", RoofKind::bandwidth, 4 * examples::bandwidth));
  CHECK(missing_roof(session, what).empty());
  CHECK(predict(session, what, work).seconds() ==
        doctest::Approx(work.bytes / (4 * examples::bandwidth)));
  const Verdict verdict = judge(session, point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.headline == "Bandwidth-bound: 90 % of the measured L2 roof for reads");
  CHECK(verdict.ridge == doctest::Approx(examples::peak / (4 * examples::bandwidth)));
  CHECK(verdict.cache == "L2");
  CHECK(
      any_has(verdict.sentences, "the measured L2 roof for reads is its memory roof, not DRAM's"));
  // What came from memory all the same is held against the memory.
  point.cold = true;
  CHECK(contains(judge(session, point).headline, "DRAM copy roof"));
  CHECK(judge(session, point).cache.empty());
}

TEST_CASE("a median of few samples is never said to be known within a percentage") {
  Point point = at_peak(chain(1024), 0.9);
  point.stop = Stop::time_limit;
  const auto said = [&](std::vector<double> samples) {
    point.seconds.samples = std::move(samples);
    for (const std::string& sentence : judge(with_points({point}), point).sentences) {
      if (contains(sentence, "Measuring ended")) return sentence;
    }
    return std::string();
  };
  CHECK(said({0.5}) == "Measuring ended at the time limit: 1 sample.");
  CHECK(said({0.5, 0.25, 1}) == "Measuring ended at the time limit: 3 samples, 250 ms to 1.00 s.");
  const std::string six = said({0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
  CHECK(six == "Measuring ended at the time limit: 95 % interval ±0.5 %.");
}

TEST_CASE("each limit that ended a point early has its own sentence") {
  Point point = at_peak(chain(1024), 0.9);
  CHECK_FALSE(any_has(judge(with_points({point}), point).sentences, "Measuring ended"));
  point.stop = Stop::time_limit;
  point.limit = Limit::samples;
  CHECK(any_has(judge(with_points({point}), point).sentences, "after 7 samples, the maximum"));
  point.limit = Limit::others;
  CHECK(any_has(judge(with_points({point}), point).sentences, "other work shared the cores"));
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
  CHECK(any_has(verdict.sentences, "About 32 more ops per element would be free"));
  CHECK(any_has(verdict.sentences, "10 FLOP/byte"));
  CHECK(any_has(verdict.advice, "fewer bytes"));
}

TEST_CASE("what must be known beside a number is said: above the roof, throttled, time limit") {
  Point point = at_peak(chain(1024), 1.2);
  point.conditions.throttled = true;
  point.conditions.note = "power cap";
  point.stop = Stop::time_limit;
  point.seconds.high = point.seconds.median * 1.1;
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.headline == "Compute-bound: 120 % of the measured fp32 FMA roof");
  CHECK(any_has(verdict.sentences, "above the roof"));
  CHECK(any_has(verdict.sentences, "throttled its clock (power cap)"));
  CHECK(any_has(verdict.sentences, "time limit"));
}

TEST_CASE("a power limit is said with clock and power, and is no reason to measure again") {
  Point point = at_peak(chain(1024), 0.9);
  point.conditions.throttled = false;
  point.conditions.power_limited = true;
  point.conditions.clock_hz = 1.75e9;
  point.conditions.power_w = 590;
  const Verdict verdict = judge(with_points({point}), point);
  CAPTURE(all_of(verdict));
  CHECK(
      any_has(verdict.sentences,
              "It ran at the power limit at 1.75 GHz and 590 W: that is usual under such a load."));
  CHECK_FALSE(any_has(verdict.advice, "Measure it again"));
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
                "It did 250 FLOP per clock and core at 1.40 GHz; the roof has 250 at 2.00"));
  CHECK(any_has(verdict.sentences, "Other work used the device"));
  CHECK(any_has(verdict.sentences, "5 samples at a throttled clock"));
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
        CHECK_FALSE(contains(all_of(verdict), "inf"));
        CHECK_FALSE(contains(all_of(verdict), "nan"));
        for (const auto& sentence : verdict.sentences) CHECK(sentence.back() == '.');
        for (const auto& sentence : verdict.advice) CHECK(sentence.back() == '.');
      }
    }
  }
}

TEST_CASE(
    "on data center Blackwell the roof of the matrix units is the library's, and verdicts say so") {
  Session session = examples::session();
  session.device.kind = "cuda";
  session.device.compute_capability = "10.0";
  session.roofs.back().name = compute_roof_name(Dtype::bf16, Units::matrix, Op::gemm);
  Roof synchronous = session.roofs.back();
  synchronous.name = compute_roof_name(Dtype::bf16, Units::matrix, Op::mma_sync);
  synchronous.rate = 0.5 * examples::matrix_peak;
  session.roofs.push_back(synchronous);
  const Point tiles = at_peak(tile(1024, Units::matrix), 0.45, examples::matrix_peak);
  CHECK(judge(session, tiles).share_of_compute == doctest::Approx(0.9));
  CHECK(contains(all_of(judge(session, tiles)),
                 "This kernel uses mma.sync; the roof of the matrix units is the library's rate, "
                 "8.00 TFLOP/s"));
  const kernels::Case product = kernels::matmul_case(Dtype::bf16, Units::matrix, {4096, 4096, 4096},
                                                     kernels::Data::random, kernels::By::library);
  const Point library = at_peak(product, 0.98, examples::matrix_peak);
  CHECK(compute_ceiling(session, product).name == "the measured bf16 library roof");
  CHECK(judge(session, library).share_of_compute == doctest::Approx(0.98));
  CHECK(contains(all_of(judge(session, library)),
                 "Here the roof of the matrix units is the library's"));
}

TEST_CASE("tiles of Hopper have the roof of their instruction, which is not that of wgmma") {
  Session session = examples::session();
  const Point point = at_peak(tile(1024, Units::matrix), 0.6, examples::matrix_peak);
  const auto words = [&] { return all_of(judge(session, point)); };
  CHECK(compute_ceiling(session, point.what).name == "the measured bf16 matrix roof");
  CHECK(judge(session, point).share_of_compute == doctest::Approx(0.6));
  CHECK_FALSE(contains(words(), "mma.sync"));

  Roof synchronous = session.roofs.back();
  REQUIRE(synchronous.name == "bf16 matrix");
  synchronous.name = compute_roof_name(Dtype::bf16, Units::matrix, Op::mma_sync);
  CHECK(synchronous.name == "bf16 mma.sync");
  synchronous.rate = 0.625 * examples::matrix_peak;
  session.roofs.push_back(synchronous);
  CHECK(compute_ceiling(session, point.what).name == "the measured bf16 mma.sync roof");
  CHECK(judge(session, point).share_of_compute == doctest::Approx(0.96));
  CHECK(contains(words(),
                 "This kernel uses mma.sync; with wgmma the matrix units reach 8.00 TFLOP/s."));
  // A datasheet knows the units alone.
  CHECK(compute_roof(session, Dtype::bf16, Units::matrix, RoofSource::measured)->name ==
        "bf16 matrix");
  session.roofs.pop_back();
  session.roofs.back() = synchronous;
  CHECK(compute_roof(session, Dtype::bf16, Units::matrix, RoofSource::measured) == nullptr);

  // A product by wgmma itself has nothing to be told.
  session = examples::session();
  session.roofs.push_back(synchronous);
  const kernels::Case peak =
      kernels::peak_case(Op::mma, Dtype::bf16, Units::matrix, kernels::Data::random);
  CHECK_FALSE(
      contains(all_of(judge(session, at_peak(peak, 0.9, examples::matrix_peak))), "mma.sync"));
}
