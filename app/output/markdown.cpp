#include "ui/pages/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "app/output/results.hpp"
#include "engine/labs/lab.hpp"
#include "engine/roofs/roof_facts.hpp"
#include "engine/verdict/explain_series.hpp"
#include "engine/verdict/predict.hpp"
#include "ui/figures/figures.hpp"

namespace app {
namespace {

using ui::markdown_escaped;

/// Issues hold 65536 characters, and readers less.
constexpr std::size_t most_points = 60;

/// At the beginning of a line these make a heading, a list or a rule.
std::size_t opens_block(std::string_view text) {
  if (text.empty()) return std::string_view::npos;
  if (std::string_view("#+-=").find(text.front()) != std::string_view::npos) return 0;
  const std::size_t end = text.find_first_not_of("0123456789");
  const bool number = end != 0 && end != std::string_view::npos &&
                      (text[end] == '.' || text[end] == ')') &&
                      (end + 1 == text.size() || text[end + 1] == ' ');
  return number ? end : std::string_view::npos;
}

/// At the beginning of a line.
std::string begun(std::string_view text) {
  const std::size_t opens = opens_block(text);
  if (opens == std::string_view::npos) return markdown_escaped(text);
  return markdown_escaped(text.substr(0, opens)) + "\\" + markdown_escaped(text.substr(opens));
}

std::string heading(int level, std::string_view text) {
  return fmt::format("{} {}\n\n", std::string(static_cast<std::size_t>(level), '#'),
                     markdown_escaped(text));
}

std::string paragraph(std::string_view text) { return text.empty() ? "" : begun(text) + "\n\n"; }

std::string bold(std::string_view text) { return fmt::format("**{}**", markdown_escaped(text)); }

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += fmt::format("- {}\n", begun(item));
  return items.empty() ? "" : text + "\n";
}

/// With words in the first and the last column, and an empty line after it.
std::string table(const Rows& rows) {
  const std::string text = ui::markdown_table(rows, {0, rows.front().size() - 1});
  return text.empty() ? "" : text + "\n";
}

std::string series_in_words(const engine::Session& session) {
  std::string text;
  const std::vector<engine::PointSeries> all = engine::series_of(session);
  for (const engine::PointSeries& series : all) {
    text += bold(engine::series_heading(series)) + "\n\n";
    std::vector<std::string> sentences = engine::describe_series(session, series);
    std::ranges::move(engine::describe_gains(all, series), std::back_inserter(sentences));
    text += list(sentences);
  }
  return text;
}

/// What each lab finds that has points in the session.
std::string verdicts(const engine::Session& session) {
  std::string text;
  for (const engine::Lab* lab : engine::labs()) {
    const engine::Results results = engine::results_of(lab->name, session);
    if (results.points.empty()) continue;
    const engine::LabVerdict verdict = verdict_of(*lab, results);
    if (verdict.says == engine::Says::not_yet) continue;
    Rows rows{{"", "claim", "this machine", ""}};
    for (const engine::VerdictRow& row : verdict.rows)
      rows.push_back({row.what, engine::text_of(row.claimed, row.unit),
                      engine::text_of(row.here, row.unit), std::string(engine::word_of(row.says))});
    text += bold(lab->question) + "\n\n";
    if (!lab->claim.text.empty())
      text +=
          fmt::format("> {} ({})\n\n", begun(lab->claim.text), markdown_escaped(lab->claim.source));
    text += paragraph(engine::said_of(*lab, verdict));
    text += table(rows);
  }
  return text;
}

std::string points(const engine::Session& session) {
  const Rows rows = results_rows(session, false);
  if (rows.empty()) return "";
  if (const std::size_t count = rows.size() - 1; count > most_points)
    return fmt::format("The session has {} points; they are not listed here.\n\n", count);
  return table(rows);
}

/// Roofs that may be too low, and points that are missing.
std::string warnings(const engine::Session& session) {
  std::vector<std::string> flags;
  for (const engine::Roof& roof : session.roofs)
    if (roof.source == engine::RoofSource::measured && !flag_of(roof).empty())
      flags.push_back(engine::flag_in_words(roof.name, flag_of(roof)));
  const std::vector<std::string> missing = engine::describe_missing(session);
  return (flags.empty() ? "" : heading(4, "Warnings") + list(flags)) +
         (missing.empty() ? "" : heading(4, "Not measured") + list(missing));
}

}  // namespace

std::string markdown_of(const engine::Session& session) {
  const ui::Sessions sessions{&session};
  const plot::Page page = ui::page_around(sessions, ui::charts_of(sessions), {}, {});
  std::string text = heading(3, page.title);
  for (const std::string& line : page.caption) text += paragraph(line);
  const std::string found = series_in_words(session) + verdicts(session);
  const std::string rows = points(session);
  text += found.empty() && rows.empty() ? paragraph("No point was measured.") : found;
  if (!rows.empty()) text += heading(4, "Points") + rows;
  if (const Rows roofs = roofs_rows(session); !roofs.empty())
    text += heading(4, "Roofs") + table(roofs);
  text += warnings(session);
  text.pop_back();  // the empty line at the end
  return text;
}

}  // namespace app
