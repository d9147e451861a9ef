// `timing`: the fma chain, timed in several ways. What a run reports is what that way says.
#include "kernels/families/timing/timing.hpp"

#include <algorithm>
#include <array>

#include "kernels/check.hpp"
#include "kernels/families/family.hpp"

namespace kernels {
namespace {

constexpr std::array ops{Op::fma};
constexpr std::array<std::string_view, 8> ways{"proper",     "unfinished", "with-launch",
                                               "new-memory", "after-rest", "cold",
                                               "zeros",      "sustained"};
constexpr std::array axes{AxisInfo{"way", "", "How it is timed.", 1, ways.size(), 1, ways}};

/// A clock that did not wait tells nothing of the work.
Work work(const Case& c) {
  if (way_of(c) == Way::unfinished) return {};
  return {.flops = 2 * static_cast<double>(c.elements) * static_cast<double>(c.repeat),
          .bytes = 2 * tensor_bytes(c),
          .launches = 1};
}

double footprint(const Case& c) {
  double tensors = 2;
  if (way_of(c) == Way::new_memory) tensors = 3;  // another result
  if (way_of(c) == Way::cold) tensors = 4;        // copies of both on a GPU
  return tensors * tensor_bytes(c);
}

std::string refuse(const Case& c) {
  return c.dtype == Dtype::fp32 ? "" : "what is timed in several ways runs in fp32: choose fp32";
}

/// Every element behind its fma, rounded after each.
Check check(Checkable& timed, const std::stop_token& stop) {
  const Case& c = timed.timed();
  const Case chain{.ops = Op::fma, .dtype = c.dtype, .elements = c.elements, .repeat = c.repeat};
  return compare_chain(
      timed, chain, [&](std::uint64_t) { return timed.operands(); }, stop);
}

}  // namespace

Case timing_case(Way way, std::uint64_t elements, std::uint64_t ops_each) {
  return {.family = Family::timing,
          .ops = Op::fma,
          .elements = elements,
          .repeat = ops_each,
          .data = way == Way::zeros ? Data::zeros : Data::random,
          .more = {static_cast<std::uint64_t>(way)}};
}

Way way_of(const Case& c) {
  return static_cast<Way>(std::clamp<std::uint64_t>(c.more[0], 1, ways.size()));
}

std::string_view words_of(Way way) {
  constexpr std::array<std::string_view, ways.size()> words{
      "properly",      "without waiting",  "with launch and wait",
      "on new memory", "after a rest",     "with cold caches",
      "on zeros",      "under a long load"};
  return word_at(words, static_cast<std::uint64_t>(way));
}

extern const FamilyInfo timing_family{
    .name = "timing",
    .help = "one kernel, timed in ways of which some are wrong",
    .ops = ops,
    .for_labs = true,
    .limit = Limit::elsewhere,
    .step = "fma",
    .steps = "fma",
    .axes = axes,
    .work = work,
    .footprint = footprint,
    .granule = [](Dtype) { return least_elements; },
    .refuse = refuse,
    .tag = [](const Case& c) { return text_of(c.ops); },
    .check = on_random<check>,
};

}  // namespace kernels
