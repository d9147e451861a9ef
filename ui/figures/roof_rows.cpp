#include "ui/figures/roof_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "engine/roofs/levels.hpp"
#include "engine/roofs/roof_facts.hpp"
#include "engine/verdict/precision.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"
#include "ui/figures/point_facts.hpp"

namespace ui {

using engine::Point;
using engine::Roof;
using engine::RoofKind;
using engine::RoofSource;
using engine::Session;
using kernels::Op;

namespace {

/// Where a name stands among those of its kind.
int place_of(const std::string& name) {
  static constexpr std::array<std::string_view, 9> order{
      "DRAM read", "DRAM write",         "DRAM copy", "DRAM triad", "L3",
      "L2",        engine::slices_of_l2, "L1",        "shared"};
  const auto found = std::ranges::find(order, name);
  if (found != order.end()) return static_cast<int>(found - order.begin());
  static constexpr std::array<std::string_view, 4> endings{" FMA", " mul+add", " matrix",
                                                           " library"};
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  return 100 + static_cast<int>(std::ranges::find_if(endings, ends) - endings.begin());
}

auto sort_key(const RoofRow& row) {
  return std::tuple(row.kind, row.dtype, place_of(row.name), row.name);
}

/// Reads over many working sets make the level curve; of other work the working set is not told.
std::string read_set(const Point& point) {
  const bool reads =
      point.what.family->role == kernels::Role::bandwidth && point.what.op() == Op::read;
  return reads ? units::bytes(working_set_of(point)) : "";
}

}  // namespace

std::vector<RoofRow> roof_rows(const Session& session) {
  std::vector<RoofRow> rows;
  for (const Roof& roof : session.roofs) {
    if (!(roof.rate > 0)) continue;
    auto row = std::ranges::find(rows, roof.name, &RoofRow::name);
    if (row == rows.end())
      row = rows.insert(row, {.name = roof.name, .kind = roof.kind, .dtype = roof.dtype});
    if (roof.source == RoofSource::measured) row->measured = &roof;
  }
  std::ranges::stable_sort(rows, {}, sort_key);
  for (RoofRow& row : rows) {
    engine::Stated stated = engine::stated_for(session, row.name);
    row.stated = stated.rate;
    row.stated_note = std::move(stated.note);
  }
  return rows;
}

std::string measured_text(const RoofRow& row) {
  return engine::rate_text(row.rate(), row.kind, row.integer());
}

std::string stated_text(const RoofRow& row) {
  return engine::rate_text(row.stated, row.kind, row.integer());
}

std::string interval_text(const RoofRow& row) {
  if (row.measured == nullptr) return "-";
  // A launch is shown as the time that each takes: the highest rate is the shortest.
  double first = row.measured->rate_low, last = row.measured->rate_high;
  if (row.kind == RoofKind::overhead) std::swap(first, last);
  return fmt::format("{} to {}", engine::rate_text(first, row.kind, row.integer()),
                     engine::rate_text(last, row.kind, row.integer()));
}

std::string spread_text(const RoofRow& row) {
  if (row.measured != nullptr && !flag_of(*row.measured).empty())
    return std::string(flag_of(*row.measured));
  const double reach = row.measured != nullptr ? engine::reach_of(*row.measured) : 0;
  return reach > 0 ? engine::spread_in_words(reach) : "-";
}

std::string share_text(const RoofRow& row) {
  return row.share() > 0 ? units::percent(row.share()) : "-";
}

std::string per_clock_text(const RoofRow& row, const kernels::DeviceInfo& device) {
  const std::string text =
      row.measured != nullptr ? engine::per_clock_text(device, *row.measured) : "";
  return text.empty() ? "-" : text;
}

std::string shape_text(const RoofRow& row) {
  return row.measured == nullptr ? "-" : kernels::text_of(row.measured->shape);
}

std::string roof_tried_for(const kernels::DeviceInfo& device, const Point& point) {
  const kernels::Case& what = point.what;
  switch (what.family->role) {
    case kernels::Role::compute:
      return engine::compute_roof_name(what.dtype, what.units, what.op());
    case kernels::Role::bandwidth: {
      if (what.op() == Op::shared) return "shared";
      if (what.op() == Op::l2_slices) return engine::slices_of_l2;
      const Op op = what.op() == Op::l2 ? Op::read : what.op();
      const std::string dram = fmt::format("DRAM {}", kernels::name_of(op));
      // A virtual machine may be told of a cache that it has a small share of.
      if (point.cold && point.status == engine::Status::ok) return dram;
      const auto level = engine::level_of(device, what);
      return level ? level->name : dram;
    }
    case kernels::Role::overhead: {
      const kernels::ShapeChoice graph{"launch", "graph"};
      return std::ranges::find(what.shape, graph) != what.shape.end() ? "launch graph" : "launch";
    }
    case kernels::Role::workload:
    case kernels::Role::outside:
      break;
  }
  return {};
}

double rate_of(const Point& point, RoofKind kind) {
  if (point.status != engine::Status::ok || !(point.seconds.median > 0)) return 0;
  switch (kind) {
    case RoofKind::bandwidth:
      return point.bytes_per_second();
    case RoofKind::compute:
      return point.flops_per_second();
    case RoofKind::overhead:
      return point.work.launches / point.seconds.median;
  }
  return 0;
}

std::vector<const Point*> tried_for(const Session& session, const std::string& roof) {
  const auto known = std::ranges::find(session.roofs, roof, &Roof::name);
  const RoofKind kind = known == session.roofs.end() ? RoofKind::compute : known->kind;
  std::vector<const Point*> tried;
  for (const Point& point : session.points) {
    if (in_sweep(point)) continue;
    const std::string of = roof_tried_for(session.device, point);
    if (engine::roof_name_on(of, point.what.data) != roof) continue;
    std::erase_if(tried, [&](const Point* older) { return older->what == point.what; });
    tried.push_back(&point);
  }
  // Where shapes of DRAM reads were searched, the level curve's points beyond the caches are none.
  const auto is_shaped = [](const Point* point) { return !point->what.shape.empty(); };
  if (roof.starts_with("DRAM") && std::ranges::any_of(tried, is_shaped)) {
    std::erase_if(tried, [&](const Point* point) { return !is_shaped(point); });
  }
  std::ranges::stable_sort(
      tried, [&](const Point* a, const Point* b) { return rate_of(*a, kind) > rate_of(*b, kind); });
  return tried;
}

std::string tried_text(const Point& point) {
  const std::string shape = kernels::text_of(point.what.shape);
  if (const std::string set = read_set(point); !set.empty())
    return shape.empty() ? set : fmt::format("{}, {}", set, shape);
  return shape.empty() ? "the device's default" : shape;
}

std::string difference_text(const Point& point, const Point& fastest) {
  kernels::Shape other = point.what.shape;
  std::erase_if(other, [&](const kernels::ShapeChoice& choice) {
    return std::ranges::find(fastest.what.shape, choice) != fastest.what.shape.end();
  });
  const std::string set = read_set(point);
  // An axis that only the fastest has chosen is at its default here: no difference can be named.
  if (other.empty() && point.what.shape != fastest.what.shape) {
    const bool bare = point.what.shape.empty() && !set.empty();
    return bare ? set + ", the device's default" : tried_text(point);
  }
  std::string text = set != read_set(fastest) ? set : "";
  if (!other.empty()) text += (text.empty() ? "" : ", ") + kernels::text_of(other);
  return text.empty() ? tried_text(point) : text;
}

const Point* roofs_own(const std::vector<const Point*>& tried, const Roof& roof) {
  const auto found = std::ranges::find_if(tried, [&](const Point* point) {
    return rate_of(*point, roof.kind) > 0 && point->what.shape == roof.shape;
  });
  return found == tried.end() ? nullptr : *found;
}

}  // namespace ui
