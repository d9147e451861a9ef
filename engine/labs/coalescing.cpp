// The lab `coalescing`: words that lie a stride apart, or begin at an odd place, against words side
// by side; on a GPU also words of shared memory, whose banks conflict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/labs/lab.hpp"
#include "engine/labs/parts/measured.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/banks/banks.hpp"
#include "kernels/families/family.hpp"
#include "kernels/families/strided/strided.hpp"

namespace engine {
namespace {

using kernels::Family;

constexpr LabKnob strides =
    LabKnob::numbers("strides", "Words of 4 byte from one that is read to the next.",
                     "1,2,4,8,16,32", 1, kernels::most_stride);
constexpr LabKnob offsets = LabKnob::numbers(
    "offsets", "Words of 4 byte before the first, at stride 1.", "1,8,31", 1, kernels::most_offset);
constexpr LabKnob span = LabKnob::number("span", "MiB from the first word to the last.", "auto", 1,
                                         std::uint64_t{1} << 20);
constexpr LabKnob bank_strides = LabKnob::numbers(
    "bank-strides",
    "Words of 4 byte from one thread's word to the next thread's, in shared memory of a GPU.",
    "1,2,4,8,16,32,33", 1, kernels::most_bank_stride);
constexpr LabKnob bank_span = LabKnob::number("bank-span", "MiB that are read of shared memory.",
                                              "2048", 256, std::uint64_t{1} << 20);

constexpr double word = 4;  ///< byte
/// The smallest piece that each kind of device moves, byte; points say it of their device.
constexpr double sector_of_gpu = 32, line_of_cpu = 64;
/// How far from its share of the bandwidth a stride may be.
constexpr double about = 0.25;
/// A warp of 32 threads that begins at an odd place touches five sectors in place of four.
constexpr double one_more_sector = 1.25;

/// Byte from the first word to the last, so that all that is moved comes from memory: beyond a
/// sector some are left out, so the span grows.
double span_of(const Spec& spec, const Place& place, std::uint64_t stride) {
  if (!is_automatic(spec, span)) return static_cast<double>(number_of(spec, span) << 20);
  const double sector = place.info.kind == "cpu" ? line_of_cpu : sector_of_gpu;
  const double all = std::max(kernels::dram_working_set(place.info), kernels::surely_dram / 2);
  const double wanted = all * std::max(1.0, word * static_cast<double>(stride) / sector);
  constexpr double part_of_free = 0.45;
  return place.free_bytes > 0 ? std::min(wanted, part_of_free * place.free_bytes) : wanted;
}

kernels::Case case_of(const Spec& spec, const Place& place, std::uint64_t stride,
                      std::uint64_t offset) {
  constexpr std::uint64_t group = kernels::strided_group;
  const double words = span_of(spec, place, stride) / word / static_cast<double>(stride);
  const std::uint64_t groups = static_cast<std::uint64_t>(words) / group;
  return kernels::strided_case(stride, offset, std::max<std::uint64_t>(groups, 1) * group);
}

/// 2 GiB take an H200 some 60 us without conflicts, many times what a launch takes.
kernels::Case banks_of(const Spec& spec, std::uint64_t stride) {
  constexpr std::uint64_t group = kernels::bank_group;
  const std::uint64_t bytes = number_of(spec, bank_span) << 20;
  return kernels::banks_case(stride, bytes / size_of(kernels::Dtype::fp32) / group * group);
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  Plan plan;
  const auto ask = [&](std::uint64_t stride, std::uint64_t offset) {
    const kernels::Case what = case_of(spec, place, stride, offset);
    if (fits(span, spec, place, what)) plan.asks.push_back({what});
  };
  for (const std::uint64_t stride : numbers_of(spec, strides)) ask(stride, 0);
  for (const std::uint64_t offset : numbers_of(spec, offsets)) ask(1, offset);
  if (place.info.kind == "cpu") return plan;
  for (const std::uint64_t stride : numbers_of(spec, bank_strides))
    plan.asks.push_back({banks_of(spec, stride)});
  return plan;
}

// ---- the points

/// Those that begin at their tensor's first word, by ascending stride; or those at stride 1, by
/// ascending offset.
Points points_of(const Results& results, bool aligned) {
  const auto key = [&](const kernels::Case& what) {
    return aligned ? kernels::stride_of(what) : kernels::offset_of(what);
  };
  return measured_by(key, results.points, [&](const kernels::Case& what) {
    return what.family == Family::strided &&
           (aligned ? kernels::offset_of(what) == 0 : kernels::stride_of(what) == 1);
  });
}

/// Reads of shared memory, by ascending ways of conflict and stride.
Points points_of_banks(const Results& results) {
  const auto key = [](const kernels::Case& what) {
    return std::pair(kernels::conflict_ways(what), kernels::bank_stride_of(what));
  };
  return measured_by(key, results.points,
                     [](const kernels::Case& what) { return what.family == Family::banks; });
}

double stride_of(const Point& point) { return static_cast<double>(kernels::stride_of(point.what)); }
double ways_of(const Point& point) {
  return static_cast<double>(kernels::conflict_ways(point.what));
}

double rate_of(const Point& point, double bytes) { return bytes / point.seconds.median; }

/// The part of what is moved that is used, where a sector is the least.
double used_part(const Point& point) {
  return 1 /
         std::max(std::min(stride_of(point), value_of(point, kernels::sector_value) / word), 1.0);
}

// ---- the charts

bool is_of_banks(const Row& row) { return row.point.what.family == Family::banks; }
bool is_by_stride(const Row& row) {
  return is_of_banks(row) || kernels::offset_of(row.point.what) == 0;
}
bool is_side_by_side(const Row& row) {
  return !is_of_banks(row) && kernels::stride_of(row.point.what) == 1;
}

constexpr Label read_from{"read from", [](const Row& row, std::string_view) {
                            return std::string(is_of_banks(row) ? "shared memory" : "memory");
                          }};

Chart over(std::string_view id, std::string_view title, const Metric& x) {
  Chart chart = chart_of(id, title, x, metrics::bandwidth, read_from);
  chart.y.title = "Bandwidth used";
  return chart;
}

/// What is moved, and what is used where whole sectors are.
std::vector<Curve> curves_of_memory(const Points& points) {
  if (points.size() < 2) return {};
  Curve moved{"moved"}, expected{"used, if whole sectors are moved"};
  const Point& first = *points.front();
  for (const Point* point : points) {
    const double stride = stride_of(*point);
    moved.add(stride, rate_of(*point, value_of(*point, kernels::moved_value)));
    expected.add(stride, rate_of(first, first.work.bytes) * used_part(*point) / used_part(first));
  }
  return {std::move(moved), std::move(expected)};
}

/// What is used of shared memory where words of one bank take turns.
std::vector<Curve> curves_of_banks(Points points) {
  if (points.size() < 2 || ways_of(*points.front()) != 1) return {};
  const double without = rate_of(*points.front(), points.front()->work.bytes);
  std::ranges::sort(points, {},
                    [](const Point* one) { return kernels::bank_stride_of(one->what); });
  Curve expected{"used, if words of one bank take turns"};
  for (const Point* point : points)
    expected.add(static_cast<double>(kernels::bank_stride_of(point->what)),
                 without / ways_of(*point));
  return {std::move(expected)};
}

std::vector<Chart> charts(const Results& results) {
  Chart by_stride = over("coalescing", "Bandwidth by stride",
                         metrics::axis("stride", "Stride in words of 4 byte"));
  by_stride.along = {};  // the elements differ, too
  by_stride.shows = is_by_stride;
  by_stride.curves = curves_of_memory(points_of(results, true));
  std::ranges::move(curves_of_banks(points_of_banks(results)),
                    std::back_inserter(by_stride.curves));
  Metric offset = metrics::axis("offset", "Words before the first");
  offset.log = false;
  Chart by_offset = over("coalescing-offset", "Bandwidth by the place of the first word", offset);
  by_offset.shows = is_side_by_side;
  by_offset.y.log = false;
  by_offset.y.range.low = 0;
  return {by_stride, by_offset};
}

// ---- the verdict

/// Rows of the strides against stride 1: within a sector they are judged. Returns the widest of
/// these; null: there is none.
const Point* add_strides(const Points& points, LabVerdict& verdict, Points& rests_on) {
  const Point* widest = nullptr;
  const Point& first = *points.front();
  const double sector = value_of(first, kernels::sector_value);
  for (const Point* point : points) {
    if (point == &first) continue;
    const Interval here = times_as_fast(*point, first, &kernels::Work::bytes);
    const double share = used_part(*point);
    const bool within = word * stride_of(*point) <= sector;
    const std::string what = fmt::format("bandwidth used at stride {:.0f}, of stride 1{}",
                                         stride_of(*point), within ? "" : " (beyond a sector)");
    if (within) {
      verdict.judge(what, Interval{share}, here, "%", (1 - about) * share, (1 + about) * share);
      rests_on.push_back(widest = point);
    } else {
      verdict.rows.push_back({what, Interval{share}, here, "%"});
    }
  }
  return widest;
}

/// The slowest of the reads that begin within a sector against the aligned one; null: there are
/// none.
const Point* add_misaligned(Points points, bool gpu, LabVerdict& verdict) {
  if (points.empty() || kernels::offset_of(points.front()->what) != 0) return nullptr;
  const double sector = value_of(*points.front(), kernels::sector_value);
  std::erase_if(points, [&](const Point* one) {
    const double bytes = word * static_cast<double>(kernels::offset_of(one->what));
    return one != points.front() && std::fmod(bytes, sector) == 0;
  });
  if (points.size() < 2) return nullptr;
  const auto slowest = std::ranges::max_element(
      points.begin() + 1, points.end(), {}, [](const Point* one) { return one->seconds.median; });
  const Interval here = times_as_long(**slowest, *points.front());
  const std::string what = fmt::format("time from word {}, of that from word 0, at most",
                                       kernels::offset_of((*slowest)->what));
  // Cores have no warps: there it informs.
  if (gpu)
    verdict.judge(what, Interval{one_more_sector}, here, "x", 0, one_more_sector);
  else
    verdict.inform(what, here, "x");
  return *slowest;
}

/// Rows of memory, and its sentence of the headline; empty: what it needs was not measured.
std::string add_memory(const Results& results, LabVerdict& verdict, Points& rests_on) {
  const Points points = points_of(results, true);
  const Point* widest = nullptr;
  if (!points.empty() && kernels::stride_of(points.front()->what) == 1)
    widest = add_strides(points, verdict, rests_on);
  if (widest == nullptr) {
    verdict.rows.clear();
    return "";
  }
  const Point& first = *points.front();
  const double sector = value_of(first, kernels::sector_value);
  const double moved = rate_of(*widest, value_of(*widest, kernels::moved_value));
  verdict.rows.insert(
      verdict.rows.begin(),
      {{"bandwidth used at stride 1", {}, Interval{rate_of(first, first.work.bytes)}, "B/s"},
       {fmt::format("bandwidth moved at stride {:.0f}", stride_of(*widest)),
        {},
        Interval{moved},
        "B/s"},
       {"moved at a time", {}, Interval{sector}, "B"}});
  rests_on.push_back(&first);
  if (const Point* slowest =
          add_misaligned(points_of(results, false), results.session.device.kind != "cpu", verdict))
    rests_on.push_back(slowest);
  const Interval used = times_as_fast(*widest, first, &kernels::Work::bytes);
  return fmt::format(
      "Stride {:.0f} leaves {} of the bandwidth; whole sectors of {:.0f} byte predict {}.",
      stride_of(*widest), text_of(Interval{used.median}, "%"), sector,
      text_of(Interval{used_part(*widest)}, "%"));
}

/// The same of shared memory.
std::string add_banks(const Results& results, LabVerdict& verdict, Points& rests_on) {
  const Points points = points_of_banks(results);
  if (points.size() < 2 || kernels::bank_stride_of(points.front()->what) != 1) return "";
  const Point &first = *points.front(), &most = *points.back();
  verdict.inform("shared memory: bandwidth used at stride 1",
                 Interval{rate_of(first, first.work.bytes)}, "B/s");
  for (const Point* point : points) {
    if (point == &first) continue;
    const double share = 1 / ways_of(*point);
    const std::string conflict =
        share == 1 ? "no conflict" : fmt::format("{:.0f}-way conflict", ways_of(*point));
    verdict.judge(fmt::format("shared memory at stride {}, of stride 1 ({})",
                              kernels::bank_stride_of(point->what), conflict),
                  Interval{share}, times_as_fast(*point, first, &kernels::Work::bytes), "%",
                  (1 - about) * share, (1 + about) * share);
  }
  rests_on.insert(rests_on.end(), points.begin(), points.end());
  return fmt::format(
      "In shared memory, stride {} leaves {}; bank conflicts predict {}.",
      kernels::bank_stride_of(most.what),
      text_of(Interval{times_as_fast(most, first, &kernels::Work::bytes).median}, "%"),
      text_of(Interval{1 / ways_of(most)}, "%"));
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  Points rests_on;
  const bool gpu = results.session.device.kind != "cpu";
  const std::string of_memory = add_memory(results, verdict, rests_on);
  const std::string of_banks = add_banks(results, verdict, rests_on);
  if (rests_on.empty())
    return cannot_say("Measure stride 1, and another one within a sector, such as 8.");
  verdict.says = conclude(verdict.rows);
  verdict.headline =
      fmt::format("{}{}{}", of_memory, of_memory.empty() || of_banks.empty() ? "" : " ", of_banks);
  const bool half = of_memory.empty() || (gpu && of_banks.empty());
  if (half && verdict.says == Says::holds) {
    verdict.says = Says::cannot_say;
    verdict.headline += fmt::format(" {} was not compared with its stride 1.",
                                    of_memory.empty() ? "Memory" : "Shared memory");
  }
  distrust_unsure(verdict, rests_on);
  return verdict;
}

}  // namespace

extern constinit const Lab coalescing_lab{
    .name = "coalescing",
    .title = "Strides and banks",
    .group = "Memory",
    .question = "How much bandwidth is lost when neighbours read words that lie apart?",
    .about =
        "Words of 4 byte are read, each one a stride behind the one before, and every word is "
        "added to a sum that is checked. Memory moves no less than a sector at a time: 32 byte on "
        "an NVIDIA GPU, a cache line of mostly 64 byte on a CPU. So at stride 2 half of what is "
        "moved is used, and from the stride on at which each word has a sector of its own, one "
        "word of each sector. On a GPU the 32 threads of a warp read side by side; on a CPU a core "
        "loads registers of four words at stride 1 and else one word after the other, and "
        "prefetchers fetch lines, and neighbours of lines, that are not asked for. The second "
        "chart reads words side by side that begin at other places than the start of a sector. "
        "On a GPU the lab also reads shared memory, which has 32 banks of one word each: different "
        "words of a warp that lie in one bank are given one after the other. At stride 32 all "
        "words of a warp lie in one bank; at stride 33 each has a bank of its own, which is why "
        "tiles of 32 columns are stored with 33.",
    .needs =
        "Strides of 1, 2, 4, 8, 16 and 32 words, and at stride 1 the offsets of 1, 8 and 31 words, "
        "where half of the memory holds them. The verdict compares the strides within a sector, "
        "and the slowest offset, with stride 1. On a GPU also strides of 1, 2, 4, 8, 16, 32 and 33 "
        "words of shared memory.",
    .claim =
        {"Whole sectors are moved, whatever is used of them; a misaligned warp costs at most one "
         "more sector; n words of one bank of shared memory take n turns.",
         "CUDA C++ Best Practices Guide, Coalesced Access to Global Memory; Shared Memory and "
         "Memory Banks"},
    .knobs = {strides, offsets, span, bank_strides, bank_span},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 8,
};

}  // namespace engine
