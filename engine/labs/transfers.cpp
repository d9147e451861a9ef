// The lab `transfers`: how fast bytes get to a GPU and back, from each kind of host memory; on a
// CPU what memory costs that the system has just given.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/transfer/transfer.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Family;
using kernels::Transfer;

constexpr std::array on_gpu{Transfer::to_pageable,   Transfer::to_pinned,   Transfer::to_mapped,
                            Transfer::from_pageable, Transfer::from_pinned, Transfer::from_mapped,
                            Transfer::both_pinned};
constexpr std::array on_cpu{Transfer::copy, Transfer::again, Transfer::fresh, Transfer::fresh_huge};
// Where there is another GPU, or memory node.
constexpr std::array to_another_gpu{Transfer::to_peer};
constexpr std::array on_another_node{Transfer::remote_copy};

constexpr LabKnob bytes =
    LabKnob::numbers("bytes", "Bytes that are moved at a time, in multiples of 64.",
                     "1024:67108864:x16", kernels::transfer_granule, 8ULL << 30);
/// Less cannot lie in a huge page.
constexpr std::uint64_t huge_page = 2 << 20, small_page = 4096;
/// The ratio above which one kind of memory clearly is faster.
constexpr double clearly = 1.1;

Plan plan(const Spec& spec, const Place& place, const Results&) {
  Plan plan;
  const auto ask = [&](std::span<const Transfer> transfers) {
    for (const std::uint64_t size : numbers_of(spec, bytes)) {
      for (const Transfer transfer : transfers) {
        const bool pages = transfer == Transfer::fresh || transfer == Transfer::fresh_huge;
        if (size < (transfer == Transfer::fresh_huge ? huge_page : pages ? small_page : 1))
          continue;
        const std::uint64_t whole = size / kernels::transfer_granule * kernels::transfer_granule;
        const kernels::Case what = kernels::transfer_case(transfer, whole);
        if (fits(bytes, spec, place, what)) plan.asks.push_back({what});
      }
    }
  };
  place.info.kind == "cpu" ? ask(on_cpu) : ask(on_gpu);
  if (!place.info.peer.empty()) ask(to_another_gpu);
  if (place.info.memory_nodes > 1) ask(on_another_node);
  return plan;
}

// ---- the points

/// Of a transfer, by ascending size.
Points points_of(const Results& results, Transfer transfer) {
  return measured_by(&kernels::Case::elements, results.points, [&](const kernels::Case& what) {
    return what.family == Family::transfer && kernels::transfer_of(what) == transfer;
  });
}

/// The largest of one transfer and the same size of another; nulls where there is none.
struct Pair {
  const Point *slow = nullptr, *fast = nullptr;
};
Pair largest_of_both(const Results& results, Transfer slow, Transfer fast) {
  Pair pair;
  for (const Point* one : points_of(results, slow))
    for (const Point* other : points_of(results, fast))
      if (one->what.elements == other->what.elements) pair = {one, other};
  return pair;
}

Interval bandwidth_of(const Point& point) {
  return quotient(Interval{point.work.bytes}, time_of(point));
}

// ---- the charts

std::string bytes_text(double value, bool) { return units::bytes(value); }

constexpr Label transfer{"transfer", [](const Row& row, std::string_view) {
                           return std::string(words_of(kernels::transfer_of(row.point.what)));
                         }};

/// The link that NVML states, over the sizes of what a GPU moves; nothing where it states none.
std::vector<Curve> link_of(const Results& results) {
  const double link = results.session.device.link_rate;
  Curve curve{"PCIe link, each way"};
  for (const Transfer each : on_gpu) {
    for (const Point* point : points_of(results, each))
      curve.x.push_back(static_cast<double>(point->what.elements));
  }
  if (link <= 0 || curve.x.empty()) return {};
  const auto [least, most] = std::ranges::minmax(curve.x);
  curve.x = {least, most};
  curve.y = {link, link};
  return {curve};
}

std::vector<Chart> charts(const Results& results) {
  Metric size = metrics::axis("elements");
  size.title = "Bytes moved at a time";
  size.text = bytes_text;
  size.unit = "B";
  Chart bandwidth = chart_of("transfers", "Bandwidth over the bytes moved at a time", size,
                             metrics::bandwidth, transfer);
  const Chart runtime = chart_like(bandwidth, "transfers-time",
                                   "Time of one transfer, wait included", metrics::runtime);
  bandwidth.curves = link_of(results);
  return {bandwidth, runtime};
}

// ---- the verdict

/// Pinned memory beside the link. Where it is faster, the GPU has another way to the host.
void add_link(const Results& results, LabVerdict& verdict) {
  const double link = results.session.device.link_rate;
  if (link <= 0) return;
  for (const Transfer each : {Transfer::to_pinned, Transfer::from_pinned}) {
    const Points points = points_of(results, each);
    if (points.empty()) continue;
    verdict.inform(fmt::format("{}, of the {} that its PCIe link can move each way", words_of(each),
                               units::bytes_per_second(link)),
                   quotient(bandwidth_of(*points.back()), Interval{link}), "%");
  }
}

/// What the first write to a page costs beyond the write itself.
void add_page_fault(const Results& results, LabVerdict& verdict) {
  const Pair pair = largest_of_both(results, Transfer::fresh, Transfer::again);
  if (pair.slow == nullptr) return;
  const double page = value_of(*pair.slow, kernels::page_value);
  if (!(page > 0)) return;
  const double pages = static_cast<double>(pair.slow->what.elements) / page;
  const double seconds = pair.slow->seconds.median - pair.fast->seconds.median;
  if (seconds <= 0) return;
  verdict.inform(fmt::format("to get, clear and give back a page of {}", units::bytes(page)),
                 Interval{seconds / pages}, "s");
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  Points rests_on;
  // What the claim needs, from the largest size that both have.
  const auto judge_gain = [&](Transfer slow, Transfer fast, std::string_view what) {
    const Pair pair = largest_of_both(results, slow, fast);
    if (pair.slow == nullptr) return;
    const std::string size = units::bytes(static_cast<double>(pair.fast->what.elements));
    verdict.judge(fmt::format("{}, {} at a time", what, size), {},
                  times_as_long(*pair.slow, *pair.fast), "x", clearly);
    rests_on.push_back(pair.fast);
  };
  judge_gain(Transfer::to_pageable, Transfer::to_pinned, "pinned memory is faster to the GPU by");
  judge_gain(Transfer::from_pageable, Transfer::from_pinned,
             "pinned memory is faster from the GPU by");
  judge_gain(Transfer::fresh, Transfer::again,
             "pages written before are faster than fresh ones by");
  if (verdict.rows.empty())
    return cannot_say(
        "Measure one size from pageable and from pinned memory, on a CPU with fresh pages and "
        "without.");
  for (const auto some : std::initializer_list<std::span<const Transfer>>{
           on_gpu, on_cpu, to_another_gpu, on_another_node}) {
    for (const Transfer each : some) {
      const Points points = points_of(results, each);
      if (points.empty()) continue;
      std::string what(words_of(each));
      if (each == Transfer::to_peer) what += fmt::format(" (to {})", results.session.device.peer);
      verdict.inform(std::move(what), bandwidth_of(*points.back()), "B/s");
    }
  }
  add_link(results, verdict);
  const Pair remote = largest_of_both(results, Transfer::remote_copy, Transfer::copy);
  if (remote.slow != nullptr)
    verdict.inform("memcpy from another memory node takes, of that from its own",
                   times_as_long(*remote.slow, *remote.fast), "x");
  add_page_fault(results, verdict);
  verdict.says = conclude(verdict.rows);
  // Each comparison has a row, and the point that ought to be faster.
  const auto deciding = std::ranges::find(verdict.rows, verdict.says, &VerdictRow::says);
  const Point& decides = *rests_on[static_cast<std::size_t>(deciding - verdict.rows.begin())];
  const std::string gain = text_of(Interval{deciding->here->median}, "x");
  const Transfer which = kernels::transfer_of(decides.what);
  const std::string_view fast = !kernels::is_of_gpu(which) ? "Pages written before are written"
                                : which == Transfer::to_pinned
                                    ? "To the GPU, pinned memory moves"
                                    : "From the GPU, pinned memory moves";
  const std::string_view slow =
      kernels::is_of_gpu(which) ? "pageable memory" : "pages that the system has just given";
  verdict.headline =
      fmt::format("{}{} {} as fast as {}: {}.", fast, verdict.says == Says::differs ? " only" : "",
                  gain, slow, units::bytes_per_second(bandwidth_of(decides).median));
  distrust_unsure(verdict, rests_on);
  return verdict;
}

}  // namespace

extern constinit const Lab transfers_lab{
    .name = "transfers",
    .title = "Transfers",
    .group = "Memory",
    .question = "How fast do bytes get to the GPU and back?",
    .about =
        "Copies between host and GPU, each timed from the call to its end. Pageable memory, as "
        "malloc gives it, is first copied by the driver into memory of its own; page-locked "
        "(pinned) memory the GPU reads and writes by itself; mapped memory is page-locked and read "
        "or written by a kernel. Small copies take as long as a call and a wait. The line is the "
        "PCIe link each way as NVML states it, less its encoding; headers of packets take some "
        "more. Both ways at once can reach twice as much, and a GPU with another link to the host, "
        "such as NVLink, more. Where the GPU reaches another one directly, it copies to that, too. "
        "On a CPU, one thread copies with memcpy, writes pages that it has written before, and "
        "writes fresh pages, which the system gets, clears and takes back: the price of allocating "
        "in a loop. Huge pages of 2 MiB need fewer such steps. Where there are several memory "
        "nodes (NUMA), memcpy also reads from another one.",
    .needs =
        "Five sizes from 1 KiB to 64 MiB, where half of the memory holds them; on a GPU pageable, "
        "pinned and mapped memory each way, pinned both ways at once, and another GPU if it is in "
        "reach; on several memory nodes also memcpy from another one. Larger ones are chosen by "
        "their bytes, up to 8 GiB. The verdict compares the largest size that both sides have.",
    .claim = {"Page-locked memory attains the highest bandwidth between host and device; on a CPU, "
              "memory that was written before is faster than fresh memory.",
              "CUDA C++ Best Practices Guide, Pinned Memory"},
    .knobs = {bytes},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 9,
};

}  // namespace engine
