// Pages for export: panels, and a caption of what was measured, on what and how well.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/verdict/doubts.hpp"
#include "engine/verdict/precision.hpp"
#include "kernels/families/family.hpp"
#include "kernels/units.hpp"
#include "ui/figures/parts.hpp"
#include "ui/figures/point_facts.hpp"

namespace ui {
namespace {

constexpr std::string_view separator = " \u00b7 ";

/// Joins what is known.
std::string joined(std::vector<std::string> parts, std::string_view between) {
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, between));
}

/// A number stays on the line of its unit.
std::string unbroken(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == ' ' ? std::string("\u00a0") : std::string(1, c);
  return result;
}

std::string device_line(const engine::Session& session) {
  const kernels::DeviceInfo& device = session.device;
  const bool gpu = device.kind == "cuda";
  const int cores = gpu ? device.multiprocessors : device.threads;
  const std::string driver =
      gpu && !device.driver.empty() ? "CUDA driver " + device.driver : device.driver;
  const std::string kind = gpu && !device.compute_capability.empty()
                               ? "compute capability " + device.compute_capability
                               : device.compute_capability;
  return joined(
      {device.name, driver, kind, cores > 0 ? units::counted(cores, gpu ? "SM" : "thread") : "",
       device.clock_hz > 0 ? unbroken(units::hertz(device.clock_hz)) : "",
       device.memory_bytes > 0 ? unbroken(units::bytes(device.memory_bytes)) : ""},
      separator);
}

std::string range_text(const plot::Range& range, std::string_view unit) {
  const std::string low = fmt::format("{:.0f}", range.low),
                    high = fmt::format("{:.0f}", range.high);
  return low == high ? fmt::format("{}\u00a0{}", low, unit)
                     : fmt::format("{}\u2013{}\u00a0{}", low, high, unit);
}

/// What no picture should be without, however small: device, its clock, date and version.
std::string brief_line(const engine::Session& session) {
  const double clock = session.device.clock_hz;
  return joined({session.device.name, clock > 0 ? unbroken(units::hertz(clock)) : "",
                 session.created.substr(0, std::string("2026-11-21").size()),
                 session.app.version.empty() ? "" : "Ridgepoint " + session.app.version},
                separator);
}

/// A place where the slider happened to stand is no result of a sweep.
bool is_in_picture(const engine::Point& point) {
  return is_swept(point) && point.status == engine::Status::ok && point.seconds.median > 0;
}

using Points = std::vector<const engine::Point*>;

/// The points of the labs that these charts show; of all labs where there are no charts, or one
/// shows every lab.
Points points_shown(const engine::Session& session, const std::vector<engine::Chart>& charts) {
  const bool all = charts.empty() || std::ranges::any_of(charts, [](const engine::Chart& chart) {
                     return chart.every_lab || chart.lab.empty();
                   });
  Points points;
  for (const engine::Point& point : session.points) {
    const bool known = engine::find_lab(point.lab) != nullptr;
    const bool shown =
        all || !known || std::ranges::find(charts, point.lab, &engine::Chart::lab) != charts.end();
    if (shown) points.push_back(&point);
  }
  return points;
}

/// "fp32 16 Mi elements, bf16 1 to 64 Mi elements", in the order in which they were measured.
std::string elements_line(const Points& points) {
  std::vector<std::pair<kernels::Dtype, plot::Range>> ranges;
  for (const engine::Point* point : points) {
    const kernels::Case& what = point->what;
    if (what.elements == 0) continue;
    auto known = std::ranges::find(ranges, what.dtype, [](const auto& r) { return r.first; });
    if (known == ranges.end()) known = ranges.insert(known, {what.dtype, {}});
    known->second.add(static_cast<double>(what.elements));
  }
  std::vector<std::string> parts;
  for (const auto& [dtype, range] : ranges) {
    const std::string low =
        range.low < range.high ? units::count(range.low) + " to " : std::string();
    parts.push_back(fmt::format("{} {}{} elements", name_of(dtype), low, units::count(range.high)));
  }
  return joined(parts, ", ");
}

/// It ended at a limit, and its interval is wider than its run asked for.
bool missed_goal(const engine::Session& session, const engine::Point& point) {
  const engine::Run* run = run_of(session, point.run);
  const double goal = run != nullptr ? run->spec.noise : engine::Spec{}.noise;
  return point.stop == engine::Stop::time_limit &&
         (!point.seconds.has_interval() || engine::reach_of(point.seconds) > goal);
}

/// How good the numbers are: samples, the width of the intervals, what stopped early or was left
/// out. In a picture, dashed outlines show which are doubtful.
std::string quality_line(const engine::Session& session, const Points& points,
                         std::ptrdiff_t left_out, bool drawn) {
  plot::Range samples;
  double widest = 0;
  int at_limit = 0, flagged = 0;
  std::set<std::string> words;
  for (const engine::Point* point : points) {
    const engine::Seconds& seconds = point->seconds;
    if (!seconds.samples.empty()) samples.add(static_cast<double>(seconds.samples.size()));
    if (seconds.has_interval()) widest = std::max(widest, engine::reach_of(seconds));
    at_limit += missed_goal(session, *point) ? 1 : 0;
    const std::vector<engine::Doubt> doubts = doubts_of(session, *point);
    flagged += doubts.empty() ? 0 : 1;
    for (const engine::Doubt& doubt : doubts) words.insert(doubt.word);
  }
  if (samples.empty()) return "";
  std::string text =
      fmt::format("medians of {}", range_text(samples, samples.high == 1 ? "sample" : "samples"));
  if (widest > 1) {
    text += ", 95\u00a0% intervals up to over ±100\u00a0%";
  } else if (widest > 0) {
    text += fmt::format(", 95\u00a0% intervals within ±{:.1f}\u00a0%", 100 * widest);
  }
  if (at_limit > 0) text += fmt::format(", {} missed the noise goal", at_limit);
  if (flagged > 0) {
    text += fmt::format(", {} doubtful{}: {}", flagged, drawn ? " (dashed outline)" : "",
                        fmt::join(words, ", "));
  }
  if (left_out > 0) text += fmt::format(", {} skipped or failed", left_out);
  return text;
}

std::string conditions_line(const Points& points) {
  plot::Range temperature, clock, power;
  bool throttled = false;
  for (const engine::Point* point : points) {
    const kernels::Conditions& then = point->conditions;
    if (then.temperature_c) temperature.add(*then.temperature_c);
    if (then.clock_hz) clock.add(*then.clock_hz / 1e6);
    if (then.power_w) power.add(*then.power_w);
    throttled = throttled || then.throttled.value_or(false);
  }
  return joined({clock.empty() ? "" : "clock\u00a0" + range_text(clock, "MHz"),
                 temperature.empty() ? "" : range_text(temperature, "\u00b0C"),
                 power.empty() ? "" : range_text(power, "W"), throttled ? "throttled" : ""},
                ", ");
}

std::string program_line(const engine::Session& session) {
  const std::string commit =
      session.app.commit.empty() ? "" : fmt::format(" ({})", session.app.commit);
  return session.app.version.empty() ? ""
                                     : fmt::format("Ridgepoint {}{}", session.app.version, commit);
}

/// The device; and, of the points of a sweep, what and how well it measured.
void add_caption(const engine::Session& session, Points points, bool drawn,
                 std::vector<std::string>& lines) {
  const auto left_out = std::ranges::count_if(points, [](const engine::Point* point) {
    return is_swept(*point) && point->status != engine::Status::ok;
  });
  std::erase_if(points, [](const engine::Point* point) { return !is_in_picture(*point); });
  for (const std::string& line :
       {joined({device_line(session), date_text(session.created), program_line(session)},
               separator),
        joined({elements_line(points), quality_line(session, points, left_out, drawn),
                conditions_line(points)},
               separator)}) {
    if (!line.empty()) lines.push_back(line);
  }
}

/// "a", "a and b", "a, b and c".
std::string listed(std::vector<std::string> items) {
  if (items.size() < 2) return joined(items, "");
  const std::string last = std::move(items.back());
  items.pop_back();
  return joined(items, ", ") + " and " + last;
}

/// "chain mul and chain fma"; of a family with many ops its name alone.
std::vector<std::string> kernels_of(const std::vector<std::pair<std::string, std::string>>& ran) {
  constexpr std::ptrdiff_t most_named = 3;
  std::vector<std::string> kernels;
  for (const auto& [family, op] : ran) {
    const auto of_family =
        std::ranges::count(ran, family, [](const auto& one) { return one.first; });
    add_once(kernels, op.empty() || of_family > most_named ? family : family + " " + op);
  }
  return kernels;
}

/// "chain fma in fp32 and bf16".
std::string kernels_and_dtypes(const Sessions& sessions) {
  std::vector<std::pair<std::string, std::string>> ran;  // family and ops, each once
  std::vector<std::string> dtypes;
  for (const engine::Session* session : sessions) {
    for (const engine::Point& point : session->points) {
      if (!is_in_picture(point)) continue;
      const kernels::Case& what = point.what;
      const std::string op = what.family->chooses_op ? text_of(what.ops) : "";
      add_once(ran, std::pair(std::string(engine::kernel_of(point)), op));
      add_once(dtypes, std::string(name_of(what.dtype)));
    }
  }
  return joined({listed(kernels_of(ran)), listed(dtypes)}, " in ");
}

std::string devices_of(const Sessions& sessions) {
  std::vector<std::string> devices;
  for (const engine::Session* session : sessions) add_once(devices, session->device.name);
  return listed(devices);
}

/// Whether the sessions have points of more than one lab that a chart could show.
bool of_several_labs(const Sessions& sessions) {
  std::set<std::string_view> labs;
  for (const engine::Session* session : sessions) {
    for (const engine::Point& point : session->points)
      if (is_in_picture(point)) labs.insert(point.lab);
  }
  return labs.size() > 1;
}

/// "Matrix product"; of many labs their number.
std::string labs_of(const std::vector<engine::Chart>& charts) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> titles;
  for (const engine::Chart& chart : charts) {
    if (const engine::Lab* lab = engine::find_lab(chart.lab))
      add_once(titles, std::string(lab->title));
  }
  return titles.size() > most_named ? fmt::format("{} labs", titles.size()) : listed(titles);
}

bool shows_levels_alone(const std::vector<engine::Chart>& charts) {
  return charts.size() == 1 && charts.front().has(engine::Overlay::capacities);
}

/// "Roofs: DRAM copy 4.03 TB/s (measured).": those drawn, since a small figure cannot name all.
std::string roofs_line(const std::vector<plot::Figure>& figures) {
  constexpr std::size_t most = 8;
  std::vector<std::string> names;
  for (const plot::Figure& figure : figures) {
    for (const plot::Roof& roof : figure.roofs) {
      if (!roof.thin && !roof.label.empty()) add_once(names, unbroken(roof.label));
    }
  }
  if (names.empty()) return "";
  const std::size_t more = names.size() > most ? names.size() - most : 0;
  names.resize(names.size() - more);
  return fmt::format("Roofs: {}{}.", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

std::string heading_of(const Sessions& sessions, const std::vector<engine::Chart>& charts) {
  if (shows_levels_alone(charts)) return devices_of(sessions) + ": memory levels";
  return joined({devices_of(sessions),
                 of_several_labs(sessions) ? labs_of(charts) : kernels_and_dtypes(sessions)},
                ": ");
}

std::string date_text(const std::string& created) {
  if (created.size() != 20 || created[10] != 'T' || created.back() != 'Z') return created;
  return fmt::format("{} {} UTC", created.substr(0, 10), created.substr(11, 5));
}

plot::Figure for_export(plot::Figure figure) {
  if (!figure.roofs.empty()) figure.empty_text.clear();
  return figure;
}

/// What a marker with a dashed outline means in them; empty: none has such markers.
std::string words_of_dashed(const std::vector<plot::Figure>& figures) {
  for (const plot::Figure& figure : figures) {
    const auto key = std::ranges::find(figure.keys, plot::Key::Sign::doubtful, &plot::Key::sign);
    if (key != figure.keys.end()) return key->text;
  }
  return "";
}

plot::Page page_around(const Sessions& sessions, const std::vector<engine::Chart>& charts,
                       const View& view, std::vector<plot::Figure> figures) {
  plot::Page page;
  page.figures = std::move(figures);
  page.title = heading_of(sessions, charts);
  for (const engine::Session* session : sessions) {
    add_caption(*session, shows_levels_alone(charts) ? Points{} : points_shown(*session, charts),
                !page.figures.empty(), page.caption);
    // Several sessions of one device and day read alike.
    add_once(page.brief_caption, brief_line(*session));
  }
  // A small figure has no room for it in its legend.
  if (const std::string dashed = words_of_dashed(page.figures); !dashed.empty())
    page.brief_caption.push_back(fmt::format("Dashed outline: {}.", dashed));
  if (const std::string roofs = roofs_line(page.figures); !roofs.empty())
    for (auto* caption : {&page.caption, &page.brief_caption}) caption->push_back(roofs);
  const bool guides = std::ranges::any_of(page.figures, [](const plot::Figure& figure) {
    return std::ranges::any_of(
        figure.roofs, [](const plot::Roof& roof) { return roof.thin && roof.label.empty(); });
  });
  if (guides)
    page.caption.push_back(
        "Thick lines: roofs, solid measured, dashed theoretical. Thin lines: what the roofs "
        "predict.");
  if (view.what_if)
    page.caption.push_back(
        fmt::format("Dotted: predicted for {} from its datasheet and the shares that kernels reach "
                    "of the datasheet here; \"at most\" where a share is not known. Not measured.",
                    view.what_if->device.name));
  return page;
}

plot::Page page_of(const Sessions& sessions, const engine::Chart* only, const View& on_screen) {
  View view = on_screen;
  view.probes = false;
  const std::vector<engine::Chart> charts =
      only != nullptr ? std::vector{measured_chart(*only, sessions)} : charts_of(sessions);
  std::vector<plot::Figure> figures;
  for (const engine::Chart& chart : charts)
    figures.push_back(for_export(figure_of(sessions, chart, view)));
  return page_around(sessions, charts, view, std::move(figures));
}

}  // namespace ui
