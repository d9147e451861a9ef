// The table of metrics: one row for each.
#include <fmt/format.h>

#include "engine/charts/chart.hpp"
#include "engine/verdict/predict.hpp"
#include "engine/verdict/quotient.hpp"
#include "kernels/units.hpp"

namespace engine {
namespace {

using Value = std::optional<Interval>;

Value runtime_of(const Row& row, std::string_view) {
  const Seconds& seconds = row.point.seconds;
  if (!(seconds.median > 0)) return {};
  // One sample alone has no spread.
  const bool spread = seconds.samples.size() != 1 && seconds.low > 0 && seconds.high > 0;
  return spread ? Interval{seconds.median, seconds.low, seconds.high} : Interval{seconds.median};
}

/// `numerator` over the seconds of a point.
Value per_second(const Row& row, double numerator) {
  const Value runtime = runtime_of(row, {});
  return runtime ? quotient({numerator, numerator, numerator}, *runtime) : Value();
}

Value flops_of(const Row& row, std::string_view) { return per_second(row, row.point.work.flops); }

Value bandwidth_of(const Row& row, std::string_view) {
  return per_second(row, row.point.work.bytes);
}

Value intensity_of(const Row& row, std::string_view) {
  return Interval{row.point.work.intensity()};
}

/// Of what the roofs allow.
Value share_of(const Row& row, std::string_view) {
  const Prediction roofs = predict(row.session, row.point);
  return roofs.complete() ? per_second(row, roofs.seconds()) : std::nullopt;
}

Value working_set_of(const Row& row, std::string_view) {
  return Interval{kernels::footprint_of(row.point.what)};
}

Value size_of_axis(const Row& row, std::string_view axis) {
  const std::optional<std::uint64_t> size = kernels::size(row.point.what, axis);
  return size ? Value(Interval{static_cast<double>(*size)}) : Value();
}

Value extra_value(const Row& row, std::string_view name) {
  const std::optional<double> value = told(row.point, name);
  return value ? Value(Interval{*value}) : Value();
}

std::string factor_text(double value, bool) { return units::number(value, 3) + "x"; }
std::string count_text(double value, bool) { return units::count(value); }
std::string ops_text(double value, bool) {
  return fmt::format("{} {}", units::number(value), value == 1 ? "op" : "ops");
}

}  // namespace

namespace metrics {

constinit const Metric runtime =
    metric_of("runtime", "Time of one run", "s", runtime_of, {1e-4, 1});
constinit const Metric flops =
    metric_of("flops", "Performance", "FLOP/s", flops_of, {1e9, 1e12}, {Trait::rate});
constinit const Metric bandwidth =
    metric_of("bandwidth", "Bandwidth", "B/s", bandwidth_of, {1e9, 1e12}, {Trait::rate});
constinit const Metric intensity = metric_of("intensity", "Arithmetic intensity", "FLOP/byte",
                                             intensity_of, {0.1, 1000}, {Trait::plain});
constinit const Metric share = metric_of("share", "Share of the roof", "%", share_of, {0, 1},
                                         {Trait::rate, Trait::plain, Trait::linear});
constinit const Metric working_set =
    metric_of("working set", "Working set", "B", working_set_of, {1e4, 1e9});
constinit const Metric factor = metric_of("factor", "Times faster", "", nullptr, {0.5, 100},
                                          {Trait::rate, Trait::plain}, factor_text);

Metric axis(std::string_view name) {
  Metric metric{.name = name, .title = name, .of = size_of_axis, .text = count_text, .key = name};
  if (name == "elements") metric.title = "Elements";
  if (name == "repeat") {
    metric.title = "Ops per element";
    metric.text = ops_text;
    metric.si_prefix = false;
    metric.range.high = 1024;
  }
  return metric;
}

Metric axis(std::string_view name, std::string_view title) {
  Metric metric = axis(name);
  metric.title = title;
  metric.si_prefix = false;
  return metric;
}

Metric value(std::string_view name, std::string_view unit) {
  return {.name = name, .title = name, .unit = unit, .of = extra_value, .key = name};
}

}  // namespace metrics

std::string unit_of(const Metric& metric, bool integer) {
  const bool flop = metric.unit.starts_with("FLOP");
  return std::string(metric.unit.substr(flop && integer ? 2 : 0));
}

std::string text_of(const Metric& metric, double value, bool integer) {
  if (metric.text != nullptr) return metric.text(value, integer);
  return text_of(value, unit_of(metric, integer));
}

std::string text_of(double value, std::string_view unit) {
  if (unit == "s") return units::seconds(value);
  if (unit == "%") return units::percent(value);
  if (unit == "B") return units::bytes(value);
  if (unit == "B/s") return units::bytes_per_second(value);
  if (unit == "FLOP") return units::flops(value);
  if (unit == "FLOP/s" || unit == "OP/s") return units::flops_per_second(value, unit == "OP/s");
  const std::string number = units::number(value, 3);
  return unit.empty() ? number : fmt::format("{} {}", number, unit);
}

}  // namespace engine
