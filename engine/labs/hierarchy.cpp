// The lab `hierarchy`: bandwidth against working set, through the caches to DRAM.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/labs/lab.hpp"
#include "engine/roofs/levels.hpp"
#include "engine/roofs/roof_tasks.hpp"
#include "engine/roofs/roofs.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using kernels::Op;

constexpr std::array ops{Op::read, Op::write, Op::copy};

// Of a level's size: what fills it to the brim spills.
constexpr double well_inside = 0.6;
/// A smaller factor is none.
constexpr double faster = 1.1;

/// One op over a working set of so many bytes, in all its tensors together.
kernels::Case over(const Place& place, Op op, double bytes, kernels::Data data) {
  kernels::Case what = read_over(place.info, bytes, data);
  what.ops = op;
  const int tensors = op->tensors_read + op->tensors_written;
  what.elements = std::max<std::uint64_t>(1, what.elements / static_cast<std::uint64_t>(tensors));
  // Stores past the caches would show DRAM at every size.
  if (op->tensors_written > 0 && place.info.kind == "cpu") what.shape = {{"stores", "ordinary"}};
  return what;
}

/// On a GPU also reads past the L1, which show its L2: ordinary ones find a working set again in
/// all L1s together, which are larger than the L2 of some.
std::vector<Op> ops_on(const Place& place) {
  std::vector<Op> wanted(ops.begin(), ops.end());
  if (kernels::find_kernel(place.kernels, kernels::stream_case(Op::l2, 0, kernels::Data::random)))
    wanted.push_back(Op::l2);
  return wanted;
}

Plan plan(const Spec& spec, const Place& place, const Results&) {
  Plan plan;
  for (const Op op : ops_on(place)) {
    for (const double bytes : curve_sizes(place.info)) {
      const kernels::Case what = over(place, op, bytes, spec.data);
      if (leaves_room(place, what)) plan.asks.push_back({what});
    }
  }
  return plan;
}

std::vector<Chart> charts(const Results&) {
  Chart chart = chart_of("hierarchy", "Bandwidth through the memory levels", metrics::working_set,
                         metrics::bandwidth, labels::op);
  chart.along = "elements";
  chart.envelope = true;  // small working sets are walked over more often
  chart.overlays = {Overlay::capacities};
  return {chart};
}

/// The fastest of an op over working sets between two sizes; of those that are sure, where any is.
const Point* best_between(const Results& results, Op op, double from, double to) {
  const Point* best = nullptr;
  for (const Point* point : results.points) {
    const double bytes = kernels::footprint_of(point->what);
    const bool wanted = point->status == Status::ok && point->what.ops == kernels::Ops(op) &&
                        bytes > from && bytes <= to;
    if (!wanted) continue;
    const auto rank = [](const Point& one) {
      return std::pair(is_sure(one), one.bytes_per_second());
    };
    if (best == nullptr || rank(*point) > rank(*best)) best = point;
  }
  return best;
}

struct Level {
  std::string name;
  double from = 0, to = 0;
  double bytes = 0;  ///< of a cache
};

std::vector<Level> levels_of(const kernels::DeviceInfo& info) {
  std::vector<Level> levels;
  double from = 0;
  for (const CacheLevel& cache : cache_levels(info)) {
    levels.push_back({cache.name, from, well_inside * cache.bytes, cache.bytes});
    from = cache.bytes;
  }
  levels.push_back({"DRAM", 2 * from, HUGE_VAL});
  return levels;
}

/// What was measured of an op in a level.
struct Best {
  Op op;
  const Level* level;
  const Point* point;
};

const Point* best_in(const Results& results, Op op, const Level& level) {
  const bool past_l1 =
      results.session.device.kind == "cuda" && level.name == "L2" && op == Op::read;
  // Two working sets to an octave: one at least lies between these shares of the L2.
  return past_l1 ? best_between(results, Op::l2, 0.5 * level.bytes, 0.75 * level.bytes)
                 : best_between(results, op, level.from, level.to);
}

/// Of each op from the innermost level that was measured to the outermost.
std::vector<Best> best_of_levels(const Results& results, const std::vector<Level>& levels) {
  std::vector<Best> found;
  for (const Op op : ops) {
    for (const Level& level : levels)
      if (const Point* point = best_in(results, op, level)) found.push_back({op, &level, point});
  }
  return found;
}

/// "L1 read"; with its roof, where that was measured.
std::string name_of(const Results& results, const Best& best) {
  std::string name = fmt::format("{} {}", best.level->name, best.op->name);
  const Roof* roof =
      measured_roof(results.session.roofs, roof_name_on(best.level->name, best.point->what.data));
  if (best.op == Op::read && best.level->bytes > 0 && roof != nullptr)
    name += fmt::format(" (roof: {})", units::bytes_per_second(roof->rate));
  return name;
}

/// A row for each op and level: a cache has to be faster than DRAM. Adds what the verdict rests on,
/// and which are not faster.
void add_rows(const Results& results, const std::vector<Best>& found, LabVerdict& verdict,
              Points& behind, std::vector<std::string>& slow) {
  for (const Best& best : found) {
    VerdictRow row{
        name_of(results, best), {}, metrics::bandwidth.at(*best.point, results.session), "B/s"};
    const auto dram = std::ranges::find_if(
        found, [&](const Best& other) { return other.op == best.op && other.level->bytes == 0; });
    const bool to_l2 = results.session.device.kind == "cuda" && best.level->name == "L1" &&
                       best.op->tensors_written > 0;
    if (to_l2) row.what += " (stores go to the L2)";
    if (best.level->bytes > 0 && dram != found.end() && !to_l2) {
      row.says =
          judge(times_as_fast(*best.point, *dram->point, &kernels::Work::bytes), faster, HUGE_VAL);
      behind.insert(behind.end(), {best.point, dram->point});
      if (row.says == Says::differs)
        slow.push_back(fmt::format("{}s in {} are no faster", best.op->name, best.level->name));
    }
    verdict.rows.push_back(std::move(row));
  }
}

LabVerdict verdict(const Results& results) {
  LabVerdict verdict;
  const std::vector<Level> levels = levels_of(results.session.device);
  const std::vector<Best> found = best_of_levels(results, levels);
  Points behind;
  std::vector<std::string> slow;
  add_rows(results, found, verdict, behind, slow);
  const auto reads_from = [&](const Level& level) {
    const auto best = std::ranges::find_if(
        found, [&](const Best& one) { return one.op == Op::read && one.level == &level; });
    return best == found.end() ? nullptr : best->point;
  };
  const Point *first = reads_from(levels.front()), *last = reads_from(levels.back());
  if (first == nullptr || last == nullptr || first == last) {
    for (VerdictRow& row : verdict.rows) row.says = Says::not_yet;
    verdict.says = Says::cannot_say;
    verdict.headline = fmt::format("Measure reads from {} and from DRAM.", levels.front().name);
    return verdict;
  }
  const Interval factor = times_as_fast(*first, *last, &kernels::Work::bytes);
  verdict.says = conclude(verdict.rows);
  verdict.headline = fmt::format("Reads from {} are {:.3g} times as fast as from DRAM",
                                 levels.front().name, factor.median);
  verdict.headline += slow.empty() ? "." : fmt::format("; {}.", fmt::join(slow, "; "));
  distrust_unsure(verdict, behind);
  return verdict;
}

}  // namespace

extern constinit const Lab hierarchy_lab{
    .name = "hierarchy",
    .title = "Memory hierarchy",
    .group = "Memory",
    .question = "How fast is each level of memory?",
    .about =
        "Reads, writes and copies run over working sets from a fraction of the smallest cache to "
        "several times the largest. Each plateau is a level. On a CPU the writes are ordinary "
        "stores here. The DRAM roofs may use non-temporal stores, and can then be higher. On a GPU "
        "all stores go to the L2.",
    .needs =
        "Reads, writes and copies over the same working sets, several in each cache and several "
        "beyond all of them. The verdict compares each cache with DRAM.",
    .claim = {"Memory closer to the cores is faster.", "Making Deep Learning Go Brrrr, Bandwidth"},
    .reads = {"data"},
    .plan = plan,
    .charts = charts,
    .verdict = verdict,
    .time = 10,
};

}  // namespace engine
