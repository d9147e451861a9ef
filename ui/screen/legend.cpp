#include "ui/screen/legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace ui {
namespace {

/// Of a fleet nobody reads every name.
constexpr std::size_t most_series = 500;

auto appearance_of(const plot::Series& series) {
  return std::tuple(series.colour, series.marker, series.filled, series.core, series.dash,
                    series.line, series.is_solid());
}

/// Whose a series of a figure is, and what it is called beside others of its session.
struct Owner {
  std::size_t session = 0;
  std::string text;
};

std::map<std::string, Owner> owners_of(const Plotted& shown) {
  std::map<std::string, Owner> owners;
  for (const Group& group : shown.groups)
    owners.try_emplace(group.id, Owner{group.owner, group.line});
  for (const Line& line : shown.lines) {
    // The name of a quotient says of what.
    const std::size_t owner = shown.group_of(line).owner;
    if (line.slow) owners.try_emplace(line.series.id, Owner{owner, line.series.name});
  }
  return owners;
}

/// To the entries of one session, of which charts may know the series already.
void add_series(std::vector<LegendEntry>& entries, const std::string& text,
                const plot::Series& series, std::string_view chart) {
  const auto same = std::ranges::find_if(entries, [&](const LegendEntry& entry) {
    const bool alike = appearance_of(entry.look) == appearance_of(series);
    return entry.ids.contains(series.id) ? entry.look.colour == series.colour
                                         : alike && entry.text == text;
  });
  if (same == entries.end()) {
    const bool known = std::ranges::find(entries, text, &LegendEntry::text) != entries.end();
    plot::Series look = series;
    look.points = {};
    look.spans.clear();
    if (series.is_solid()) look.bar = 1;  // whatever its areas are
    entries.push_back(
        {known ? fmt::format("{} ({})", text, chart) : text, std::move(look), {series.id}});
    return;
  }
  same->ids.insert(series.id);
  // A newer run stands for an earlier one.
  if (!series.faded) same->look.faded = false;
}

/// Whether an error bar is longer than its marker, in a plot of the usual height.
bool shows_intervals(const plot::Figure& figure) {
  constexpr double least = 0.045;  // of the axis
  const auto place = [&](double value) { return figure.y.log ? std::log(value) : value; };
  const double whole = place(figure.y.high) - place(figure.y.low);
  for (const plot::Series& series : figure.series) {
    const plot::Points& points = *series.points;
    for (std::size_t i = 0; !series.hidden && i < std::min(points.low.size(), points.high.size());
         ++i)
      if (place(points.high[i]) - place(points.low[i]) > least * whole) return true;
  }
  return false;
}

/// "NVIDIA H200 · h200.json"; of what was measured here the device alone.
std::string title_of(const AppState& state, const engine::Session& session) {
  const OpenedFile* file = file_of(state, session);
  return file != nullptr ? fmt::format("{} \u00b7 {}", session.device.name, file->name)
                         : session.device.name;
}

}  // namespace

std::set<std::string> LegendStrip::ids() const {
  std::set<std::string> all;
  for (const LegendGroup& group : groups)
    for (const LegendEntry& entry : group.entries) all.insert(entry.ids.begin(), entry.ids.end());
  return all;
}

LegendStrip legend_of(const AppState& state, std::span<const ChartOnScreen> charts) {
  std::map<std::size_t, std::vector<LegendEntry>> sessions;
  LegendStrip strip;
  for (const ChartOnScreen& chart : charts) {
    const std::map<std::string, Owner> owners = owners_of(chart.shown);
    const std::vector<plot::Series>& all = chart.figure.series;
    for (std::size_t i = 0; i < std::min(all.size(), most_series); ++i) {
      if (all[i].name.empty()) continue;
      const auto owner = owners.find(all[i].id);
      const bool known = owner != owners.end();
      const std::string& text =
          known && !owner->second.text.empty() ? owner->second.text : all[i].name;
      add_series(sessions[known ? owner->second.session : 0], text, all[i], chart.figure.title);
    }
  }
  for (auto& [session, entries] : sessions) {
    // Earlier runs of what was not measured again come last.
    std::ranges::stable_partition(entries,
                                  [](const LegendEntry& entry) { return !entry.look.faded; });
    const engine::Session& own = *charts.front().shown.sessions.at(session).session;
    strip.groups.push_back({title_of(state, own), std::move(entries)});
  }
  return strip;
}

std::vector<plot::Key> keys_of(const plot::Figure& figure, const plot::Overlay& overlay) {
  std::vector<plot::Key> keys = figure.keys;
  const auto line = [&](bool ghost) {
    return std::ranges::any_of(figure.roofs, [&](const plot::Roof& roof) {
      return ghost ? roof.ghost : roof.thin && !roof.ghost && roof.label.empty();
    });
  };
  const auto mark = [&](bool faded) {
    return std::ranges::any_of(overlay.marks, [&](const plot::Mark& one) {
      return one.kind == plot::Mark::Kind::probe && one.faded == faded;
    });
  };
  if (shows_intervals(figure)) keys.push_back({plot::Key::Sign::interval, "95 % interval"});
  if (line(false)) keys.push_back({plot::Key::Sign::guide, "predicted by the roofs"});
  if (line(true)) keys.push_back({plot::Key::Sign::ghost, "What if"});
  if (mark(false)) keys.push_back({plot::Key::Sign::probe, "at the slider"});
  if (mark(true)) keys.push_back({plot::Key::Sign::trail, "measured at the slider before"});
  return keys;
}

}  // namespace ui
