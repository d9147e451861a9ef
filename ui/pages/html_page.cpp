#include "ui/pages/html_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "engine/verdict/predict.hpp"
#include "ui/plot/output/svg_canvas.hpp"

namespace ui {
namespace {

using nlohmann::json;
using plot::xml_escaped;

constexpr std::string_view page_style =
#include "ui/pages/page_style.inc"
    ;
constexpr std::string_view chart_script =
#include "ui/pages/chart_script.inc"
    ;
constexpr std::string_view page_script =
#include "ui/pages/page_script.inc"
    ;

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

/// Everything that is drawn of it, in data units; numbers that are none are null.
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

/// The colours of series and of what belongs to none.
json colours_of(plot::Theme theme) {
  const plot::Style look = style_of(theme);
  json regimes = list_of(look.regime_colours, hex);
  regimes.insert(regimes.begin(), hex(look.colour_of(plot::Regime::none)));
  return {{"series", list_of(look.series_colours, hex)},
          {"regimes", std::move(regimes)},
          {"neutral", hex(look.text)}};
}

/// Within <script>, where "</script" would end it, whatever it stands in.
std::string for_script(const json& data) {
  std::string text;
  for (const char c : data.dump(-1, ' ', true, json::error_handler_t::replace))
    text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text;
}

// Two drawings stand side by side; the type of slides is then about as large as the page's own.
constexpr plot::PictureSize drawing_size{720, 450};
constexpr std::string_view drawing_type = "slide";

/// `ids` begins every id in it.
std::string drawing(const plot::Figure& figure, const std::string& ids) {
  plot::Page page;
  page.figures.push_back(figure);
  return plot::svg_element(page, {.preset = plot::preset_named(drawing_type), .size = drawing_size},
                           ids);
}

/// Rows of text, of which the first is the head; empty without any.
std::string html_table(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return {};
  std::string table = "<div class=\"table\"><table>\n";
  std::string_view cell = "th";
  for (const std::vector<std::string>& row : rows) {
    table += "<tr>";
    for (const std::string& text : row)
      table += fmt::format("<{0}>{1}</{0}>", cell, xml_escaped(text));
    table += "</tr>\n";
    cell = "td";
  }
  return table + "</table></div>\n";
}

/// Lines of text, each escaped.
std::string escaped_lines(const std::string& text) {
  std::string escaped;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) escaped += xml_escaped(line) + "\n";
  return escaped;
}

/// Neighbours that show the same series share a legend: those of many labs would have a long one.
std::vector<std::vector<plot::Figure>> groups_of(const std::vector<plot::Figure>& figures) {
  std::vector<std::vector<plot::Figure>> groups;
  std::set<std::string> known;  // series of the last group
  for (const plot::Figure& figure : figures) {
    const bool shares = std::ranges::any_of(
        figure.series, [&](const plot::Series& series) { return known.contains(series.id); });
    if (groups.empty() || !(shares || figure.series.empty())) {
      groups.emplace_back();
      known.clear();
    }
    groups.back().push_back(figure);
    for (const plot::Series& series : figure.series) known.insert(series.id);
  }
  return groups;
}

}  // namespace

std::string html_paragraph(std::string_view kind, std::string_view text) {
  return text.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", kind, xml_escaped(text));
}

HtmlPage::HtmlPage(const std::string& title, plot::Theme theme, std::string_view style)
    : text_(
          fmt::format("<!DOCTYPE html>\n<html lang=\"en\"{2}>\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
                      "<title>{0}</title>\n<style>{1}{3}</style>\n"
                      "<noscript><style>.charts noscript {{ display: contents; "
                      "}}</style></noscript>\n</head>\n<body>\n<h1>{0}</h1>\n",
                      xml_escaped(title), page_style,
                      theme == plot::Theme::dark ? " class=\"dark\"" : "", style)) {}

void HtmlPage::add_charts(std::vector<plot::Figure> figures) {
  if (groups_.empty())
    text_ +=
        "<p class=\"dim\" hidden>To zoom, click a chart, then turn the wheel. Drag it to move it. "
        "A "
        "double click shows all again. In the legend, a click hides a series; Shift and a click "
        "shows it alone.</p>\n";
  text_ += fmt::format(
      "<div class=\"group{}\">\n<div class=\"legend\" role=\"group\" aria-label=\"Series: click to "
      "hide, Shift and click for one alone\"></div>\n<div class=\"charts\">\n<noscript>\n",
      figures.size() == 1 ? " alone" : "");
  for (std::size_t i = 0; i < figures.size(); ++i)
    text_ += fmt::format("<figure>{}</figure>\n",
                         drawing(figures[i], fmt::format("chart-{}-{}-", groups_.size(), i)));
  text_ += "</noscript>\n</div>\n</div>\n";
  groups_.push_back(std::move(figures));
}

std::string HtmlPage::finish(const std::string& data_file) {
  plot::Page all;
  json groups = json::array();
  for (const std::vector<plot::Figure>& group : groups_) {
    json figures = json::array(), hidden = json::array();
    for (const plot::Figure& figure : group) {
      figures.push_back(json_of(figure));
      for (const plot::Series& series : figure.series)
        if (series.hidden) hidden.push_back(series.id);
      all.figures.push_back(figure);
    }
    groups.push_back({{"figures", std::move(figures)}, {"hidden", std::move(hidden)}});
  }
  const json data{{"groups", std::move(groups)},
                  {"light", colours_of(plot::Theme::light)},
                  {"dark", colours_of(plot::Theme::dark)},
                  {"csv", csv_of(all)},
                  {"file", data_file}};
  add(fmt::format(
      "<section id=\"numbers\">\n<h2>Numbers</h2>\n<noscript><p>Sorting and downloading the "
      "numbers needs a browser that runs scripts.</p></noscript>\n"
      "<p hidden><button id=\"download\" type=\"button\">Download {}</button></p>\n"
      "<div class=\"table\"><table id=\"table\"></table></div>\n</section>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}{}</script>\n</body>\n"
      "</html>\n",
      xml_escaped(data_file), for_script(data), chart_script, page_script));
  return std::move(text_);
}

std::string page_html(const plot::Page& page, const Sessions& sessions, plot::Theme theme,
                      const std::string& data_file) {
  HtmlPage html(page.title, theme);
  for (const std::string& line : page.caption) html.add(html_paragraph("dim", line));
  html.add("<main>\n");
  for (std::vector<plot::Figure>& group : groups_of(page.figures))
    html.add_charts(std::move(group));
  html.add("</main>\n");
  html.add(html_table(page.table));
  for (const engine::Session* session : sessions)
    html.add(fmt::format("<h2>{}</h2>\n<pre>{}</pre>\n", xml_escaped(session->device.name),
                         escaped_lines(engine::explain(*session))));
  return html.finish(data_file);
}

std::string file_of(const plot::Page& page, const Sessions& sessions, const plot::PictureSpec& look,
                    plot::Format format, const std::string& path) {
  if (format != plot::Format::html) return plot::render(page, look, format);
  const std::filesystem::path table =
      std::filesystem::path(path).filename().replace_extension(".csv");
  return page_html(plot::page_of(page, look), sessions, look.theme, table.string());
}

}  // namespace ui
