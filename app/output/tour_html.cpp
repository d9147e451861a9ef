#include <fmt/format.h>

#include "app/output/tour_report.hpp"
#include "ui/pages/html_page.hpp"
#include "ui/plot/output/svg_canvas.hpp"

namespace app {
namespace {

// What a tour has beside charts and their table.
constexpr std::string_view style = R"(
@media (max-width: 640px) {
  .contents tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--faint); }
  .contents tr:first-child { display: none; }
  .contents td { display: inline-block; padding-top: 0; padding-bottom: 0; border: 0; }
  .contents td:last-child { display: block; padding-right: 0; }
}
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
section { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1.5rem; }
section > h2 { margin-top: 0; }
section > p { margin-bottom: .75rem; }
.note { color: var(--bad); }
section > .warning { margin: 0 0 .25rem; font-size: .875rem; color: var(--dim); }
.question { font-size: 1.1rem; font-weight: 600; }
.verdict { font-weight: 600; }
.about, .verdict, .advice, blockquote { max-width: 46rem; }
.source, .about { color: var(--dim); }
blockquote { margin: 0 0 .75rem; padding: .1rem 0 .1rem 1rem; border-left: 4px solid var(--line); }
.scroll { overflow-x: auto; margin: 1.25rem 0; }
.scroll th, .scroll td { padding: .35rem 1.5rem .35rem 0; vertical-align: top; }
.numbers td:first-child { min-width: 10rem; }
.scroll th { color: var(--dim); font-weight: 500; }
.contents td:first-child, .outcome { white-space: nowrap; }
.outcome { font-weight: 600; color: var(--dim); }
.holds { color: var(--good); }
.differs { color: var(--bad); }
)";

using plot::xml_escaped;
using ui::html_paragraph;

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

std::string contents(const TourReport& report) {
  std::string text =
      "<div class=\"scroll\"><table class=\"contents\">\n<tr><th>Lab</th><th>Claim "
      "here</th><th></th></tr>\n";
  for (const TourSection& section : report.sections) {
    // "did not run" is a class of no look of its own.
    text += fmt::format(
        "<tr><td><a href=\"#{0}\">{1}</a></td><td class=\"outcome "
        "{2}\">{2}</td><td>{3}</td></tr>\n",
        xml_escaped(section.name), xml_escaped(section.title), section.outcome,
        xml_escaped(section.reason));
  }
  return text + "</table></div>\n";
}

void add(const TourSection& section, ui::HtmlPage& page) {
  page.add(fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", xml_escaped(section.name),
                       xml_escaped(section.title)));
  page.add(html_paragraph("question", section.question));
  if (!section.claim.empty())
    page.add(fmt::format("<blockquote>{}<br><span class=\"source\">{}</span></blockquote>\n",
                         xml_escaped(section.claim), xml_escaped(section.source)));
  page.add(html_paragraph(fmt::format("verdict {}", section.outcome), section.verdict));
  page.add(table("numbers", {"", "claim", "this machine", ""}, section.rows));
  for (const std::string& advice : section.advice) page.add(html_paragraph("advice", advice));
  page.add(html_paragraph("about", section.about));
  if (!section.charts.empty()) page.add_charts(section.charts);
  for (const std::string& warning : section.warnings) page.add(html_paragraph("warning", warning));
  page.add("</section>\n");
}

}  // namespace

std::string tour_html(const TourReport& report, const std::string& data_file) {
  ui::HtmlPage page("Ridgepoint tour: " + report.machine, plot::Theme::light, style);
  for (const std::string& fact : report.facts) page.add(html_paragraph("dim", fact));
  page.add(html_paragraph("note", report.note) + contents(report));
  for (const TourSection& section : report.sections) add(section, page);
  if (!report.roofs.empty()) {
    page.add("<section id=\"measured-roofs\">\n<h2>Measured roofs</h2>\n");
    page.add(table("roofs", {"roof", "median", "best", ""}, report.roofs) + "</section>\n");
  }
  return page.finish(data_file);
}

}  // namespace app
