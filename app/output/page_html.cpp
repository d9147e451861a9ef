#include "app/output/page_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/verdict/predict.hpp"
#include "ui/figures/figures.hpp"
#include "ui/plot/output/presets.hpp"
#include "ui/plot/output/svg_canvas.hpp"

namespace app {
namespace {

using nlohmann::json;
using plot::xml_escaped;

constexpr std::string_view page_style =
#include "app/output/page_style.inc"
    ;
constexpr std::string_view page_script =
#include "app/output/page_script.inc"
    ;

/// Numbers as JSON has them: what is none is null.
json numbers(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values)
    list.push_back(std::isfinite(value) ? json(value) : json(nullptr));
  return list;
}

json json_of(const plot::Axis& axis) {
  return {{"title", axis.title}, {"unit", axis.unit},    {"low", axis.low},    {"high", axis.high},
          {"log", axis.log},     {"si", axis.si_prefix}, {"words", axis.words}};
}

constexpr std::string_view name_of(plot::Dash dash) {
  switch (dash) {
    case plot::Dash::dashed:
      return "dashed";
    case plot::Dash::dotted:
      return "dotted";
    case plot::Dash::dash_dotted:
      return "dash_dotted";
    case plot::Dash::solid:
      break;
  }
  return "solid";
}

constexpr std::string_view name_of(plot::Marker marker) {
  switch (marker) {
    case plot::Marker::square:
      return "square";
    case plot::Marker::triangle:
      return "triangle";
    case plot::Marker::diamond:
      return "diamond";
    case plot::Marker::circle:
    case plot::Marker::none:
      break;
  }
  return "circle";
}

json json_of(const plot::Series& series) {
  const plot::Points& points = *series.points;
  json spans = json::array();
  for (const plot::Span& span : series.spans)
    spans.push_back(
        {{"begin", span.begin}, {"end", span.end}, {"lane", span.lane}, {"name", span.name}});
  json flagged = json::array();
  for (const char one : points.flagged) flagged.push_back(one != 0);
  return {{"name", series.name},          {"id", series.id},
          {"colour", series.colour},      {"marker", name_of(series.marker)},
          {"filled", series.filled},      {"core", series.core == plot::Core::dot},
          {"line", series.line},          {"dash", name_of(series.dash)},
          {"faded", series.faded},        {"bar", series.bar},
          {"x", numbers(points.x)},       {"y", numbers(points.y)},
          {"low", numbers(points.low)},   {"high", numbers(points.high)},
          {"from", numbers(points.from)}, {"flagged", std::move(flagged)},
          {"spans", std::move(spans)}};
}

json json_of(const plot::Roof& roof) {
  return {{"label", roof.label},   {"dash", name_of(roof.dash)}, {"thin", roof.thin},
          {"colour", roof.colour}, {"x", numbers(roof.x)},       {"y", numbers(roof.y)}};
}

json json_of(const plot::Figure& figure) {
  json series = json::array(), roofs = json::array(), marks = json::array();
  for (const plot::Series& one : figure.series) series.push_back(json_of(one));
  for (const plot::Roof& one : figure.roofs) roofs.push_back(json_of(one));
  for (const plot::Mark& one : figure.marks)
    marks.push_back({{"x", one.x},
                     {"y", one.y},
                     {"label", one.label},
                     {"kind", one.kind == plot::Mark::Kind::ridge ? "ridge" : "label"},
                     {"colour", one.colour}});
  return {{"title", figure.title},       {"x", json_of(figure.x)},    {"y", json_of(figure.y)},
          {"series", std::move(series)}, {"roofs", std::move(roofs)}, {"marks", std::move(marks)},
          {"empty", figure.empty_text}};
}

std::string hex(plot::Colour colour) {
  const auto byte = [](float part) {
    return static_cast<int>(std::lround(255 * std::clamp(part, 0.0F, 1.0F)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(colour.r), byte(colour.g), byte(colour.b));
}

json colours_of(plot::Theme theme) {
  const plot::Style look = style_of(theme);
  json series = json::array();
  for (const plot::Colour& colour : look.series_colours) series.push_back(hex(colour));
  return {{"series", std::move(series)}, {"neutral", hex(look.text)}};
}

/// Lines of text, each escaped.
std::string escaped_lines(const std::string& text) {
  std::string escaped;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) escaped += xml_escaped(line) + "\n";
  return escaped;
}

/// Within <script>, where "</script" would end it, whatever it stands in.
std::string for_script(const json& data) {
  std::string text;
  for (const char c : data.dump(-1, ' ', true, json::error_handler_t::replace))
    text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text;
}

std::string data_of(const plot::Page& page, const std::string& data_file) {
  json figures = json::array(), hidden = json::array();
  for (const plot::Figure& figure : page.figures) {
    figures.push_back(json_of(figure));
    for (const plot::Series& series : figure.series)
      if (series.hidden) hidden.push_back(series.id);
  }
  const std::string ring = page.figures.empty() ? "" : page.figures.front().ring_text;
  return for_script({{"figures", std::move(figures)},
                     {"hidden", std::move(hidden)},
                     {"light", colours_of(plot::Theme::light)},
                     {"dark", colours_of(plot::Theme::dark)},
                     {"doubtful", ring},
                     {"csv", ui::csv_of(page)},
                     {"file", data_file}});
}

}  // namespace

bool is_html(std::string_view file_name) { return file_name.ends_with(".html"); }

std::string page_html(const plot::Page& page, std::span<const engine::Session* const> sessions,
                      plot::Theme theme, const std::string& data_file, std::string_view words) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"{2}>\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      xml_escaped(page.title), page_style, theme == plot::Theme::dark ? " class=\"dark\"" : "");
  for (const std::string& line : page.caption)
    text += fmt::format("<p class=\"dim\">{}</p>\n", xml_escaped(line));
  text +=
      "<div id=\"legend\" role=\"group\" aria-label=\"Series: click to hide, Shift and click for "
      "one alone\"></div>\n<main id=\"charts\"></main>\n"
      "<p class=\"dim\">Wheel: zoom. Drag: move. Double click: all. In the legend, a click hides a "
      "series, and Shift and a click leaves it alone.</p>\n";
  if (!words.empty()) text += fmt::format("<pre>{}</pre>\n", escaped_lines(std::string(words)));
  for (const engine::Session* session : sessions)
    text += fmt::format("<h2>{}</h2>\n<pre>{}</pre>\n", xml_escaped(session->device.name),
                        escaped_lines(engine::explain(*session)));
  text += fmt::format(
      "<h2>Numbers</h2>\n<p><button id=\"download\" type=\"button\">Download {}</button></p>\n"
      "<div class=\"scroll\"><table id=\"table\"></table></div>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n</body>\n"
      "</html>\n",
      xml_escaped(data_file), data_of(page, data_file), page_script);
  return text;
}

}  // namespace app
