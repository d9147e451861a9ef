// What launching costs, and what verdicts say of it: figures of an H200 and of a CPU.
#include "engine/verdict/overhead.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "engine/session/session_file.hpp"
#include "tests/session/verdict_words.hpp"

using namespace engine;
using examples::all_of;
using examples::any_has;
using kernels::Fusion;
using kernels::Launched;
using tests::contains;

namespace {

constexpr double in_graph = 870e-9, in_stream = 4.05e-6, empty_in_graph = 508e-9;  // s

/// Roofs of an H200 as a sweep of small tensors has them, with points of 512 elements:
/// ops, launches, seconds.
Session h200() {
  Session session = examples::session();
  session.device.id = "cuda:0";
  session.device.kind = "cuda";
  session.device.name = "NVIDIA H200";
  session.device.multiprocessors = 132;
  session.device.l2_bytes = 60.0 * 1024 * 1024;
  session.roofs = {examples::roof("DRAM copy", RoofKind::bandwidth, 4.17e12),
                   examples::roof("L2", RoofKind::bandwidth, 8.77e12),
                   examples::roof("launch", RoofKind::overhead, 1 / in_stream),
                   examples::compute_roof(kernels::Dtype::fp32, kernels::Units::vector, 65.7e12)};
  return session;
}

Roof of_chain() {
  return examples::roof("overhead chain fp32 graph", RoofKind::overhead, 1 / in_graph);
}

Point small(std::uint64_t repeat, Fusion fusion, double seconds, Launched launched) {
  kernels::Case what = examples::chain(repeat, fusion);
  what.elements = 512;
  Point point = examples::point(what, seconds);
  point.cold = false;
  point.launched = launched;
  return point;
}

/// Medians of the file small-512: repeat, seconds; fused, then unfused.
std::vector<Point> measured_of_512() {
  std::vector<Point> points;
  for (const auto& [repeat, seconds] : {std::pair{1, 901e-9}, {8, 1.175e-6}, {64, 1.922e-6}})
    points.push_back(small(repeat, Fusion::fused, seconds, Launched::graph));
  for (const auto& [repeat, seconds] : {std::pair{1, 968e-9}, {8, 7.70e-6}, {64, 61.65e-6}})
    points.push_back(small(repeat, Fusion::unfused, seconds, Launched::graph));
  return points;
}

std::string explained(const Session& session) {
  std::istringstream words(explain(session));
  std::string all;
  for (std::string word; words >> word;) all += (all.empty() ? "" : " ") + word;
  return all;
}

}  // namespace

TEST_CASE("512 elements on an H200 are overhead-bound, by what their kernel takes in a graph") {
  Session session = h200();
  session.roofs.push_back(of_chain());
  session.points = measured_of_512();
  for (const Point& point : session.points) {
    const Verdict verdict = judge(session, point);
    CAPTURE(all_of(verdict));
    CHECK(verdict.regime == Regime::overhead);
    CHECK(verdict.limit == "overhead-bound");
    CHECK(verdict.share_of_overhead ==
          doctest::Approx(point.work.launches * in_graph / point.seconds.median));
    CHECK(any_has(verdict.sentences,
                  "launched in a CUDA graph; in a stream a launch costs 4.05 µs."));
    CHECK(any_has(verdict.advice, "one launch costs about 870 ns here"));
    CHECK_FALSE(any_has(verdict.advice, "Capture"));
    CHECK_FALSE(any_has(verdict.sentences, "fits in cache"));
  }
  const Verdict once = judge(session, session.points.front());
  CHECK(once.headline == "Overhead-bound: 97 % of the runtime is overhead");
  CHECK(any_has(once.sentences, "This kernel takes 870 ns at its smallest size"));
  CHECK(any_has(judge(session, session.points.back()).sentences,
                "Each of its 64 launches takes 870 ns at its smallest size"));
  const std::string text = explained(session);
  CHECK(contains(text,
                 "Repeat 1 to 64: overhead-bound: up to 97 % of the runtime is overhead. This "
                 "kernel takes 870 ns at its smallest size, launched in a CUDA graph; "
                 "in a stream a launch costs 4.05 µs."));
  CHECK_FALSE(contains(text, "no clear limit"));
}

TEST_CASE(
    "where a graph's overhead was not measured, the shortest launch of the kernel stands for it") {
  Session session = h200();
  session.points = measured_of_512();
  for (const Point& point : session.points) {
    const Verdict verdict = judge(session, point);
    CAPTURE(all_of(verdict));
    CHECK(verdict.limit == "overhead-bound");
    CHECK(verdict.share_of_overhead ==
          doctest::Approx(point.work.launches * 901e-9 / point.seconds.median));
    CHECK(any_has(verdict.sentences, "takes 901 ns at 512 elements, launched in a CUDA graph"));
  }
  // Also where nothing was measured: at 32 ops the roofs alone would call it compute-bound.
  const Point other = small(32, Fusion::fused, 1, Launched::graph);
  const Prediction predicted = predict(session, other.what, other.work);
  CHECK(predicted.regime() == Regime::overhead);
  CHECK(predicted.seconds() == doctest::Approx(901e-9).epsilon(0.01));
  const Verdict last = judge(session, session.points.back());
  CHECK_FALSE(any_has(last.sentences, "Every further op"));
  CHECK(any_has(last.advice, "one launch then takes the place of 64"));
  // Many dependent operations on few elements take longer than the launch: latency, no overhead.
  Point many = small(1024, Fusion::fused, 20e-6, Launched::graph);
  CHECK(judge(session, many).regime == Regime::unknown);
  // Neither the latency of many ops nor a large kernel is a launch, also where nothing else is
  // there.
  session.points = {many};
  CHECK(judge(session, many).regime == Regime::unknown);
  session.points.clear();
  many.what.elements = 4'000'000;
  many.work = kernels::work_of(many.what);
  session.points.push_back(many);
  CHECK(overhead_of(session, many).seconds == 0);
}

TEST_CASE("4 million elements on an H200 are bound by its L2, not by launches in a stream") {
  Session session = h200();
  session.roofs.push_back(of_chain());
  kernels::Case what = examples::chain(1);
  what.elements = 4'000'000;
  Point point = examples::point(what, 5.94e-6);
  point.cold = false;
  point.launched = Launched::graph;
  const Verdict verdict = judge(session, point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.headline == "Bandwidth-bound: 61 % of the measured L2 roof for reads");
  CHECK(verdict.share_of_overhead == doctest::Approx(0.146).epsilon(0.01));
}

TEST_CASE("what was launched in a stream is told what a graph would cost, where it was measured") {
  Session session = h200();
  const Point point = small(64, Fusion::unfused, 64 * 4.1e-6, Launched::stream);
  session.points = {point};
  const Verdict verdict = judge(session, point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.regime == Regime::overhead);
  CHECK(any_has(verdict.sentences, "An empty kernel takes 4.05 µs, launched in a stream."));
  CHECK(any_has(verdict.advice, "Capture the launches in a CUDA graph: its launches cost less"));
  session.roofs.push_back(of_chain());
  const Verdict known = judge(session, point);
  CHECK(any_has(known.sentences, "launched in a stream; in a CUDA graph a launch costs 870 ns."));
  CHECK(
      any_has(known.advice, "Capture the launches in a CUDA graph: a launch costs 870 ns there."));
}

TEST_CASE(
    "an older session has the launches of the way that its points ran in, or says what lacks") {
  Session session = h200();
  Point point = small(1, Fusion::fused, 901e-9, Launched::unknown);
  CHECK(launched_of(session, point) == Launched::stream);
  point.conditions.note = "launches replayed as a graph";
  CHECK(launched_of(session, point) == Launched::graph);
  const Verdict without = judge(session, point);
  CAPTURE(all_of(without));
  CHECK(without.regime == Regime::unknown);
  CHECK(without.share_of_overhead == 0);
  CHECK(any_has(without.advice, "launched in a CUDA graph, whose overhead was not measured"));
  session.roofs.push_back(examples::roof("launch graph", RoofKind::overhead, 1 / empty_in_graph));
  const Verdict with_launches = judge(session, point);
  CHECK(with_launches.regime == Regime::overhead);
  CHECK(with_launches.share_of_overhead == doctest::Approx(empty_in_graph / 901e-9));
  CHECK(
      any_has(with_launches.sentences,
              "An empty kernel takes 508 ns, launched in a CUDA graph; in a stream a launch costs "
              "4.05 µs."));

  const Session cpu = examples::session();
  CHECK(launched_of(cpu, point) == Launched::threads);
  CHECK(overhead_of(cpu, point).seconds == doctest::Approx(1 / examples::launch_rate));
  point.source = "other.csv";
  CHECK(launched_of(cpu, point) == Launched::unknown);
}

TEST_CASE(
    "few elements on a CPU are bound by the overhead of their kernel, not by an empty launch") {
  Session session = examples::session();
  std::erase_if(session.roofs, [](const Roof& roof) { return roof.kind == RoofKind::overhead; });
  session.roofs.push_back(examples::roof("launch", RoofKind::overhead, 1 / 112e-9));
  const Point point = small(1, Fusion::unfused, 325e-9, Launched::threads);
  // Three times as long as an empty launch: no roof explains that.
  CHECK(judge(session, point).regime == Regime::unknown);
  CHECK(contains(judge(session, point).headline, "No clear limit: "));
  CHECK(contains(judge(session, point).headline, ", overhead 34 %"));
  session.roofs.push_back(examples::roof("overhead chain fp32", RoofKind::overhead, 1 / 290e-9));
  const Verdict verdict = judge(session, point);
  CAPTURE(all_of(verdict));
  CHECK(verdict.headline == "Overhead-bound: 89 % of the runtime is overhead");
  CHECK(any_has(verdict.sentences,
                "This kernel takes 290 ns at its smallest size, launched on all threads."));
  // It adds to the work on a CPU.
  const Prediction predicted = predict(session, point);
  CHECK(predicted.seconds() == doctest::Approx(290e-9 + predicted.bandwidth_seconds));
}

TEST_CASE("where the overhead ran beside a point, its share of the runtime is that of the pairs") {
  Session session = h200();
  session.roofs.push_back(of_chain());
  Point point = small(8, Fusion::unfused, 7.7e-6, Launched::graph);
  point.share = Share{"overhead chain fp32 graph", {0.95, 0.94, 0.96}};
  point.visits = {{.share = 0.95}};
  CHECK(kind_beside(point) == RoofKind::overhead);
  const Verdict verdict = judge(session, point);
  CHECK(verdict.share_of_overhead == doctest::Approx(0.95));
  CHECK(verdict.share_of_bandwidth == doctest::Approx(8 * 4096 / 8.77e12 / 7.7e-6));
  CHECK(any_has(verdict.sentences, "The overhead was measured beside it in 1 of 1 visits"));
}

TEST_CASE(
    "graphs and CPUs add their overhead, a stream overlaps it; brief launches become graphs") {
  Session session = h200();
  session.roofs.push_back(of_chain());
  kernels::Case what = examples::chain(1);
  what.elements = 1 << 20;
  CHECK(overhead_of(session, what, Launched::graph).adds);
  CHECK_FALSE(overhead_of(session, what, Launched::stream).adds);
  CHECK(overhead_of(examples::session(), what, Launched::threads).adds);
  const auto launched = [&](std::uint64_t elements) {
    what.elements = elements;
    return predict(session, what, kernels::work_of(what)).launched;
  };
  CHECK(launched(1 << 20) == Launched::graph);
  CHECK(launched(1 << 26) == Launched::stream);
  what.by = kernels::By::library;
  CHECK(launched(1 << 20) == Launched::stream);
}

TEST_CASE(
    "how a point was launched is in the file, and is no field of one that nobody knows it of") {
  Session session = examples::session();
  session.points = {small(1, Fusion::fused, 1e-6, Launched::graph),
                    small(2, Fusion::fused, 1e-6, Launched::unknown)};
  const std::string text = to_json(session);
  CHECK(contains(text, "\"launched\":\"graph\""));
  const Session again = from_json(text, "the session");
  CHECK(again.points[0].launched == Launched::graph);
  CHECK(again.points[1].launched == Launched::unknown);
  CHECK(to_json(again) == text);
  std::string wrong = text;
  wrong.replace(wrong.find("\"launched\":\"graph\""), 18, "\"launched\":\"spoon\"");
  CHECK_THROWS_WITH_AS(from_json(wrong, "the session"), doctest::Contains("points[0].launched"),
                       BadInput);
}
