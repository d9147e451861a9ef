// The lab `overlap`: copy in, compute, copy out, in one sequence and in chunks whose steps run at
// the same time.
#include "kernels/families/overlap/overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

using kernels::Family;

constexpr LabKnob chunks = LabKnob::numbers("chunks", "Chunks that the data are divided into.",
                                            "1,2,4,8,16", 1, kernels::most_chunks);
constexpr LabKnob operations =
    LabKnob::number("ops", "fma on each element.", "32", 1, kernels::max_repeat);
constexpr LabKnob size =
    LabKnob::number("mebibytes", "MiB that are copied in, and out.", "16", 1, 4096);
/// What takes about as long as the copies: a link moves 55 GB/s while a GPU does 32 T fma/s.
constexpr std::uint64_t ops_of_gpu = 2048;
/// MiB, which such a link copies in about 1 ms.
constexpr std::uint64_t size_of_gpu = 64;
/// The part of the speed-up by hiding alone that counts as reached.
constexpr double reached = 0.85;

Plan plan(const Spec& spec, const Place& place, const Results&) {
  const std::uint64_t ops = number_on(place, spec, operations, ops_of_gpu);
  const std::uint64_t mebibytes = number_on(place, spec, size, size_of_gpu);
  const std::uint64_t elements =
      (mebibytes << 20) / sizeof(float) / kernels::overlap_granule * kernels::overlap_granule;
  Plan plan;
  for (const std::uint64_t many : numbers_of(spec, chunks)) {
    const kernels::Case what = kernels::overlap_case(many, elements, ops);
    if (fits(size, spec, place, what)) plan.asks.push_back({what});
  }
  return plan;
}

// ---- the points

/// By ascending number of chunks.
Points points_of(const Results& results) {
  return measured_by(kernels::chunks_of, results.points,
                     [](const kernels::Case& what) { return what.family == Family::overlap; });
}

/// What the stages take one after the other.
struct Stages {
  double in = 0, compute = 0, out = 0;
  double slowest = 0;  ///< of those that can run at once

  double sum() const { return in + compute + out; }
  /// In n chunks all but the slowest are hidden, except for the first and the last chunk.
  double at_best(double n) const { return slowest + (sum() - slowest) / n; }
};

/// A GPU copies both ways at once, beside its multiprocessors; on a CPU one thread copies.
Stages stages_of(const Point& sequence, bool gpu) {
  const auto seconds = [&](kernels::Stage stage) { return value_of(sequence, name_of(stage)); };
  Stages stages{seconds(kernels::Stage::copy_in), seconds(kernels::Stage::compute),
                seconds(kernels::Stage::copy_out)};
  stages.slowest = gpu ? std::max({stages.in, stages.compute, stages.out})
                       : std::max(stages.in + stages.out, stages.compute);
  return stages;
}

bool on_gpu(const Results& results) { return results.session.device.kind != "cpu"; }

/// The one in a single chunk; null: it was not measured.
const Point* sequence_of(const Points& points) {
  return !points.empty() && kernels::chunks_of(points.front()->what) == 1 ? points.front()
                                                                          : nullptr;
}

// ---- the charts

std::string words_of(std::uint64_t many) {
  return many == 1 ? "in sequence" : fmt::format("{} chunks", many);
}

constexpr Label division{"division", [](const Row& row, std::string_view) {
                           return words_of(kernels::chunks_of(row.point.what));
                         }};

/// The sequence and the fastest division of its run: all would be a wall of lanes.
bool is_compared(const Row& row) {
  if (kernels::chunks_of(row.point.what) == 1) return true;
  return std::ranges::none_of(row.session.points, [&](const Point& other) {
    return other.status == Status::ok && other.what.family == Family::overlap &&
           other.run == row.point.run && kernels::chunks_of(other.what) > 1 &&
           other.seconds.median < row.point.seconds.median;
  });
}

std::vector<Chart> charts(const Results& results) {
  Chart lanes{.id = "overlap", .title = "What runs when", .kind = Kind::lanes};
  lanes.series = division;
  lanes.shows = is_compared;
  Chart runtime = chart_of("overlap-time", "Runtime by the number of chunks",
                           metrics::axis("chunks", "Chunks"), metrics::runtime, labels::dtype);
  const Points points = points_of(results);
  if (const Point* sequence = sequence_of(points);
      sequence != nullptr && value_of(*sequence, name_of(kernels::Stage::compute)) > 0) {
    const Stages stages = stages_of(*sequence, on_gpu(results));
    // The stages are those of one run, the time is the median.
    const double scale = sequence->seconds.median / stages.sum();
    Curve best{"hiding alone"};
    for (const Point* point : points) {
      const auto many = static_cast<double>(kernels::chunks_of(point->what));
      best.add(many, scale * stages.at_best(many));
    }
    runtime.curves.push_back(std::move(best));
  }
  return {lanes, runtime};
}

// ---- the verdict

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Points points = points_of(results);
  const Point* sequence = sequence_of(points);
  if (sequence == nullptr || points.size() < 2)
    return cannot_say("Measure one chunk, and more than one.");
  const auto seconds = [](const Point* point) { return point->seconds.median; };
  const Point* fastest = *std::ranges::min_element(points, {}, seconds);
  if (fastest == sequence) fastest = points[1];
  const auto many = static_cast<double>(kernels::chunks_of(fastest->what));
  const Stages stages = stages_of(*sequence, on_gpu(results));
  const Interval gain = times_as_long(*sequence, *fastest);
  const double possible = stages.sum() / stages.at_best(many);
  verdict.rows = {{"copy in, in sequence", {}, Interval{stages.in}, "s"},
                  {"compute, in sequence", {}, Interval{stages.compute}, "s"},
                  {"copy out, in sequence", {}, Interval{stages.out}, "s"},
                  {fmt::format("speed-up in {:.0f} chunks", many), Interval{possible}, gain, "x"}};
  verdict.judge("part of what hiding alone gives", {}, quotient(gain, Interval{possible}), "%",
                reached);
  verdict.says = conclude(verdict.rows);
  const std::string speed_up = text_of(Interval{gain.median}, "x");
  const std::string best = text_of(Interval{possible}, "x");
  verdict.headline = fmt::format(
      "In {:.0f} chunks it is {} as fast as in sequence; hiding alone gives {}.{}", many, speed_up,
      best, !on_gpu(results) && gain.median > possible ? " Small chunks stay in caches, too." : "");
  distrust_unsure(verdict, std::array{sequence, fastest});
  return verdict;
}

}  // namespace

extern constinit const Lab overlap_lab{
    .name = "overlap",
    .title = "Overlap",
    .group = "Memory",
    .question = "How much of the copying hides behind the computing?",
    .about =
        "Data are copied in, each element goes through a number of fma, and the results are copied "
        "out. In sequence each stage waits for the one before. In chunks the next chunk comes in "
        "while this one is computed on and the last one goes out: a GPU has engines for copies "
        "each way beside its multiprocessors, and each chunk has a stream; on a CPU one thread "
        "copies, all chunks in before the first goes out, and another one computes. Where all is "
        "hidden, n chunks take the time of the slowest stage, and one n-th of the others. The "
        "lanes show when each stage of each chunk ran.",
    .needs =
        "1, 2, 4, 8 and 16 chunks of the same data, where half of the memory holds them. The "
        "verdict compares the fastest division with the sequence, whose stages tell what hiding "
        "alone gives.",
    .claim = {"Copies that run beside the computing are hidden, but for those of one chunk.",
              "CUDA C++ Best Practices Guide, Overlapping Transfers with Computation"},
    .knobs = {chunks, operations, size},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 8,
};

}  // namespace engine
