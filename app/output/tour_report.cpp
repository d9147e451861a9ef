#include "app/output/tour_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/roofs/roof_facts.hpp"
#include "ui/figures/figures.hpp"

namespace app {
namespace {

/// A chart may leave out every point that its lab has.
bool is_drawn(const plot::Figure& figure) {
  if (!figure.roofs.empty()) return true;
  return std::ranges::any_of(figure.series, [](const plot::Series& series) {
    return !series.spans.empty() || series.points->size() > 0;
  });
}

/// The charts of a lab that show something.
std::vector<plot::Figure> charts_of(const engine::Lab& lab, const engine::Session& session) {
  const ui::Sessions sessions{&session};
  const ui::View view{.probes = false};
  std::vector<plot::Figure> charts;
  for (const engine::Chart& chart : ui::charts_of(lab, sessions)) {
    if (chart.apart || !ui::has_points(session, chart)) continue;
    plot::Figure figure = ui::for_export(ui::figure_of(sessions, chart, view));
    if (is_drawn(figure)) charts.push_back(std::move(figure));
  }
  return charts;
}

/// What came of a lab: in a word, and in a sentence that begins with `opening`.
void conclude(TourSection& section, std::string_view outcome, std::string_view opening,
              const std::string& reason) {
  section.outcome = outcome;
  section.reason = reason;
  const bool both = !opening.empty() && !reason.empty();
  section.verdict = fmt::format("{}{}{}", opening, both ? " " : "", reason);
}

void add_verdict(const engine::LabVerdict& verdict, TourSection& section) {
  const engine::Says says =
      verdict.says == engine::Says::not_yet ? engine::Says::cannot_say : verdict.says;
  conclude(section, engine::word_of(says), engine::words_of(says), verdict.headline);
  section.advice = verdict.advice;
  for (const engine::VerdictRow& row : verdict.rows)
    section.rows.push_back({row.what, engine::text_of(row.claimed, row.unit),
                            engine::text_of(row.here, row.unit),
                            std::string(engine::word_of(row.says))});
}

TourSection section_of(const TourStop& stop, const engine::Session& session) {
  const engine::Lab& lab = *stop.lab;
  TourSection section{.name = std::string(lab.name),
                      .title = std::string(lab.title),
                      .question = std::string(lab.question),
                      .about = std::string(lab.about),
                      .claim = std::string(lab.claim.text),
                      .source = std::string(lab.claim.source)};
  if (!stop.why_not.empty()) {
    conclude(section, "did not run", "Did not run:", stop.why_not);
    return section;
  }
  if (stop.interrupted) {
    conclude(section, "stopped", "",
             "The tour was stopped in this lab; the charts show what was measured.");
  } else if (lab.verdict != nullptr) {
    add_verdict(lab.verdict(engine::results_of(lab.name, session)), section);
  }
  section.charts = charts_of(lab, session);
  section.warnings = stop.warnings;
  if (!section.warnings.empty())
    section.warnings.push_back(fmt::format(
        "This measures the lab alone, with all options: ridgepoint sweep --lab {}", lab.name));
  return section;
}

std::string duration(double seconds) {
  const auto whole = static_cast<long>(std::lround(seconds));
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{} min {} s", whole / 60, whole % 60);
}

}  // namespace

TourReport tour_report(const engine::Session& session, std::span<const TourStop> stops,
                       const std::string& note, std::optional<double> seconds) {
  TourReport report{.machine = session.device.name, .note = note};
  // The first line of a picture's caption: device, date, program.
  const std::vector<std::string> caption = ui::page_around({&session}, {}, {}, {}).caption;
  if (!caption.empty()) report.facts.push_back(caption.front());
  if (!session.host.os.empty()) report.facts.push_back(session.host.os);
  report.facts.push_back(seconds ? fmt::format("The tour took {}.", duration(*seconds))
                                 : "Drawn from a session that was measured before.");
  for (const engine::Roof& roof : session.roofs) {
    if (roof.source != engine::RoofSource::measured) continue;
    report.roofs.push_back({roof.name, engine::rate_text(roof, roof.rate),
                            roof.best > 0 ? engine::rate_text(roof, roof.best) : "",
                            roof.disturbed ? "disturbed" : ""});
  }
  for (const TourStop& stop : stops) report.sections.push_back(section_of(stop, session));
  return report;
}

}  // namespace app
