// The lab `conv`: the first choice of an algorithm for a convolution against the best of all.
#include "kernels/families/conv/conv.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "engine/labs/lab.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

using kernels::By;
using kernels::Family;

// As in the table of the lecture.
constexpr LabKnob images = LabKnob::number("images", "Images in the batch.", "32", 1, 4096);
constexpr LabKnob channels = LabKnob::number("channels", "Channels of each image.", "64", 1, 4096);
constexpr LabKnob filters = LabKnob::number("filters", "Filters of 3 x 3.", "64", 1, 4096);
constexpr LabKnob size =
    LabKnob::number("image-size", "Rows and columns of each image.", "64", 1, 4096);

constexpr std::string_view first_choice = "first choice";
/// The lecture's factor: 1430 us with the heuristic's choice, 840 us with the best of all.
constexpr double of_lecture = 1430.0 / 840;
/// A choice that is faster by less is no better.
constexpr double faster = 1.05;
/// The claim needs half of the lecture's gain.
constexpr double half_the_gain = 1 + (of_lecture - 1) / 2;

/// "oneDNN" of "oneDNN 2.6.3, jit:avx2".
std::string library_of(std::string_view note) {
  return note.empty() ? "library" : std::string(note.substr(0, note.find(' ')));
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  const auto number = [&](const LabKnob& knob) { return number_of(spec, knob); };
  const kernels::ConvSize all{number(images), number(channels), number(filters), number(size)};
  for (const LabKnob& knob : {images, channels, filters, size})
    refuse_beyond_memory(knob, spec, place, kernels::conv_case(all, spec.data));
  Plan plan;
  const auto ask = [&](By by, std::string_view algorithm, std::string_view label) {
    plan.asks.push_back({kernels::conv_case(all, spec.data, algorithm, by), std::string(label)});
  };
  const kernels::Kernel* own =
      find_kernel(place.kernels, kernels::conv_case(all, spec.data, "", By::own));
  if (own == nullptr || own->runs) {
    ask(By::own, "", first_choice);
    for (const std::string_view algorithm : kernels::conv_algorithms)
      ask(By::own, algorithm, algorithm);
  }
  const kernels::Kernel* library =
      find_kernel(place.kernels, kernels::conv_case(all, spec.data, "", By::library));
  if (library == nullptr || !library->runs) return plan;
  ask(By::library, "", fmt::format("{}'s {}", library_of(library->note), first_choice));
  for (const std::string& algorithm : library->algorithms) ask(By::library, algorithm, algorithm);
  return plan;
}

std::string why_not(const Place& place) {
  return why_none(place, Family::conv, "This device has no convolutions: choose another one.");
}

bool is_first(const Point& point) { return point.what.shape.empty(); }

std::string choice_of(const Row& row, std::string_view) {
  const bool first = is_first(row.point);
  if (row.point.what.by == By::library)
    return fmt::format("{}'s {}", library_of(row.point.note),
                       first ? "first choice" : "algorithms");
  return first ? "our first choice" : "our tilings";
}
constexpr Label choice{"choice", choice_of};

std::vector<Chart> charts(const Results&) {
  Chart flops = chart_of("conv", "FLOP/s by algorithm", labels::label, metrics::flops, choice);
  flops.y.log = false;
  flops.overlays = {Overlay::roofs};
  return {flops};
}

/// What was measured of our own kernels, or of the library's.
struct Tried {
  const Point *first = nullptr, *best = nullptr;
  std::size_t algorithms = 0;

  /// There is a choice to judge.
  bool complete() const { return first != nullptr && algorithms >= 2; }
};

Tried tried_of(const Results& results, By by) {
  Tried tried;
  for (const Point* point : results.points) {
    const kernels::Case& what = point->what;
    if (point->status != Status::ok || what.family != Family::conv || what.by != by) continue;
    if (is_first(*point)) {
      tried.first = point;
      continue;
    }
    ++tried.algorithms;
    if (tried.best == nullptr || point->seconds.median < tried.best->seconds.median)
      tried.best = point;
  }
  return tried;
}

/// What the device says of a kernel: its instruction set and algorithm, or a library's algorithm.
std::string name_of_kernel(const Point& point) {
  const std::size_t comma = point.note.find(", ");
  if (point.what.by == By::library && comma != std::string::npos)
    return point.note.substr(comma + 2);
  return point.note.empty() ? point.label : point.note;
}

/// The rows of one of both; `whose` begins the words, and is empty where there is but one.
void add_rows(LabVerdict& verdict, const Results& results, const Tried& tried,
              std::string_view whose, bool decides) {
  verdict.inform(fmt::format("{}first choice: {}", whose, name_of_kernel(*tried.first)),
                 metrics::runtime.at(*tried.first, results.session), "s");
  verdict.inform(
      fmt::format("{}best of {}: {}", whose, tried.algorithms, name_of_kernel(*tried.best)),
      metrics::runtime.at(*tried.best, results.session), "s");
  VerdictRow factor{fmt::format("{}first choice over best", whose),
                    {},
                    times_as_long(*tried.first, *tried.best),
                    "x"};
  if (decides) {
    // The same kernel under both names is no faster than itself, whatever its intervals are.
    const bool same = !tried.first->note.empty() && tried.first->note == tried.best->note;
    factor.claimed = Interval{of_lecture};
    factor.says = same ? Says::differs : judge(*factor.here, half_the_gain, HUGE_VAL);
  }
  verdict.rows.push_back(std::move(factor));
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const Tried ours = tried_of(results, By::own), theirs = tried_of(results, By::library);
  if (!ours.complete() && !theirs.complete())
    return cannot_say("Measure the first choice and at least two algorithms.");
  const bool of_library = theirs.complete();
  const std::string library = of_library ? library_of(theirs.first->note) : "";
  if (of_library) add_rows(verdict, results, theirs, library + "'s ", true);
  if (ours.complete()) add_rows(verdict, results, ours, of_library ? "our " : "", !of_library);
  if (ours.complete() && of_library)
    verdict.inform(fmt::format("time of our best over that of {}'s", library),
                   times_as_long(*ours.best, *theirs.best), "x");
  // The claim is about a library, and judged of one where it was measured; else of our own kernels.
  const Tried& judged = of_library ? theirs : ours;
  const double factor = times_as_long(*judged.first, *judged.best).median;
  const double saved = 100 * (1 - 1 / factor);
  verdict.conclude(
      fmt::format("Trying all algorithms saves {:.0f} % of the time.", saved),
      factor < faster
          ? "The first choice is as fast as the best: trying all gains nothing."
          : fmt::format("Trying all algorithms saves only {:.0f} % of the time.", saved),
      std::array{judged.first, judged.best});
  return verdict;
}

}  // namespace

extern constinit const Lab conv_lab{
    .name = "conv",
    .title = "Convolution",
    .group = "Compute",
    .question = "What does trying all algorithms gain over the first choice?",
    .about =
        "A convolution of images with filters of 3 x 3 can be computed in many ways, and which is "
        "fastest depends on sizes and on the processor. Libraries choose by a rule, or try all of "
        "them once (cudnn.benchmark in PyTorch). On a CPU our own tilings run, and where oneDNN is "
        "found its first choice and every implementation that it offers, by its own names; on a "
        "GPU those of cuDNN run, in fp32 without tf32, as far as free memory holds their "
        "workspace. \"Pixels 6x2\" keeps the sums of 6 filters at 2 vectors of neighbouring pixels "
        "in registers; \"filters 6x2\" those of 2 vectors of filters at 6 pixels; \"im2col\" "
        "copies the pixels below each tap into a matrix and multiplies it by the weights. The "
        "first choice is a rule and measures nothing: of the tilings that fit the registers it "
        "takes the one with the most useful multiplications per load. Copying the zeros around the "
        "images, and the weights into blocks, is part of the time; so are the layouts that a "
        "library reorders images and weights into, and back. A network that keeps its data in such "
        "a layout avoids these copies. FLOP are those of the plain sum; \"wino\" is Winograd's "
        "algorithm, which needs fewer multiplications (oneDNN's a quarter) and can be above the "
        "roof.",
    .needs =
        "Our first choice and each of our 10 tilings, on the same images: 11; with oneDNN its "
        "first choice and each of its implementations, too. On a GPU cuDNN's first choice and its "
        "7 algorithms: 8. The verdict needs a first choice and at least two others.",
    .claim = {"The best of all algorithms is 1.7 times as fast as the heuristic's choice (1430 us "
              "against 840 us on a GPU).",
              "Efficient Deep Learning Systems, cudnn.benchmark"},
    .reads = {"data"},
    .knobs = {images, channels, filters, size},
    .why_not = why_not,
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 10,
};

}  // namespace engine
