#include "app/output/tour_report.hpp"

#include <fmt/format.h>

#include "engine/roofs/roof_facts.hpp"
#include "kernels/units.hpp"
#include "ui/figures/figures.hpp"
#include "ui/plot/output/presets.hpp"

namespace app {
namespace {

constexpr std::string_view style = R"(
body { font: 16px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff; max-width: 1100px;
       margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; }
h2 { margin-top: 3rem; border-top: 1px solid #d0d7de; padding-top: 1.5rem; }
.facts, .source, .note { color: #57606a; }
.question { font-size: 1.15rem; font-weight: 600; }
blockquote { margin: 1rem 0; padding: 0 1rem; border-left: 4px solid #d0d7de; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .3rem 1.2rem .3rem 0; border-bottom: 1px solid #eaeef2;
         vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.number { text-align: right; }
.verdict { font-weight: 600; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(460px, 1fr)); gap: 1rem; }
figure { margin: 0; break-inside: avoid; }
svg { width: 100%; height: auto; }
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : units::printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// The names in a drawing are those of its own glyphs and clips: several drawings on one page would
/// take each other's.
std::string with_own_names(std::string svg, std::string_view prefix) {
  const auto replace = [&](std::string_view mark) {
    const std::string with = std::string(mark) + std::string(prefix);
    for (std::size_t at = svg.find(mark); at != std::string::npos;
         at = svg.find(mark, at + with.size()))
      svg.replace(at, mark.size(), with);
  };
  for (const std::string_view mark : {"id=\"", "href=\"#", "url(#"}) replace(mark);
  return svg;
}

// Of a chart: two stand side by side on the page, with text as large as its own.
constexpr plot::PictureSize chart_size{720, 450};

std::string drawing(const engine::Chart& chart, const ui::Sessions& sessions) {
  const ui::View view{.probes = false};
  plot::Page page = ui::page_around(sessions, nullptr, view,
                                    {ui::for_export(ui::figure_of(sessions, chart, view))});
  page.title.clear();
  std::string svg = plot::render(page, {.size = chart_size, .caption = false}, plot::Format::svg);
  svg.erase(0, svg.find("<svg"));  // the page has a declaration of its own
  return with_own_names(std::move(svg), fmt::format("{}-", chart.id));
}

/// The charts of a lab that have points.
std::string drawings(const engine::Lab& lab, const engine::Session& session) {
  const ui::Sessions sessions{&session};
  std::string text;
  for (const engine::Chart& chart : ui::charts_of(lab, sessions)) {
    if (!chart.apart && ui::has_points(session, chart))
      text += fmt::format("<figure>{}</figure>\n", drawing(chart, sessions));
  }
  return text;
}

std::string table_of(const engine::LabVerdict& verdict) {
  if (verdict.rows.empty()) return "";
  std::string text =
      "<table><tr><th></th><th class=\"number\">claim</th>"
      "<th class=\"number\">this machine</th></tr>\n";
  for (const engine::VerdictRow& row : verdict.rows) {
    text += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
        escaped(row.what), escaped(engine::text_of(row.claimed, row.unit)),
        escaped(engine::text_of(row.here, row.unit)));
  }
  return text + "</table>\n";
}

std::string paragraph(std::string_view kind, std::string_view text) {
  return text.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", kind, escaped(text));
}

engine::LabVerdict verdict_of(const engine::Lab& lab, const engine::Session& session) {
  if (lab.verdict == nullptr) return {};
  engine::Spec spec;
  spec.lab = lab.name;
  return lab.verdict(engine::results_of(spec, session));
}

std::string section(const TourStop& stop, const engine::Session& session) {
  const engine::Lab& lab = *stop.lab;
  std::string text = fmt::format("<h2 id=\"{}\">{}</h2>\n", escaped(lab.name), escaped(lab.title));
  text += paragraph("question", lab.question) + paragraph("about", lab.about);
  if (!lab.claim.text.empty()) {
    text += fmt::format("<blockquote>{}<br><span class=\"source\">{}</span></blockquote>\n",
                        escaped(lab.claim.text), escaped(lab.claim.source));
  }
  if (!stop.why_not.empty()) return text + paragraph("verdict", "Did not run: " + stop.why_not);
  const engine::LabVerdict verdict = verdict_of(lab, session);
  text += table_of(verdict);
  text += paragraph("verdict", fmt::format("{} {}", words_of(verdict.says), verdict.headline));
  for (const std::string& advice : verdict.advice) text += paragraph("advice", advice);
  text += fmt::format("<div class=\"charts\">\n{}</div>\n", drawings(lab, session));
  for (const std::string& warning : stop.warnings) text += paragraph("note", warning);
  return text;
}

std::string short_word(const TourStop& stop, const engine::Session& session) {
  if (!stop.why_not.empty()) return "did not run";
  if (stop.lab->verdict == nullptr) return "measured";
  switch (verdict_of(*stop.lab, session).says) {
    case engine::LabVerdict::Says::holds:
      return "holds";
    case engine::LabVerdict::Says::differs:
      return "differs";
    default:
      return "not sure";
  }
}

std::string summary(std::span<const TourStop> stops, const engine::Session& session) {
  std::string text =
      "<table><tr><th>Lab</th><th>Question</th><th>Claim on this machine</th></tr>\n";
  for (const TourStop& stop : stops) {
    text += fmt::format("<tr><td><a href=\"#{}\">{}</a></td><td>{}</td><td>{}</td></tr>\n",
                        escaped(stop.lab->name), escaped(stop.lab->title),
                        escaped(stop.lab->question), short_word(stop, session));
  }
  return text + "</table>\n";
}

std::string roofs(const engine::Session& session) {
  std::string text =
      "<table><tr><th>Measured roof</th><th class=\"number\">median</th>"
      "<th class=\"number\">best</th></tr>\n";
  for (const engine::Roof& roof : session.roofs) {
    if (roof.source != engine::RoofSource::measured) continue;
    const auto one = [&](double rate) { return escaped(engine::rate_text(roof, rate)); };
    text += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
        escaped(roof.name), one(roof.rate), roof.best > 0 ? one(roof.best) : "");
  }
  return text + "</table>\n";
}

}  // namespace

std::string tour_report(const engine::Session& session, std::span<const TourStop> stops,
                        const std::string& ended_early) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>Ridgepoint tour: {}</title>\n<style>{}</style></head>\n<body>\n<h1>Ridgepoint tour: "
      "{}</h1>\n",
      escaped(session.device.name), style, escaped(session.device.name));
  for (const std::string& line : ui::page_around({&session}, nullptr, {}, {}).caption)
    text += paragraph("facts", line);
  text += paragraph("note", ended_early);
  text += summary(stops, session) + roofs(session);
  for (const TourStop& stop : stops) text += section(stop, session);
  return text + "</body></html>\n";
}

}  // namespace app
