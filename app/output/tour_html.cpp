#include <fmt/format.h>

#include <algorithm>

#include "app/output/tour_report.hpp"
#include "ui/plot/output/presets.hpp"
#include "ui/plot/output/svg_canvas.hpp"

namespace app {
namespace {

// In the dark the charts are turned over, so that white becomes the colour of the page.
constexpr std::string_view style = R"(
:root { color-scheme: light dark; --page: #fff; --text: #1b1f24; --dim: #57606a; --line: #d0d7de;
        --faint: #eaeef2; --link: #0550ae; --good: #1a7f37; --bad: #b35900; --none: #57606a; }
@media (prefers-color-scheme: dark) {
  :root { --page: #141414; --text: #e6e6e6; --dim: #a0a6ad; --line: #3d444d; --faint: #2a2f36;
          --link: #6cb6ff; --good: #57c26e; --bad: #f0a04b; --none: #a0a6ad; }
  figure svg { filter: invert(.922) hue-rotate(180deg); }
}
@media (max-width: 640px) {
  .contents tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--faint); }
  .contents tr:first-child { display: none; }
  .contents td { display: inline-block; padding-top: 0; padding-bottom: 0; border: 0; }
  .contents td:last-child { display: block; padding-right: 0; }
}
@media print { :root { color-scheme: light; } body { font-size: 11pt; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; color: var(--text);
       background: var(--page); max-width: 1080px; margin: 0 auto; padding: 2.5rem 1.25rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .75rem; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .5rem; }
p { margin: 0 0 .75rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
section { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1.5rem; }
.fact { margin: 0; color: var(--dim); }
.note { color: var(--bad); }
.warning { margin: 0 0 .25rem; font-size: .875rem; color: var(--dim); }
.charts + .warning { margin-top: 1rem; }
.question { font-size: 1.1rem; font-weight: 600; }
.verdict { font-weight: 600; }
.about, .verdict, .advice, blockquote { max-width: 46rem; }
.source, .about { color: var(--dim); }
blockquote { margin: 0 0 .75rem; padding: .1rem 0 .1rem 1rem; border-left: 4px solid var(--line); }
.scroll { overflow-x: auto; margin: 1.25rem 0; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .35rem 1.5rem .35rem 0; border-bottom: 1px solid var(--faint);
         vertical-align: top; }
th { color: var(--dim); font-weight: 500; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
.contents td:first-child, .outcome { white-space: nowrap; }
.outcome { font-weight: 600; color: var(--none); }
.holds { color: var(--good); }
.differs { color: var(--bad); }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(460px, 100%), 1fr));
          gap: 1.25rem; margin-top: 1.25rem; }
figure { margin: 0; break-inside: avoid; max-width: 720px; }
svg { display: block; width: 100%; height: auto; }
)";

using plot::xml_escaped;

// Of a chart: two stand side by side on the page. The type of slides is then about as large as the
// page's own.
constexpr plot::PictureSize chart_size{720, 450};
constexpr std::string_view chart_type = "slide";

std::string drawing(const TourChart& chart) {
  return plot::svg_element(chart.page,
                           {.preset = plot::preset_named(chart_type), .size = chart_size},
                           fmt::format("{}-", chart.id));
}

std::string paragraph(std::string_view kind, std::string_view text) {
  return text.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", kind, xml_escaped(text));
}

/// Words, then two columns of numbers, then what they say.
std::string table(std::string_view kind, const TourRow& head, const std::vector<TourRow>& rows) {
  if (rows.empty()) return "";
  std::string text = fmt::format("<div class=\"scroll\"><table class=\"{}\">\n", kind);
  const auto add = [&](std::string_view cell, const TourRow& row) {
    text += fmt::format("<tr><{0}>{1}</{0}><{0} class=\"number\">{2}</{0}>", cell,
                        xml_escaped(row[0]), xml_escaped(row[1]));
    text += fmt::format("<{0} class=\"number\">{1}</{0}>", cell, xml_escaped(row[2]));
    text += fmt::format("<{0} class=\"outcome {1}\">{1}</{0}></tr>\n", cell, xml_escaped(row[3]));
  };
  add("th", head);
  for (const TourRow& row : rows) add("td", row);
  return text + "</table></div>\n";
}

/// "did not run" is a class of no look of its own.
std::string outcome(const TourSection& section) {
  return fmt::format("class=\"outcome {0}\">{0}", words_of(section.outcome));
}

std::string contents(const TourReport& report) {
  std::string text =
      "<div class=\"scroll\"><table class=\"contents\">\n<tr><th>Lab</th><th>Claim "
      "here</th><th></th></tr>\n";
  for (const TourSection& section : report.sections) {
    text += fmt::format("<tr><td><a href=\"#{}\">{}</a></td><td {}</td><td>{}</td></tr>\n",
                        xml_escaped(section.name), xml_escaped(section.title), outcome(section),
                        xml_escaped(section.reason));
  }
  return text + "</table></div>\n";
}

std::string text_of(const TourSection& section) {
  std::string text = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", xml_escaped(section.name),
                                 xml_escaped(section.title));
  text += paragraph("question", section.question);
  if (!section.claim.empty()) {
    text += fmt::format("<blockquote>{}<br><span class=\"source\">{}</span></blockquote>\n",
                        xml_escaped(section.claim), xml_escaped(section.source));
  }
  text += paragraph(fmt::format("verdict {}", words_of(section.outcome)), verdict_of(section));
  text += table("numbers", {"", "claim", "this machine", ""}, section.rows);
  for (const std::string& advice : section.advice) text += paragraph("advice", advice);
  text += paragraph("about", section.about);
  if (!section.charts.empty()) {
    text += "<div class=\"charts\">\n";
    for (const TourChart& chart : section.charts)
      text += fmt::format("<figure>{}</figure>\n", drawing(chart));
    text += "</div>\n";
  }
  for (const std::string& warning : section.warnings) text += paragraph("warning", warning);
  return text + "</section>\n";
}

}  // namespace

std::string tour_html(const TourReport& report) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>Ridgepoint tour: {0}</title>\n<style>{1}</style></head>\n<body>\n"
      "<h1>Ridgepoint tour: {0}</h1>\n",
      xml_escaped(report.machine), style);
  for (const std::string& fact : report.facts) text += paragraph("fact", fact);
  text += paragraph("note", report.note) + contents(report);
  for (const TourSection& section : report.sections) text += text_of(section);
  if (!report.roofs.empty()) {
    text += "<section id=\"measured-roofs\">\n<h2>Measured roofs</h2>\n";
    text += table("roofs", {"roof", "median", "best", ""}, report.roofs) + "</section>\n";
  }
  return text + "</body></html>\n";
}

}  // namespace app
