#include "ui/pages/figure_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace ui {
namespace {

using nlohmann::json;

json list_of(const auto& values, const auto& json_of_one) {
  json list = json::array();
  for (const auto& value : values) list.push_back(json_of_one(value));
  return list;
}

json numbers(const std::vector<double>& values) {
  return list_of(values,
                 [](double value) { return std::isfinite(value) ? json(value) : json(nullptr); });
}

json axis_json(const plot::Axis& axis) {
  return {{"title", axis.title}, {"unit", axis.unit},    {"low", axis.low},    {"high", axis.high},
          {"log", axis.log},     {"si", axis.si_prefix}, {"words", axis.words}};
}

std::string_view word_of(plot::Dash dash) {
  static constexpr std::array<std::string_view, 4> words{"solid", "dashed", "dotted",
                                                         "dash_dotted"};
  return words.at(static_cast<std::size_t>(dash));
}

std::string_view word_of(plot::Marker marker) {
  static constexpr std::array<std::string_view, 5> words{"circle", "square", "triangle", "diamond",
                                                         "circle"};
  return words.at(static_cast<std::size_t>(marker));
}

json span_json(const plot::Span& span) {
  return {{"begin", span.begin}, {"end", span.end}, {"lane", span.lane}, {"name", span.name}};
}

json series_json(const plot::Series& series) {
  const plot::Points& points = *series.points;
  json flagged = list_of(points.flagged, [](char one) { return one != 0; });
  json spans = list_of(series.spans, span_json);
  return {{"name", series.name},           {"id", series.id},
          {"colour", series.colour},       {"marker", word_of(series.marker)},
          {"filled", series.filled},       {"core", series.core == plot::Core::dot},
          {"line", series.line},           {"dash", word_of(series.dash)},
          {"faded", series.faded},         {"bar", series.bar},
          {"x", numbers(points.x)},        {"y", numbers(points.y)},
          {"low", numbers(points.low)},    {"high", numbers(points.high)},
          {"from", numbers(points.from)},  {"labels", points.labels},
          {"flagged", std::move(flagged)}, {"spans", std::move(spans)}};
}

json roof_json(const plot::Roof& roof) {
  return {{"label", roof.label},        {"long", roof.long_label}, {"short", roof.short_label},
          {"dash", word_of(roof.dash)}, {"thin", roof.thin},       {"colour", roof.colour},
          {"x", numbers(roof.x)},       {"y", numbers(roof.y)}};
}

json mark_json(const plot::Mark& mark) {
  return {{"x", mark.x},
          {"y", mark.y},
          {"label", mark.label},
          {"short", mark.short_label},
          {"ridge", mark.kind == plot::Mark::Kind::ridge},
          {"colour", mark.colour}};
}

std::string hex(plot::Colour colour) {
  const auto byte = [](float part) {
    return static_cast<int>(std::lround(255 * std::clamp(part, 0.0F, 1.0F)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(colour.r), byte(colour.g), byte(colour.b));
}

}  // namespace

json json_of(const plot::Figure& figure) {
  json above = nullptr;
  if (figure.above)
    above = {{"title", figure.above->title},
             {"unit", figure.above->unit},
             {"factor", figure.above->factor}};
  return {{"title", figure.title},
          {"x", axis_json(figure.x)},
          {"y", axis_json(figure.y)},
          {"above", std::move(above)},
          {"series", list_of(figure.series, series_json)},
          {"roofs", list_of(figure.roofs, roof_json)},
          {"marks", list_of(figure.marks, mark_json)},
          {"regions", list_of(figure.regions,
                              [](const plot::Region& region) -> json {
                                return {{"name", region.name},
                                        {"regime", static_cast<int>(region.regime)},
                                        {"edge", region.edge},
                                        {"x", numbers(region.x)},
                                        {"y", numbers(region.y)}};
                              })},
          {"guides", list_of(figure.guides,
                             [](const plot::Guide& guide) -> json {
                               return {{"x", guide.x}, {"label", guide.label}};
                             })},
          {"empty", figure.empty_text}};
}

json colours_of(plot::Theme theme) {
  const plot::Style look = style_of(theme);
  json regimes = list_of(look.regime_colours, hex);
  regimes.insert(regimes.begin(), hex(look.colour_of(plot::Regime::none)));
  return {{"series", list_of(look.series_colours, hex)},
          {"regimes", std::move(regimes)},
          {"neutral", hex(look.text)}};
}

}  // namespace ui
