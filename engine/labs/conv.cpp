// The lab `conv`: the first choice of an algorithm for a convolution against the best of all.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "engine/labs/lab.hpp"
#include "kernels/families/conv.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

using kernels::Family;

constexpr std::array<std::string_view, 1> reads{"data"};
// As in the table of the lecture.
constexpr LabKnob images{LabKnob::Kind::number, "images", "Images in the batch.", "32", 1, 4096};
constexpr LabKnob channels{
    LabKnob::Kind::number, "channels", "Channels of each image.", "64", 1, 4096};
constexpr LabKnob filters{LabKnob::Kind::number, "filters", "Filters of 3 x 3.", "64", 1, 4096};
constexpr LabKnob size{
    LabKnob::Kind::number, "image-size", "Rows and columns of each image.", "64", 1, 4096};
constexpr std::array own_knobs{images, channels, filters, size};

constexpr std::string_view first_choice = "first choice";
/// The lecture's factor: 1430 us with the heuristic's choice, 840 us with the best of all.
constexpr double of_lecture = 1430.0 / 840;
/// A choice that is faster by less is no better.
constexpr double faster = 1.05;

Plan plan(const Spec& spec, const Place&, const Results&) {
  refuse_contradictions(spec);
  const auto number = [&](const LabKnob& knob) {
    return numbers_of(knob, text_of(spec, knob)).front();
  };
  const kernels::ConvSize all{number(images), number(channels), number(filters), number(size)};
  Plan plan;
  plan.asks.push_back({kernels::conv_case(all, spec.data), std::string(first_choice)});
  for (const std::string_view algorithm : kernels::conv_algorithms)
    plan.asks.push_back(
        {kernels::conv_case(all, spec.data, algorithm), std::string(algorithm)});
  return plan;
}

void ask_again(const Results&, const Point& point, Spec& spec) {
  for (const LabKnob& knob : own_knobs)
    set_knob(spec, knob.name, fmt::to_string(*kernels::size(point.what, knob.name)));
}

std::string why_not(const Place& place) {
  if (place.kernels.empty()) return "";
  std::string why = "Convolutions have no CUDA kernels yet: choose the CPU.";
  for (const kernels::Kernel& kernel : place.kernels) {
    if (kernel.family != Family::conv) continue;
    if (kernel.runs) return "";
    why = kernel.why_not;
  }
  return why;
}

bool is_first(const Point& point) { return point.what.shape.empty(); }

std::string choice_of(const Row& row, std::string_view) {
  return is_first(row.point) ? "first choice" : "all algorithms";
}
constexpr Label choice{"choice", choice_of};

std::vector<Chart> charts(const Results&) {
  Chart flops{.id = "conv", .title = "FLOP/s by algorithm", .kind = Kind::bars};
  flops.x = labels::label;
  flops.y = metrics::flops;
  flops.y.log = false;
  flops.series = choice;
  flops.colour = choice;
  flops.overlays = {Overlay::roofs};
  return {flops};
}

/// What the device says of a kernel: its instruction set and algorithm.
std::string name_of_kernel(const Point& point) {
  return point.note.empty() ? point.label : point.note;
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  if (!results.ended) return verdict;
  const Point *first = nullptr, *best = nullptr;
  std::size_t tried = 0;
  for (const Point* point : results.points) {
    if (point->status != Status::ok || point->what.family != Family::conv) continue;
    if (is_first(*point)) {
      first = point;
      continue;
    }
    ++tried;
    if (best == nullptr || point->seconds.median < best->seconds.median) best = point;
  }
  if (first == nullptr || tried < 2) {
    verdict.says = LabVerdict::Says::cannot_say;
    verdict.headline = "Measure the first choice and at least two algorithms.";
    return verdict;
  }
  const auto seconds = [&](const Point& point) {
    return metrics::runtime({point, results.session}).value_or(Interval{});
  };
  const Interval factor = quotient(seconds(*first), seconds(*best));
  verdict.rows = {
      {fmt::format("first choice: {}", name_of_kernel(*first)), {}, seconds(*first), "s"},
      {fmt::format("best of {}: {}", tried, name_of_kernel(*best)), {}, seconds(*best), "s"},
      {"first choice over best", Interval{of_lecture}, factor, "x"}};
  // The same kernel under both names is no faster than itself, whatever its intervals are.
  const bool same_kernel = !first->note.empty() && first->note == best->note;
  verdict.says =
      same_kernel ? LabVerdict::Says::differs : judge(factor, faster, HUGE_VAL);
  switch (verdict.says) {
    case LabVerdict::Says::holds:
      verdict.headline = fmt::format("Trying all algorithms saves {:.0f} % of the time.",
                                     100 * (1 - 1 / factor.median));
      break;
    case LabVerdict::Says::differs:
      verdict.headline = "The first choice is as fast as the best: trying all gains nothing.";
      break;
    default:
      verdict.headline = "The points scatter too much: measure again when the machine is idle.";
  }
  distrust_unsure(verdict, std::array{first, best});
  return verdict;
}

}  // namespace

extern const Lab conv_lab;
constinit const Lab conv_lab{
    .name = "conv",
    .title = "Convolution",
    .group = "Compute",
    .question = "What does trying all algorithms gain over the first choice?",
    .about =
        "A convolution of images with filters of 3 x 3 can be computed in many ways, and which is "
        "fastest depends on sizes and on the processor. Libraries choose by a rule, or try all of "
        "them once (cudnn.benchmark in PyTorch). Here our own tilings run, no library's. \"Pixels "
        "6x2\" keeps the sums of 6 filters at 2 vectors of neighbouring pixels in registers; "
        "\"filters 6x2\" those of 2 vectors of filters at 6 pixels; \"im2col\" copies the pixels "
        "below each tap into a matrix and multiplies it by the weights. The first choice measures "
        "nothing: of the tilings that fit the registers it takes the one with the most "
        "multiplications for each load, less what its blocks compute beyond the edges. Copying "
        "the zeros around the images, and the weights into blocks, is part of the time.",
    .needs =
        "The first choice and each of 10 algorithms, on the same images: 11. The first choice "
        "and at least two algorithms decide.",
    .claim = {"The best of all algorithms is 1.7 times as fast as the heuristic's choice (1430 us "
              "against 840 us on a GPU).",
              "Efficient Deep Learning Systems, cudnn.benchmark"},
    .reads = reads,
    .knobs = own_knobs,
    .why_not = why_not,
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .ask_again = ask_again,
    .time = 10,
};

}  // namespace engine
