#include "ui/pages/page_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "engine/verdict/predict.hpp"
#include "ui/pages/html_page.hpp"
#include "ui/plot/output/svg_canvas.hpp"

namespace ui {
namespace {

using plot::xml_escaped;

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
