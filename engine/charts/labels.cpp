// The table of labels: one row for each.
#include <fmt/format.h>

#include <algorithm>

#include "engine/charts/chart.hpp"
#include "kernels/families/family.hpp"

namespace engine {
namespace {

using kernels::Case;

/// The name of what the case of a point has in a field.
template <auto field>
std::string name_in(const Row& row, std::string_view) {
  return std::string(name_of(row.point.what.*field));
}
std::string series_of(const Row& row, std::string_view) { return series_name(row.point); }
std::string op_of(const Row& row, std::string_view) { return kernels::text_of(row.point.what.ops); }
std::string kernel_of(const Row& row, std::string_view) {
  const std::string unusual = kernels::tag_of(row.point.what);
  return unusual.empty() ? std::string(name_of(row.point.what.family)) : unusual;
}
std::string label_of(const Row& row, std::string_view) { return row.point.label; }
std::string lab_of(const Row& row, std::string_view) { return row.point.lab; }

}  // namespace

namespace labels {

constinit const Label dtype{"dtype", name_in<&Case::dtype>};
constinit const Label series{"series", series_of};
constinit const Label family{"family", name_in<&Case::family>};
constinit const Label op{"op", op_of};
constinit const Label fusion{"fusion", name_in<&Case::fusion>};
constinit const Label units{"units", name_in<&Case::units>};
constinit const Label by{"by", name_in<&Case::by>};
constinit const Label kernel{"kernel", kernel_of};
constinit const Label data{"data", name_in<&Case::data>};
constinit const Label label{"label", label_of};
constinit const Label lab{"lab", lab_of};

}  // namespace labels

std::string series_name(const Point& point) {
  const std::string kernel = point.kernel.empty() ? kernels::tag_of(point.what) : point.kernel;
  // What is unusual is named: on zeros a device draws less power.
  const bool zeros = point.what.data == kernels::Data::zeros;
  // Work without an unfused form is not called fused.
  const kernels::Family family = point.what.family;
  const bool ours = family->role != kernels::Role::outside;
  const bool tells = ours && (family->fuses || family->role != kernels::Role::workload);
  return fmt::format("{}{}{}{}{}", name_of(point.what.dtype), tells ? " " : "",
                     tells ? name_of(point.what.fusion) : "", kernel.empty() ? "" : " " + kernel,
                     zeros ? " zeros" : "");
}

std::string point_name(const Point& point) {
  std::string name = series_name(point);
  for (const kernels::AxisInfo& axis : point.what.family->axes) {
    const std::uint64_t size = kernels::size(point.what, axis.name).value_or(0);
    if (size > 0) name += fmt::format(", {} {}", axis.name, kernels::text_of(axis, size));
  }
  if (!point.label.empty()) name += " · " + point.label;
  return name;
}

Chart chart_of(std::string_view id, std::string_view title, std::variant<Metric, Label> x,
               const Metric& y, const Label& by) {
  Chart chart{.id = id, .title = title, .x = x, .y = y, .series = by, .colour = by};
  if (const Metric* number = chart.x_metric())
    chart.along = number->key;
  else
    chart.kind = Kind::bars;
  return chart;
}

Chart chart_like(Chart chart, std::string_view id, std::string_view title, const Metric& y) {
  chart.id = id;
  chart.title = title;
  chart.y = y;
  return chart;
}

bool Chart::has(Overlay overlay) const {
  return std::ranges::find(overlays, overlay) != overlays.end();
}

}  // namespace engine
